package layout

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// SpaceRuns joins neighbouring key spaces, each run given by its first and
// last: what lies together is rewritten once.
func SpaceRuns(spaces []kv.SpaceID) [][2]kv.SpaceID {
	sorted := slices.Sorted(slices.Values(spaces))
	var runs [][2]kv.SpaceID
	for _, id := range sorted {
		if n := len(runs); n > 0 && id <= runs[n-1][1]+1 {
			runs[n-1][1] = id
		} else {
			runs = append(runs, [2]kv.SpaceID{id, id})
		}
	}
	return runs
}

// SpaceOwners are the tables by the key spaces of their leaves.
func SpaceOwners(catalog *kv.Catalog) map[kv.SpaceID][]*kv.Table {
	owners := map[kv.SpaceID][]*kv.Table{}
	for _, d := range catalog.Databases() {
		for _, t := range catalog.Tables(d.Name) {
			for _, id := range t.Spaces {
				owners[id] = append(owners[id], t)
			}
		}
	}
	return owners
}
