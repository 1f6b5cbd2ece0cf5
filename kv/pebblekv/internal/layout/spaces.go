package layout

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/keyspace"
)

// SpaceRuns joins adjacent key spaces into runs, each given by its first and
// last: what is adjacent is rewritten once.
func SpaceRuns(spaces []keyspace.ID) [][2]keyspace.ID {
	sorted := slices.Sorted(slices.Values(spaces))
	var runs [][2]keyspace.ID
	for _, id := range sorted {
		if n := len(runs); n > 0 && id <= runs[n-1][1]+1 {
			runs[n-1][1] = id
		} else {
			runs = append(runs, [2]keyspace.ID{id, id})
		}
	}
	return runs
}

// SpaceOwners returns the tables by the key spaces of their leaves.
func SpaceOwners(catalog *kv.Catalog) map[keyspace.ID][]*kv.Table {
	owners := map[keyspace.ID][]*kv.Table{}
	for _, d := range catalog.Databases() {
		for _, t := range catalog.AllTables(d.Name) {
			for _, id := range keyspace.Of(t).Spaces {
				owners[id] = append(owners[id], t)
			}
		}
	}
	return owners
}
