package exec

import (
	"cmp"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// Open makes Access a node.
func (a *Access) Open(x *op.Frame, want op.Request) (op.Source, op.Grant, error) {
	s, g, err := a.prepare(x, want)
	if err != nil {
		return nil, g, err
	}
	salted := !g.Ordered && g.Leading == 0 && a.mergesBuckets(want) > 0
	out := op.Source(s)
	if s.con.Remaining != nil {
		if !salted {
			if out, err = x.Stmt.Asker.(merger).MergeMembers(s, want); err != nil {
				return nil, g, err
			}
		}
		if err := s.findMembers(); err != nil {
			return nil, g, cmp.Or(err, out.Close())
		}
	}
	if err := checkGuard(&x.Context.Guard, s); err != nil {
		return nil, g, cmp.Or(err, out.Close())
	}
	if salted {
		if m := s.mergeBuckets(want); m != nil {
			g.Leading = len(m.by)
			g.Ordered = g.Leading == len(want.Order)
			s.leading = !g.Ordered
			return m, g, nil
		}
	}
	return out, g, nil
}

// merger is an op.Asker.
type merger interface {
	// MergeMembers merges a scan with what its conditions ask for. It is the scan where there is nothing
	// to be merged.
	MergeMembers(s *scan, want op.Request) (op.Source, error)
}

// scan is a running Access.
type scan struct {
	x      *op.Frame
	access *Access
	view   versions.View
	con    *constrain.Constraint
	arena  constrain.Arena // of con
	// symbolic says that names stand for values in the condition: the plan is
	// only explained. certain is then what is known without them.
	symbolic bool
	certain  *constrain.Constraint
	// measured, where it is not nil, are the leaves that scans like this one
	// have read.
	measured []int
	kv       kv.Scan
	cursor   kv.Cursor
	opened   bool
	done     kv.ScanStats // of the cursor, once it is closed
	counted  bool         // done is in the statement's Work
	// keys and values are the conditions left over: those that do not read V,
	// and those that do.
	keys, values []expr.Node
	// tables and families are those that are read.
	tables   []*kv.Table
	families [][]byte
	lock     rowLocker
	given    int64
	looked   int // cells
	// watch, where it is not nil, is told how many cells have been looked at.
	watch func(cells int64) error
	// batch, where it is not nil, has the rows come in batches, of these cells.
	batch *scanBatches
	cells *kv.Batch
	above kernel.Reader // nil where that is not known
	// stepwise is whether nothing is read ahead, as there are no batches, or rows are
	// skipped; ahead whether the cells up to the cursor's have been read as a batch.
	stepwise, ahead bool
	// leading says that the rows are in order by the first of the keys asked for alone.
	leading bool
	// mergedBuckets is how many scans are merged in place of this one.
	mergedBuckets int
}

// memory is what a statement may run in.
type memory interface {
	// NewScan is a zero scan.
	NewScan() *scan
}

// start prepares to read nothing but what the condition leaves, without a join.
func (a *Access) start(x *op.Frame, want op.Request) (*scan, op.Grant, error) {
	s, g, err := a.prepare(x, want)
	if err == nil && s.con.Remaining != nil {
		err = s.findMembers()
	}
	if err == nil {
		err = checkGuard(&x.Context.Guard, s)
	}
	return s, g, err
}

// prepare binds the placeholders and works out what to scan. Nothing is read of the
// relation yet.
func (a *Access) prepare(x *op.Frame, want op.Request) (*scan, op.Grant, error) {
	var s *scan
	if m, ok := x.Memory.(memory); ok {
		s = m.NewScan()
	} else {
		s = &scan{}
	}
	s.x, s.access = x, a
	var err error
	if s.view, err = a.View.Resolve(x.Context.View, &x.Env); err != nil {
		return nil, op.Grant{}, err
	}
	where, err := a.boundWhere(x)
	if err != nil {
		return nil, op.Grant{}, err
	}
	if s.con, err = s.arena.Build(where, a.Columns, &x.Env, s.constrainView()); err != nil {
		return nil, op.Grant{}, err
	}
	if x.Stmt.Explain {
		if err := s.explainGiven(where); err != nil {
			return nil, op.Grant{}, err
		}
	}
	s.splitRemaining()
	s.chooseFamilies()
	g := s.plan(want)
	if want.Sequenced {
		s.kv.ByPartition = true
		g.Rows = s.sequence()
	}
	return s, g, nil
}

// chooseFamilies leaves out the families that the condition excludes.
func (s *scan) chooseFamilies() {
	s.tables, s.families = s.access.Tables, s.access.Families
	if s.con.Families == nil {
		return
	}
	s.tables, s.families = nil, nil
	for _, i := range s.con.Families {
		s.tables = append(s.tables, s.access.Tables[i])
		s.families = append(s.families, s.access.Families[i])
	}
}

// constrainView tells constrain which bounds of T it may use.
func (s *scan) constrainView() constrain.View {
	return constrain.View{AllVersions: s.view.Versions == 0, Time: s.view.Time}
}

// splitRemaining puts the conditions that do not read V first.
func (s *scan) splitRemaining() {
	if s.con.Remaining == nil {
		return
	}
	v := s.access.Columns.V
	for _, n := range expr.Conjuncts(s.con.Remaining) {
		if expr.Reads(n, func(index int) bool { return index == v }) {
			s.values = append(s.values, n)
		} else {
			s.keys = append(s.keys, n)
		}
	}
}

// empty reports whether it is clear that there are no rows.
func (s *scan) empty() bool {
	return s.con.Contradiction || s.view.Nothing || len(s.tables) == 0 ||
		s.kv.Time.Bounded && s.kv.Time.Min > s.kv.Time.Max ||
		s.kv.Slices != nil && len(s.kv.Slices) == 0
}

func (s *scan) Env() *expr.Env { return &s.x.Env }

// Next is a row that is in the frame, or once some cells have been looked at a batch.
func (s *scan) Next(want int) (*kernel.Batch, error) {
	if !s.opened {
		if err := s.openCursor(); err != nil {
			return nil, err
		}
	}
	if s.cursor == nil {
		return nil, nil
	}
	for {
		if b, err := s.nextAhead(want); b != nil || err != nil {
			return b, err
		}
		if !s.cursor.Next() {
			return nil, s.cursor.Err()
		}
		s.looked++
		s.ahead = false
		if s.watch != nil {
			if err := s.watch(1); err != nil {
				return nil, err
			}
		}
		if ok, err := s.accept(s.cursor.Cell(), false); ok || err != nil {
			s.given++
			return op.Single(ok, err)
		}
	}
}

// openCursor begins to read.
func (s *scan) openCursor() error {
	s.opened = true
	if s.empty() {
		return nil
	}
	s.kv.At, s.kv.Budget = s.x.Context.At, s.x.Context.Guard.Budget
	if s.x.Context.Progress != nil && s.kv.Progress == nil {
		s.kv.Progress = s
	}
	var err error
	s.cursor, err = s.x.Context.Txn.Scan(s.x.Context.Ctx, s.tables, &s.kv)
	return err
}

// accept puts the cell into the frame and reports whether it is a row of the
// result. V, which only cells of batches have, is else fetched only once the
// conditions that do not read it hold.
func (s *scan) accept(c *kv.Cell, hasValue bool) (bool, error) {
	s.setKey(c)
	for _, n := range s.keys {
		if ok, err := expr.Holds(n, &s.x.Env); !ok {
			return false, err
		}
	}
	if s.kv.NeedValue {
		if !hasValue {
			if err := s.fetchValue(); err != nil {
				return false, err
			}
		} else {
			s.setValue(c.Value)
		}
	}
	for _, n := range s.values {
		if ok, err := expr.Holds(n, &s.x.Env); !ok {
			return false, err
		}
	}
	if a := s.access; a.Twin != nil {
		copy(s.x.Env.Row[a.Twin.First:], s.x.Env.Row[a.First:a.First+a.Width])
	}
	if s.x.Lock != nil {
		return s.lock.acquire(s.x, s.tables[c.Family], c.Row)
	}
	return true, nil
}

func (s *scan) setKey(c *kv.Cell) {
	row, at := s.x.Env.Row, &s.access.Columns
	row[at.K] = value.NewBytes(c.Row)
	row[at.Q] = value.NewBytes(c.Qualifier)
	row[at.T] = value.NewInt(c.Timestamp)
	if at.F >= 0 {
		row[at.F] = value.NewBytes(s.families[c.Family])
	}
	for _, p := range at.Prefixes {
		row[p.Index] = value.NewBytes(c.Row[:min(len(c.Row), p.Length)])
	}
	if at.G >= 0 {
		row[at.G] = value.NewInt(max(c.Timestamp, -c.Timestamp))
	}
}

func (s *scan) fetchValue() error {
	v, err := s.cursor.Value()
	s.setValue(v)
	return err
}

func (s *scan) setValue(v []byte) {
	if v == nil {
		s.x.Env.Row[s.access.Columns.V] = value.Value{}
	} else {
		s.x.Env.Row[s.access.Columns.V] = value.NewBytes(v)
	}
}

// stats is what the cursor did so far.
func (s *scan) stats() kv.ScanStats {
	if s.cursor == nil {
		return s.done
	}
	return s.cursor.Stats()
}

func addStats(a, b kv.ScanStats) kv.ScanStats {
	return kv.ScanStats{Cells: a.Cells + b.Cells, Seeks: a.Seeks + b.Seeks, Requests: a.Requests + b.Requests,
		Bytes: a.Bytes + b.Bytes, Partitions: a.Partitions + b.Partitions}
}

func (s *scan) Close() error {
	c := s.cursor
	if c == nil {
		return nil
	}
	s.done = c.Stats()
	if !s.counted {
		s.counted = true
		s.x.Context.Work.Add(s.done, max(len(s.kv.Ranges), 1))
	}
	r, ok := c.(kv.Releaser)
	if !ok {
		return c.Close()
	}
	s.cursor, s.opened = nil, true
	return r.Release()
}

// Read passes on what the store tells of the scan, and of the parts that it was
// divided into.
func (s *scan) Read(cells int64, partitions float64) {
	s.x.Context.Progress.Read(s.x.Context.Ctx, s, s.tables, &s.kv, cells, partitions)
}

// looksUp reports whether the scan is of rows that its condition names.
func (s *scan) looksUp() bool {
	access := s.con.Access()
	return access == constrain.AccessConst || access == constrain.AccessRef
}

// hull is the rows from the scan's first one to its last one.
func (s *scan) hull() partition.RowRange {
	spans := s.con.RowRanges()
	if len(spans) == 0 {
		return partition.RowRange{}
	}
	return partition.RowRange{Start: spans[0].Start, End: spans[len(spans)-1].End}
}
