package join

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// fewOfKey is the number of right rows of one key up to which all are compared with each left row
// of that key, even if the condition has more equalities than the merge.
const fewOfKey = 16

// groupIndex finds the rows of a group that equal a left row in the condition's other equalities:
// of a cell with many versions, the one with the same time. Otherwise joining two cells of 20,000
// versions each by K and T would take 400,000,000 comparisons.
type groupIndex struct {
	*hashJoin
	reader *rightReader
	sealed bool
}

// indexes reports whether a group of so many rows needs an index on more than its key.
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

// index moves the kept rows into an index; further rows go there, too.
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

// again starts with another left row.
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

// closeIndex closes the index, if there is one.
func (g *rowGroup) closeIndex() error {
	if g.found == nil {
		return nil
	}
	err := g.found.rows.Close()
	g.found = nil
	return err
}
