package exec

import (
	"bytes"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// maxGroupBytes is how much of a key's right rows a merge join keeps that are found by
// nothing else. Those of a larger group are read again for each left row, which is a range
// of keys.
const maxGroupBytes = 1 << 20

// origin is where a group's rows are read.
type origin uint8

const (
	fromNowhere origin = iota
	fromRight          // the merge's right side, which stands at the first
	fromLookup         // a scan of their keys
	fromKept           // they are kept
	fromIndex          // they are kept, and found by more than the key
)

// rowGroup is the right rows of a merge join that have one key.
type rowGroup struct {
	join *mergeJoin
	from origin
	// key is that of the left row that the group was found for; it stands for
	// the rows while keyed is true.
	key   spill.RowBuffer
	keyed bool
	// single is true where no two left rows have the same key, so that nothing
	// needs to be kept.
	single bool
	// rows are kept copies, all of them unless over is set or they are in found.
	rows  [][]value.Value
	found *groupIndex // nil while there are few
	kept  spill.Arena
	bytes int
	over  bool
	at    int
	given bool // the right side's present row

	lookup  *scan // nil while there is none
	looked  input // its rows
	lookupX *frame
	lookups int64
	stats   kv.ScanStats // of lookups that are closed
}

// has reports whether the group is that of the left row.
func (g *rowGroup) has(left []value.Value) bool {
	if !g.keyed {
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

// begin makes it the group of a left row.
func (g *rowGroup) begin(left []value.Value, from origin) error {
	g.from, g.over, g.given = from, g.single, false
	if err := g.closeIndex(); err != nil {
		return err
	}
	if !g.single {
		g.keyed = true
		g.rows, g.bytes = g.rows[:0], 0
		g.kept.Reset()
		g.remember(left)
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

// again gives the rows to another left row with the same key.
func (g *rowGroup) again() error {
	g.at = 0
	if g.found != nil {
		g.from = fromIndex
		clear(g.join.env().Row[g.join.RightFirst:g.join.RightEnd]) // the index sets what is kept alone
		return g.found.again()
	}
	if !g.over {
		g.from = fromKept
		return nil
	}
	g.from = fromLookup
	return g.lookUp()
}

// next is the next row of the group, valid until the call after it; nil behind
// the last.
func (g *rowGroup) next() ([]value.Value, error) {
	switch g.from {
	case fromRight:
		return g.nextOfRight()
	case fromLookup:
		return g.nextOfLookup()
	case fromKept:
		if g.at < len(g.rows) {
			g.at++
			return g.rows[g.at-1], nil
		}
	}
	return nil, nil
}

// nextOfRight steps the right side while it has the key of the left row.
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
	row := j.right.env().Row[j.RightFirst:j.RightEnd]
	err := g.keep(row)
	if err == nil && g.over && j.inPart && !g.single {
		err = errTooManyRows
	}
	return row, err
}

func (g *rowGroup) nextOfLookup() ([]value.Value, error) {
	ok, err := g.looked.row(1)
	if err != nil {
		return nil, err
	}
	if !ok {
		g.from = fromNowhere
		return nil, g.closeLookup()
	}
	row := g.lookupX.env.Row[g.join.RightFirst:g.join.RightEnd]
	return row, g.keep(row)
}

// leave leaves the rows, of which those that are kept for further left rows are read to their
// end. Of others a left row reads what it needs.
func (g *rowGroup) leave() error {
	for g.from != fromKept && g.from != fromIndex && !g.over {
		if row, err := g.next(); row == nil || err != nil {
			return err
		}
		if err := g.join.x.tick(); err != nil {
			return err
		}
	}
	return g.closeLookup()
}

// keep keeps a copy of the row, unless the group is too large for that.
func (g *rowGroup) keep(row []value.Value) error {
	if g.over {
		return nil
	}
	if g.found == nil && g.indexes(len(g.rows)+1) {
		if err := g.index(); err != nil {
			return err
		}
	}
	if g.found != nil {
		return g.found.add(row)
	}
	g.bytes += spill.Size(row)
	if g.bytes > maxGroupBytes {
		g.over, g.rows, g.kept = true, nil, spill.Arena{}
		return nil
	}
	g.rows = append(g.rows, g.kept.Clone(row))
	return nil
}

// lookUp opens a scan of the keys of the present left row, with a frame of its
// own beside that of the right side.
func (g *rowGroup) lookUp() error {
	j := g.join
	if g.lookupX == nil {
		g.lookupX = j.x.stmt.newFrame(len(j.x.env.Row))
	}
	copy(g.lookupX.env.Row, j.env().Row)
	g.lookups++
	var err error
	g.lookup, _, err = j.Merge.Group.start(g.lookupX, request{})
	g.looked = input{source: g.lookup}
	return err
}

func (g *rowGroup) closeLookup() error {
	if g.lookup == nil {
		return nil
	}
	g.stats = addStats(g.stats, g.lookup.stats())
	err := g.lookup.close()
	g.lookup = nil
	return err
}
