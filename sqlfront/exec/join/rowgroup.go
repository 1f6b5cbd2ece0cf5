package join

import (
	"bytes"
	"cmp"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// origin is where a group's rows come from.
type origin uint8

const (
	fromNowhere origin = iota
	fromRight          // the merge's right side, which is at the first
	fromLookup         // a scan for their keys
	fromKept           // kept copies
	fromIndex          // kept copies, found by more than the key
)

// rowGroup has the right rows of a merge join with one key.
type rowGroup struct {
	join *mergeJoin
	from origin
	// key is that of the group's rows, and of the left row that it was found for, while hasKey is
	// true.
	key    spill.RowBuffer
	hasKey bool
	// single is true if no two left rows have the same key: then nothing is kept.
	single bool
	// rows are kept copies, in memory or in a file, except for those in found; nil before the
	// first.
	rows  *spill.List
	n     int         // number of rows
	files bool        // whether some of them have been in a file
	found *groupIndex // nil as long as there are few
	given bool        // the right side's current row has been returned

	lookup  *scan.Scan // nil if there is none
	looked  op.Input   // its rows
	lookupX *op.Frame
	lookups int64
	stats   kv.ScanStats // of closed lookups
}

// has reports whether the group is that of the left row.
func (g *rowGroup) has(left []value.Value) bool {
	if !g.hasKey {
		return false
	}
	for i, c := range g.join.Merge.Left {
		a, b := &left[c.Index], &g.key.Row[i]
		if i == timePosition && a.Int() != b.Int() || i != timePosition && !bytes.Equal(a.Raw(), b.Raw()) {
			return false
		}
	}
	return true
}

// Begin makes it the group of a left row.
func (g *rowGroup) Begin(left []value.Value, from origin) error {
	g.from, g.given = from, false
	if !g.single {
		g.hasKey, g.n = true, 0
		g.remember(left)
		if g.rows == nil {
			g.rows = g.join.x.Stmt.Space.NewList()
		}
		if err := cmp.Or(g.closeIndex(), g.rows.Reset()); err != nil {
			return err
		}
	}
	if from == fromLookup {
		return g.lookUp()
	}
	return nil
}

// remember copies the left row's key.
func (g *rowGroup) remember(left []value.Value) {
	var key [3]value.Value
	for i, c := range g.join.Merge.Left {
		key[i] = left[c.Index]
	}
	g.key.Set(key[:len(g.join.Merge.Left)])
}

// again returns the rows for another left row with the same key.
func (g *rowGroup) again() error {
	if g.found != nil {
		g.from = fromIndex
		clear(g.join.Env().Row[g.join.RightFirst:g.join.RightEnd]) // the index sets only kept columns
		return g.found.again()
	}
	g.from, g.files = fromKept, g.files || g.rows.Spilled()
	return g.rows.Rewind()
}

// Next returns the next row of the group, valid until the next call, or nil after the last.
func (g *rowGroup) Next() ([]value.Value, error) {
	switch g.from {
	case fromRight:
		return g.nextOfRight()
	case fromLookup:
		return g.nextOfLookup()
	case fromKept:
		return g.rows.Next()
	}
	return nil, nil
}

// nextOfRight steps the right side as long as it has the key of the left row.
func (g *rowGroup) nextOfRight() ([]value.Value, error) {
	j := g.join
	if g.given {
		if err := j.stepRight(); err != nil {
			return nil, err
		}
		if !j.rightOK || j.compare() != 0 {
			g.from = fromNowhere
			return nil, nil
		}
	}
	g.given = true
	row := j.right.Env().Row[j.RightFirst:j.RightEnd]
	return row, g.keep(row)
}

func (g *rowGroup) nextOfLookup() ([]value.Value, error) {
	ok, err := g.looked.Row(1)
	if err != nil {
		return nil, err
	}
	if !ok {
		g.from = fromNowhere
		return nil, g.closeLookup()
	}
	row := g.lookupX.Env.Row[g.join.RightFirst:g.join.RightEnd]
	return row, g.keep(row)
}

// leave ends reading the rows. If they are kept for further left rows, it reads the rest first.
func (g *rowGroup) leave() error {
	for g.from != fromKept && g.from != fromIndex && !g.single {
		if row, err := g.Next(); row == nil || err != nil {
			return err
		}
		if err := g.join.x.Tick(); err != nil {
			return err
		}
	}
	return g.closeLookup()
}

// keep keeps a copy of the row if a further left row may have its key.
func (g *rowGroup) keep(row []value.Value) error {
	if g.single {
		return nil
	}
	if g.n++; g.found == nil && g.indexes(g.n) {
		if err := g.index(); err != nil {
			return err
		}
	}
	if g.found != nil {
		return g.found.add(row)
	}
	return g.rows.Add(row)
}

// lookUp opens a scan for the key of the current left row, with a separate frame.
func (g *rowGroup) lookUp() error {
	j := g.join
	if g.lookupX == nil {
		g.lookupX = j.x.Stmt.NewFrame(len(j.x.Env.Row))
	}
	copy(g.lookupX.Env.Row, j.Env().Row)
	g.lookups++
	var err error
	g.lookup, _, err = j.Merge.Group.Start(g.lookupX, op.Desired{})
	g.looked = op.Input{Operator: g.lookup}
	return err
}

func (g *rowGroup) closeLookup() error {
	if g.lookup == nil {
		return nil
	}
	g.stats = scan.AddStats(g.stats, g.lookup.Stats())
	err := g.lookup.Close()
	g.lookup = nil
	return err
}

func (g *rowGroup) Close() error {
	err := cmp.Or(g.closeLookup(), g.closeIndex())
	if g.rows != nil {
		err = cmp.Or(err, g.rows.Close())
	}
	return err
}
