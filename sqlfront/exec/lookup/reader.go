package lookup

import (
	"fmt"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Reader reads a typed table by the entries of one of its indexes, if these are in a desired order or have
// all columns that are read, and otherwise by Rows. It is immutable.
type Reader struct {
	// Rows reads the rows without an index.
	Rows op.Node
	// Table has the rows of Face; Alias is its name in the statement. Its columns are those of the frame from
	// First on.
	Table *kv.Table
	Face  *typed.Table
	Alias string
	First int
	// OnKey are the conditions on the columns of the primary key, over a row of one column, the row key K;
	// nil if there are none.
	OnKey expr.Node
	Paths []Path
}

// Path is an index of a Reader. All is used if all conditions are evaluated for the rows, Rest if those on
// the index's columns are true for all entries read.
type Path struct {
	Way
	All, Rest Readings
}

// Readings are what is read of rows.
type Readings struct {
	// Filter are the conditions to evaluate, over the frame.
	Filter []expr.Node
	// Columns are the stored columns that are read, also by conditions, by their positions in the table;
	// Virtual are the others, over the frame, in the order in which they are computed.
	Columns []int
	Virtual []Computed
	// Covers says that entries of the index have all of these columns.
	Covers bool
}

// Computed is a column computed from others, by its position in the table.
type Computed struct {
	Column int
	X      expr.Node
}

// chosen is the index that a Reader has chosen for a run.
type chosen struct {
	span
	*Readings
	ordered, together, reverse bool
	// alike is how many columns of the index define groups of which one row is enough; 0 if all rows are
	// needed.
	alike int
	rows  int64 // estimated number of rows, -1 if not estimated
}

// Open implements op.Node.
func (r *Reader) Open(x *op.Frame, want op.Desired) (op.Operator, op.Provided, error) {
	c, err := r.choose(x, want)
	if c == nil || err != nil {
		if err != nil {
			return nil, op.Provided{}, err
		}
		return r.Rows.Open(x, want)
	}
	s := &reading{Reader: r, x: x, by: c, entries: entries{x: x, of: c.Way, scan: *c.scan()}, limit: want.Limit}
	s.entries.scan.Ordered, s.entries.scan.Reverse = true, c.reverse
	if want.Limit > 0 && len(c.Filter) == 0 {
		s.entries.scan.Limit = int(min(want.Limit, 1<<30))
	}
	s.key = make([]value.Value, len(r.Face.Key))
	s.held = r.heldOf(c)
	s.entries.kept = slices.ContainsFunc(s.held, func(h heldColumn) bool { return !h.ofKey && c.Way.Key.Keeps(h.part) })
	s.entries.scan.NeedValue = s.entries.kept
	if !c.Covers {
		s.fetch = newFetch(s)
	}
	return s, op.Provided{Ordered: c.ordered, Together: c.together}, nil
}

// reading reads the entries of an index in their order, and the rows, too, if entries do not have all
// columns.
type reading struct {
	*Reader
	by      *chosen
	x       *op.Frame
	entries entries
	opened  bool
	limit   int64
	fetch   *fetch        // nil if entries have all columns
	key     []value.Value // of the row, by the parts of the primary key
	held    []heldColumn
	batches batches
	given   int64
}

// heldColumn is a column in the entries: a part of the index, or of the primary key.
type heldColumn struct {
	column int
	part   int
	ofKey  bool
}

// heldOf returns the columns that are read from the entries. If these do not cover, only the columns of the
// primary key are, and the others are read from the row.
func (r *Reader) heldOf(c *chosen) (out []heldColumn) {
	for _, column := range c.Columns {
		if part := r.Face.KeyPart(column); part >= 0 && !r.Face.HasCell(column) {
			out = append(out, heldColumn{column, part, true})
		} else if c.Covers {
			out = append(out, heldColumn{column, c.Way.Key.PartAt(column), false})
		}
	}
	return out
}

// Env implements op.Operator.
func (s *reading) Env() *expr.Env { return &s.x.Env }

// Next implements op.Operator.
func (s *reading) Next(want int) (*kernel.Batch, error) {
	if !s.opened {
		s.opened = true
		if err := s.entries.open(); err != nil {
			return nil, err
		}
	}
	if s.mayBatch(want) {
		if b, err := s.nextBatch(); b != nil || err != nil {
			return b, err
		}
	}
	for {
		ok, err := s.step()
		if !ok || err != nil {
			return nil, err
		}
		if err := s.compute(); err != nil {
			return nil, err
		}
		if ok, err = s.holds(); ok || err != nil {
			s.given++
			return op.Single(ok, err)
		}
	}
}

// step copies the next row into the frame.
func (s *reading) step() (bool, error) {
	if s.fetch != nil {
		return s.fetch.next()
	}
	ok, err := s.nextEntry()
	if !ok || err != nil {
		return false, err
	}
	s.place()
	return true, nil
}

// place copies the columns read from the entry, and from the row's key, into the frame.
func (s *reading) place() {
	for _, h := range s.held {
		s.x.Env.Row[s.First+h.column] = s.valueOf(h)
	}
}

// readKey reads the key of an entry's row.
func (s *reading) readKey(row []byte) error {
	if s.Face.ReadRow(row, s.key) {
		return nil
	}
	return fmt.Errorf("%w: an entry of the index %s refers to the row %x, which is not a valid row key of the table %s", kv.ErrFormat, s.by.Key.Name(), row,
		s.Alias)
}

// valueOf returns a column of the entry that was read.
func (s *reading) valueOf(h heldColumn) value.Value {
	of := s.entries.tuple
	if h.ofKey {
		of = s.key
	}
	return s.Face.Shown(&s.x.Env, h.column, of[h.part])
}

// compute copies virtual columns into the frame.
func (s *reading) compute() (err error) {
	env := &s.x.Env
	for _, v := range s.by.Virtual {
		if env.Row[s.First+v.Column], err = v.X.Eval(env); err != nil {
			return err
		}
	}
	return nil
}

func (s *reading) holds() (bool, error) {
	for _, n := range s.by.Filter {
		if ok, err := expr.Holds(n, &s.x.Env); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// Close implements op.Operator.
func (s *reading) Close() error { return s.entries.close() }

// Step implements op.Operator.
func (s *reading) Step() *explain.Step {
	t := &explain.Table{Table: s.Alias, Type: "index", Key: true, Index: s.by.Key.Name(), Layout: s.by.Key.Layout(s.Table), Access: "INDEX SCAN", Rows: s.estimate(),
		Filtered: len(s.by.Filter) > 0, KeyOnly: s.by.Covers, Kept: 100}
	if s.by.Ranges != nil {
		t.Type, t.Access = "range", "RANGE SCAN"
		if s.by.leads() {
			t.Type, t.Ref = "ref", "const"
		}
	}
	out := explain.NewStep(fmt.Sprintf("%s of %s by its index %s", titles[t.Access], s.Alias, t.Index))
	out.Table = t
	out.Add("index", t.Index)
	out.Add("index layout", t.Layout)
	if s.by.Ranges != nil {
		out.Add("spans", scan.PrintSpans(s.by.Ranges))
	}
	order := "forward"
	if s.by.reverse {
		order = "reverse"
	}
	out.Add("order", order)
	if len(s.by.Filter) > 0 {
		out.Add("filter", expr.Print(expr.Conjoin(s.by.Filter)))
	}
	read := "entries alone"
	switch {
	case s.fetch != nil:
		read = "entries, and the row of each"
	case s.by.alike > 0:
		read = "the first entry of those that are alike"
	}
	out.Add("read", read)
	out.Rows, out.Stats = s.given, s.stats()
	return out
}

var titles = map[string]string{"INDEX SCAN": "Scan", "RANGE SCAN": "Range scan"}

// stats returns what has been read.
func (s *reading) stats() kv.ScanStats {
	out := s.entries.stats
	if s.entries.cursor != nil {
		out = s.entries.cursor.Stats()
	}
	if s.fetch != nil {
		out.Cells, out.Seeks = out.Cells+s.fetch.stats.Cells, out.Seeks+s.fetch.stats.Seeks
	}
	return out
}

// estimate returns the estimated number of entries, or -1 if unknown.
func (s *reading) estimate() int64 {
	store := s.x.Context.Estimator
	if s.by.rows >= 0 || store == nil {
		return s.by.rows
	}
	n, err := entriesIn(s.x, &s.by.span)
	if err != nil {
		return -1
	}
	return n
}
