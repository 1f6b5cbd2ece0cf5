package join

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// fewOfKey is up to how many right rows of one key are compared with each left row that has
// it, though the condition sets more of them equal than what is merged.
const fewOfKey = 16

// groupIndex finds those of a group's rows that equal a left row in what the condition sets
// equal besides: of a cell with many versions, that of the same time. Else two cells of 20,000
// versions each would be joined by K and T in 400,000,000 comparisons.
type groupIndex struct {
	*hashJoin
	reader *rightReader
	sealed bool
}

// indexes reports whether a group of so many rows is to be found by more than its key.
func (g *rowGroup) indexes(rows int) bool {
	n := g.join.Join
	few := fewOfKey
	if set := g.join.x.Context.JoinRows; set > 0 {
		few = min(few, set)
	} else if set < 0 {
		return false
	}
	return rows > few && len(n.LeftKeys) > len(n.Merge.Left)
}

// index moves the rows that are kept into an index, where the further ones go too.
func (g *rowGroup) index() error {
	j := g.join
	x := j.x.Beside()
	kept := &hashJoin{joining: newJoining(j.Join, j.x, j.left.Operator), ready: true, rows: j.x.Stmt.Space.NewIndex()}
	g.found = &groupIndex{hashJoin: kept,
		reader: &rightReader{Join: j.Join, x: x, row: make([]value.Value, 1+len(j.Kept))}}
	if err := g.rows.Rewind(); err != nil {
		return err
	}
	return cmp.Or(spill.Each(g.rows.Next, g.found.add), g.rows.Reset())
}

// add keeps a row of the group.
func (f *groupIndex) add(row []value.Value) error {
	r := f.reader
	copy(r.x.Env.Row[r.RightFirst:r.RightEnd], row)
	known, err := r.ofFrame(&r.x.Env)
	if !known || err != nil {
		return err
	}
	return f.rows.Add(r.key, r.row[1:])
}

// again begins with another left row.
func (f *groupIndex) again() (err error) {
	if !f.sealed {
		f.sealed = true
		if err = f.rows.Seal(); err == nil && f.Unsure {
			f.unsure, err = f.rows.Has(nil)
		}
		if err != nil {
			return err
		}
	}
	return f.Begin()
}

// closeIndex gives up what is found by more than the key, where that is kept.
func (g *rowGroup) closeIndex() error {
	if g.found == nil {
		return nil
	}
	err := g.found.rows.Close()
	g.found = nil
	return err
}
