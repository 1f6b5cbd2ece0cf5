package relation

import (
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/pruning"
)

// SelectedBy finds the partitions by name. Its errors are 1747 and 1735.
func (r *Relation) SelectedBy(names []string) (*pruning.Selection, error) {
	if !r.OfCells() || r.Typed != nil && r.Typed.Mapped || len(r.tables) == 0 || !r.tables[0].Partitioning.Partitioned() {
		return nil, mysqlerr.New(mysqlerr.PartitionClauseOnNonPart, "PARTITION () clause on non partitioned table")
	}
	scheme := r.tables[0].Partitioning
	var all []int
	for _, name := range names {
		leaves, ok := scheme.LeavesOf(name)
		if !ok {
			return nil, mysqlerr.New(mysqlerr.UnknownPartition, "Unknown partition '%s' in table '%s'", name, r.Alias)
		}
		all = append(all, leaves...)
	}
	return pruning.NewSelection(scheme, all), nil
}
