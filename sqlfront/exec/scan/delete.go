package scan

import "github.com/hbasekv/hbasekv/kv"

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
