package grouping

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
)

// Union combines the groups of tables that have the same keys. Of the groups of one key, the one
// with the earliest first row stays, and takes the rows of the others.
type Union struct {
	Tables []*Table
	gone   [][]bool // the groups of each table that other groups have absorbed
}

// NewUnion returns a Union of tables whose groups are not combined yet.
func NewUnion(tables []*Table) *Union {
	u := &Union{Tables: tables}
	for _, t := range tables {
		u.gone = append(u.gone, make([]bool, len(t.Places)))
	}
	return u
}

// Unite combines the groups on several goroutines. If each table is of one part, groups are
// combined in the order of the tables. The error is that of combining states, or the context's.
func (u *Union) Unite(ctx context.Context, workers int) error {
	keys := make([]*rowmem.KeyTable, len(u.Tables))
	for i, t := range u.Tables {
		keys[i] = &t.Keys
	}
	return rowmem.Unite(ctx, workers, keys, u.meet)
}

// meet combines two groups, and returns the one that stays.
func (u *Union) meet(first, later rowmem.KeyID) (rowmem.KeyID, error) {
	if u.PlaceOf(later) < u.PlaceOf(first) {
		first, later = later, first
	}
	u.gone[later.Table][later.Number] = true
	return first, u.Tables[first.Table].combine(first.Number, u.Tables[later.Table], later.Number)
}

// PlaceOf is the place of a group's first row.
func (u *Union) PlaceOf(g rowmem.KeyID) Place { return u.Tables[g.Table].Places[g.Number] }

// Gone reports whether another group has absorbed this one.
func (u *Union) Gone(g rowmem.KeyID) bool { return u.gone[g.Table][g.Number] }

// absorb adds the rows of all groups with the same key to a group of another table, which then
// begins with the first row of all. Goroutines may call it concurrently for different keys.
func (u *Union) absorb(t *Table, group int32) error {
	for i, from := range u.Tables {
		of := int32(from.Keys.FindOf(&t.Keys, int(group)))
		if of == NoGroup || u.gone[i][of] {
			continue
		}
		u.gone[i][of] = true
		if from.Places[of] < t.Places[group] {
			t.Begin(group, from.First(nil, of), nil, from.Places[of])
		}
		if err := t.combine(group, from, of); err != nil {
			return err
		}
	}
	return nil
}
