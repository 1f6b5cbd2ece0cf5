package scan

import (
	"bytes"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// rowLocker locks the rows of a scan, each once for all its cells.
type rowLocker struct {
	row     []byte // the last one
	any     bool
	skipped bool // it must be skipped
}

// acquire locks a row in its group, and returns false if it is skipped. The error is 3572 with
// NOWAIT.
func (l *rowLocker) acquire(x *op.Frame, t *kv.Table, row []byte) (bool, error) {
	if l.any && bytes.Equal(l.row, row) {
		return !l.skipped, nil
	}
	err := x.Context.Txn.LockRow(x.Context.Ctx, t, row, x.Lock.How)
	if l.skipped = x.Lock.Skip && errors.Is(err, kv.ErrRowLocked); l.skipped {
		err = nil
	}
	if errors.Is(err, kv.ErrRowLocked) {
		err = mysqlerr.New(mysqlerr.LockNoWait,
			"Statement aborted because lock(s) could not be acquired immediately and NOWAIT is set.")
	}
	l.row, l.any = append(l.row[:0], row...), err == nil
	return !l.skipped, err
}

// maxLockedAhead is the number of rows up to which they are locked before they are read. If there
// are more, those found and changed are locked one by one.
const maxLockedAhead = 256

// typedRows is the operator that makes typed rows of a scan's cells.
type typedRows interface {
	NamedRows() []kv.Range
	Under() op.Operator
}

// LockAhead locks the rows that a scan names, whether they exist or not, if it will certainly read
// them: all of them, or with LIMIT the only one. Writers of one row then wait in its queue;
// otherwise each would read, find that another was faster, and read again. Errors are those of the
// store, such as deadlocks, and cancellation.
func LockAhead(src op.Operator, limited bool) error {
	if rows, ok := op.Untimed(src).(typedRows); ok {
		src = rows.Under()
	}
	s, ok := Of(src)
	if !ok || s.Empty() || len(s.Tables) != 1 || !namesRows(s.Con.Ranges, limited) {
		return nil
	}
	var last []byte
	for i := range s.Con.Ranges {
		row := s.Con.Ranges[i].Start.Row
		if i > 0 && bytes.Equal(row, last) {
			continue
		}
		if err := s.X.Context.Txn.LockRow(s.X.Context.Ctx, s.Tables[0], row, kv.RowLock{}); err != nil {
			return err
		}
		last = row
	}
	return nil
}

// OnlyRows returns the ranges that the scan reads if each is all cells of one row, there are few, and nothing else
// is a condition; nil otherwise.
func (s *Scan) OnlyRows() []kv.Range {
	if s.opened || s.Empty() || len(s.Tables) != 1 || s.X.Lock != nil || s.Access.Selection != nil || !namesRows(s.Con.Ranges, false) {
		return nil
	}
	if s.Con.Remaining != nil || s.Con.Times != nil || s.Con.Time.Bounded || len(s.Keys)+len(s.Values) > 0 {
		return nil
	}
	for i := range s.Con.Ranges {
		if r := &s.Con.Ranges[i]; r.Start.Depth != kv.DepthRow || r.Start.After || r.End.Depth != kv.DepthRow || !r.End.After {
			return nil
		}
	}
	return s.Con.Ranges
}

// namesRows reports whether each range is within one row, and there are few: with LIMIT, all within
// the same row.
func namesRows(ranges []kv.Range, limited bool) bool {
	if len(ranges) == 0 || len(ranges) > maxLockedAhead {
		return false
	}
	for i := range ranges {
		if ranges[i].Within() == kv.DepthNone || limited && !bytes.Equal(ranges[i].Start.Row, ranges[0].Start.Row) {
			return false
		}
	}
	return true
}
