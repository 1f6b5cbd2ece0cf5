package scan

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// Scan is a running Access.
type Scan struct {
	X      *op.Frame
	Access *Access
	view   versions.View
	Con    *constrain.Constraint
	arena  constrain.Arena // for Con
	// symbolic says that names replace values in the condition, for EXPLAIN. certain is then what is
	// known without them.
	symbolic bool
	certain  *constrain.Constraint
	// Measured, if not nil, are the partitions that scans like this one have read.
	Measured  []int
	StoreScan kv.Scan
	cursor    kv.Cursor
	opened    bool
	done      kv.ScanStats // of the closed cursor
	counted   bool         // done has been added to the statement's Work
	// Keys and Values are the remaining conditions: those that do not read V, and those that do.
	Keys, Values []expr.Node
	// Tables and families are those that are read.
	Tables   []*kv.Table
	families [][]byte
	lock     rowLocker
	given    int64
	looked   int // number of cells read
	// Watch, if not nil, is called with the number of cells read.
	Watch func(cells int64) error
	// batch, if not nil, returns the rows in batches, from Cells.
	batch *scanBatches
	Cells *kv.Batch
	above kernel.Reader // nil if unknown
	// notesGaps asks for the gaps between the cells of batches.
	notesGaps bool
	// stepwise says that nothing is read ahead, because batches are not possible, or rows are
	// skipped; ahead says that the cells up to the cursor's have been read as a batch.
	stepwise, ahead bool
	// leading says that the rows are only in the order of the first keys requested.
	leading bool
	// mergedBuckets is the number of scans that are merged instead of this one.
	mergedBuckets int
}

// Empty reports whether it is certain that there are no rows.
func (s *Scan) Empty() bool {
	return s.Con.Contradiction || s.view.Nothing || len(s.Tables) == 0 ||
		s.StoreScan.Time.Bounded && s.StoreScan.Time.Min > s.StoreScan.Time.Max ||
		s.StoreScan.Slices != nil && len(s.StoreScan.Slices) == 0
}

func (s *Scan) Env() *expr.Env { return &s.X.Env }

// Next returns a row in the frame or, after some cells, a batch.
func (s *Scan) Next(want int) (*kernel.Batch, error) {
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
		if s.Watch != nil {
			if err := s.Watch(1); err != nil {
				return nil, err
			}
		}
		if ok, err := s.accept(s.cursor.Cell(), false); ok || err != nil {
			s.given++
			return op.Single(ok, err)
		}
	}
}

// openCursor starts reading.
func (s *Scan) openCursor() error {
	s.opened = true
	if s.Empty() {
		return nil
	}
	s.StoreScan.At, s.StoreScan.Budget = s.X.Context.At, s.X.Context.Guard.Budget
	if s.X.Context.Progress != nil && s.StoreScan.Progress == nil {
		s.StoreScan.Progress = s
	}
	if run := s.X.Stmt; run.Shared {
		run.Alone.Lock()
		defer run.Alone.Unlock()
	}
	var err error
	s.cursor, err = s.X.Context.Txn.Scan(s.X.Context.Ctx, s.Tables, &s.StoreScan)
	return err
}

// accept copies the cell into the frame and reports whether it is a row of the result. V, unless the
// cell is from a batch, is read only if the conditions that do not read it are true.
func (s *Scan) accept(c *kv.Cell, hasValue bool) (bool, error) {
	s.setKey(c)
	for _, n := range s.Keys {
		if ok, err := expr.Holds(n, &s.X.Env); !ok {
			return false, err
		}
	}
	if s.StoreScan.NeedValue {
		if !hasValue {
			if err := s.fetchValue(); err != nil {
				return false, err
			}
		} else {
			s.setValue(c.Value)
		}
	}
	for _, n := range s.Values {
		if ok, err := expr.Holds(n, &s.X.Env); !ok {
			return false, err
		}
	}
	if a := s.Access; a.Twin != nil {
		copy(s.X.Env.Row[a.Twin.First:], s.X.Env.Row[a.First:a.First+a.Width])
	}
	if s.X.Lock != nil {
		return s.lock.acquire(s.X, s.Tables[c.Family], c.Row)
	}
	return true, nil
}

func (s *Scan) setKey(c *kv.Cell) {
	row, at := s.X.Env.Row, &s.Access.Columns
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

func (s *Scan) fetchValue() error {
	v, err := s.cursor.Value()
	s.setValue(v)
	return err
}

func (s *Scan) setValue(v []byte) {
	if v == nil {
		s.X.Env.Row[s.Access.Columns.V] = value.Value{}
	} else {
		s.X.Env.Row[s.Access.Columns.V] = value.NewBytes(v)
	}
}

// Stats returns what the cursor did so far.
func (s *Scan) Stats() kv.ScanStats {
	if s.cursor == nil {
		return s.done
	}
	return s.cursor.Stats()
}

func AddStats(a, b kv.ScanStats) kv.ScanStats {
	return kv.ScanStats{Cells: a.Cells + b.Cells, Seeks: a.Seeks + b.Seeks, Requests: a.Requests + b.Requests,
		Bytes: a.Bytes + b.Bytes, Partitions: a.Partitions + b.Partitions}
}

func (s *Scan) Close() error {
	c := s.cursor
	if c == nil {
		return nil
	}
	s.done = c.Stats()
	if !s.counted {
		s.counted = true
		s.X.Context.Work.Add(s.done, max(len(s.StoreScan.Ranges), 1))
	}
	r, ok := c.(kv.Releaser)
	if !ok {
		return c.Close()
	}
	s.cursor, s.opened = nil, true
	return r.Release()
}

// Read passes on the store's progress of the scan, and of the parts into which it was divided.
func (s *Scan) Read(cells int64, partitions float64) {
	s.X.Context.Progress.Read(s.X.Context.Ctx, s, s.Tables, &s.StoreScan, cells, partitions)
}

// KeyColumn returns the frame's column of K.
func (s *Scan) KeyColumn() int { return s.Access.Columns.K }

// ColumnsOf returns the frame's columns of the relation.
func (s *Scan) ColumnsOf() (first, end int) { return s.Access.First, s.Access.First + s.Access.Width }

// CellCursor starts to read, and returns the cursor if each of its cells is a row without further
// processing, otherwise nil. It must be called before the first row. The error is the store's.
func (s *Scan) CellCursor() (kv.Cursor, error) {
	if s.X.Lock != nil || len(s.Keys) > 0 || len(s.Values) > 0 || s.opened {
		return nil, nil
	}
	err := s.openCursor()
	return s.cursor, err
}
