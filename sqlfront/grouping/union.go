package grouping

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
)

// Union puts together the groups of tables that have the same keys. Of those of one key the
// one whose first row is the first stays, and takes the rows of the others.
type Union struct {
	Tables []*Table
	gone   [][]bool // the groups of each table that another one has taken
}

// NewUnion is of tables of which no group has been taken.
func NewUnion(tables []*Table) *Union {
	u := &Union{Tables: tables}
	for _, t := range tables {
		u.gone = append(u.gone, make([]bool, len(t.Places)))
	}
	return u
}

// Unite does it on several goroutines. Groups of later tables are combined later, where
// each table is of one part. The error is that of combining states, or the context's.
func (u *Union) Unite(ctx context.Context, workers int) error {
	keys := make([]*rowmem.KeyTable, len(u.Tables))
	for i, t := range u.Tables {
		keys[i] = &t.Keys
	}
	return rowmem.Unite(ctx, workers, keys, u.meet)
}

// meet combines two groups, and gives the one that stays.
func (u *Union) meet(first, later rowmem.KeyID) (rowmem.KeyID, error) {
	if u.PlaceOf(later) < u.PlaceOf(first) {
		first, later = later, first
	}
	u.gone[later.Table][later.Number] = true
	return first, u.Tables[first.Table].combine(first.Number, u.Tables[later.Table], later.Number)
}

// PlaceOf is the place of a group's first row.
func (u *Union) PlaceOf(g rowmem.KeyID) Place { return u.Tables[g.Table].Places[g.Number] }

// Gone reports whether another group has taken the rows of this one.
func (u *Union) Gone(g rowmem.KeyID) bool { return u.gone[g.Table][g.Number] }

// absorb has a group of another table take the rows of those of its key, and begin with the
// first of all. Several goroutines may do so at the same time, for different keys.
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
