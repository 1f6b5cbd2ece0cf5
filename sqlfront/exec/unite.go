package exec

import (
	"context"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/spill"
)

// groupRef is a group of one of several tables.
type groupRef struct{ table, group int32 }

// groupUnion puts together the groups of tables that have the same keys. Of those of one key
// the one whose first row is the first stays, and takes the rows of the others.
type groupUnion struct {
	tables []*groupTable
	gone   [][]bool // the groups of each table that another one has taken
}

func newGroupUnion(tables []*groupTable) *groupUnion {
	u := &groupUnion{tables: tables}
	for _, t := range tables {
		u.gone = append(u.gone, make([]bool, len(t.places)))
	}
	return u
}

// unite does it on several goroutines. Groups of later tables are combined later, where
// each table is of one part.
func (u *groupUnion) unite(ctx context.Context, workers int) error {
	keys := make([]*spill.KeyTable, len(u.tables))
	for i, t := range u.tables {
		keys[i] = &t.keys
	}
	return spill.Unite(ctx, workers, keys, u.meet)
}

// meet combines two groups, and gives the one that stays.
func (u *groupUnion) meet(first, later spill.KeyRef) (spill.KeyRef, error) {
	if u.placeOf(later) < u.placeOf(first) {
		first, later = later, first
	}
	u.gone[later.Table][later.Number] = true
	return first, u.tables[first.Table].combine(first.Number, u.tables[later.Table], later.Number)
}

func (u *groupUnion) placeOf(g spill.KeyRef) place { return u.tables[g.Table].places[g.Number] }

// absorb has a group of another table take the rows of those of its key, and begin with the
// first of all. Several goroutines may do so at the same time, for different keys.
func (u *groupUnion) absorb(t *groupTable, group int32) error {
	for i, from := range u.tables {
		of := int32(from.keys.FindOf(&t.keys, int(group)))
		if of == noGroup || u.gone[i][of] {
			continue
		}
		u.gone[i][of] = true
		if from.places[of] < t.places[group] {
			t.begin(group, from.first(nil, of), nil, from.places[of])
		}
		if err := t.combine(group, from, of); err != nil {
			return err
		}
	}
	return nil
}

// tablesOf are the tables of parts, each once, and which are whose.
func tablesOf(parts []partReader) (tables []*groupTable, of []int32) {
	for _, each := range parts {
		t := each.(*part).table
		at := slices.Index(tables, t)
		if at < 0 {
			at = len(tables)
			tables = append(tables, t)
		}
		of = append(of, int32(at))
	}
	return tables, of
}
