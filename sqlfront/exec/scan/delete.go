package scan

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
)

// DeleteAll deletes all cells that the scan would return, if only its ranges select them and the
// store can delete these as a whole. If done is false, nothing has been deleted. Errors are those
// of the store, and cancellation.
func (s *Scan) DeleteAll() (cells int64, done bool, err error) {
	d, ok := s.X.Context.Txn.(kv.RangeDeleter)
	if !ok || s.opened || len(s.Tables) != 1 || !s.givesAll() || s.Empty() || namesRows(s.Con.Ranges, false) {
		return 0, false, nil
	}
	read := s.StoreScan
	if s.X.Context.Progress != nil {
		read.Progress = s
	}
	out, err := d.DeleteRanges(s.X.Context.Ctx, s.Tables[0], &read)
	s.X.Context.Work.Add(out.Read, max(len(read.Ranges), 1))
	return out.Cells, out.Done, err
}

// givesAll reports whether each cell that the store's scan reads is a row, without other limits
// than their number.
func (s *Scan) givesAll() bool {
	return s.X.Lock == nil && s.Con.Remaining == nil && s.Con.Times == nil && len(s.Keys)+len(s.Values) == 0 && !s.StoreScan.FirstPerRow &&
		s.X.Context.At == nil && s.X.Context.Guard.Budget == nil
}

// DeleteCells deletes the cells that the scan returns, with all their versions, in batches. It must be called
// before the first row; if done is false, nothing has been deleted. Errors are those of the conditions and of
// the store, and cancellation; after one, some cells are deleted.
func (s *Scan) DeleteCells() (cells int64, done bool, err error) {
	d, ok := s.X.Context.Txn.(kv.ColumnsDeleter)
	if !ok || s.opened || len(s.Tables) != 1 || s.X.Lock != nil || !s.seesColumns() {
		return 0, false, nil
	}
	s.notesGaps = true
	for {
		b, err := s.Next(op.AllRows)
		if b == nil || err != nil {
			return cells, true, err
		}
		if b == op.OneRow {
			row, at := s.X.Env.Row, &s.Access.Columns
			err = s.X.Context.Txn.DeleteColumn(s.X.Context.Ctx, s.Tables[0], row[at.K].Raw(), row[at.Q].Raw())
		} else {
			err = s.deleteBatch(d, b.Rows)
		}
		if err != nil {
			return cells, true, err
		}
		cells += int64(len(b.Rows))
	}
}

// deleteBatch deletes cells of the batch.
func (s *Scan) deleteBatch(d kv.ColumnsDeleter, at []int32) error {
	x := s.X.Context
	if done, err := d.DeleteColumns(x.Ctx, s.Tables[0], s.Cells, at); done || err != nil {
		return err
	}
	for _, i := range at {
		if err := x.Txn.DeleteColumn(x.Ctx, s.Tables[0], s.Cells.Rows()[i], s.Cells.Qualifiers()[i]); err != nil {
			return err
		}
	}
	return nil
}

// seesColumns reports whether the store's scan reads the newest version of each column, and would see all
// others.
func (s *Scan) seesColumns() bool {
	read := &s.StoreScan
	if read.MaxVersions != 1 || read.Time.Bounded || read.FirstPerRow || read.Wanted != nil || read.Reverse {
		return false
	}
	return !slices.ContainsFunc(read.Ranges, func(r kv.Range) bool {
		return r.Start.Depth == kv.DepthCell || r.End.Depth == kv.DepthCell
	})
}
