package scan

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// PartRun is what all parts have: a scan with frames of its own,
// and what came of it.
type PartRun struct {
	Scan     *Scan           // the one that is divided
	Others   []*Scan         // of the same part of their tables
	Late     []*[]op.Warning // of right sides, which are told behind all else
	Cells    kv.Scan
	Source   op.Operator // the scan, or what ends in it; nil of one that another operator reads
	frames   []*op.Frame
	env      expr.Env // what frames have of their own, once for all of the part
	Warnings []op.Warning
	Told     bool // they are the statement's
	Err      error
}

// Run is the part itself, for those who embed it.
func (r *PartRun) Run() *PartRun { return r }

// NewPartRun makes a pipeline like another one, of other cells of its base, with frames and
// a session's answers of its own.
func NewPartRun(like op.Operator, cells *kv.Scan) (*PartRun, *op.Frame) {
	outer := BaseOf(like).X
	out := &PartRun{Cells: *cells}
	out.env.Held, out.env.Lists = outer.Stmt.Held.Beside(), &expr.Lists{}
	if session := outer.Env.Session; session != nil {
		own := *session
		if own.AddWarning != nil {
			own.AddWarning = func(code uint16, message string) {
				if out.Told { // by the result of what was put together
					session.AddWarning(code, message)
					return
				}
				out.Warnings = op.AddWarning(out.Warnings, code, message, session.MaxErrorCount)
			}
		}
		out.env.Session = &own
	}
	var x *op.Frame
	out.Source, x = out.Pipeline(like, nil)
	return out, x
}

// Anew is a pipeline like another one that has not read anything yet.
func Anew(like op.Operator) op.Operator {
	base := BaseOf(like)
	r := &PartRun{Cells: base.StoreScan}
	r.env.Held, r.env.Lists, r.env.Session = base.X.Env.Held, base.X.Env.Lists, base.X.Env.Session
	out, _ := r.Pipeline(like, nil)
	return out
}

// ScanLike is a scan like another one, of the part's cells, that fills a frame, or one
// of its own where there is none. The first one is the base's.
func (r *PartRun) ScanLike(like *Scan, x *op.Frame) *Scan {
	if x == nil {
		x = r.Frame(like.X)
	}
	s := &Scan{
		X: x, Access: like.Access, view: like.view, Con: like.Con, StoreScan: like.StoreScan,
		Keys: like.Keys, Values: like.Values,
		Tables: like.Tables, families: like.families,
	}
	if r.Scan == nil {
		r.Scan, s.StoreScan = s, r.Cells
	} else {
		s.restrictTo(&r.Cells)
		r.Others = append(r.Others, s)
	}
	if x.Context.Progress != nil {
		s.StoreScan.Progress = like
	}
	return s
}

// Divide begins to read, and makes as many parts of what is not read yet, or fewer; none where that
// is not to be divided. Errors are those of the store, and cancellation.
func (s *Scan) Divide(parts int) ([]kv.Scan, error) {
	if !s.opened {
		if err := s.openCursor(); err != nil {
			return nil, err
		}
	}
	d, ok := s.cursor.(kv.Divider)
	if !ok || parts < 2 {
		return nil, nil
	}
	return d.Divide(parts)
}

// restrictTo restricts a scan to a part of another one's table, partitioned as its own is.
func (s *Scan) restrictTo(part *kv.Scan) {
	rows, ok := s.StoreScan.Rows.Intersect(part.Rows)
	s.StoreScan.Rows = rows
	s.StoreScan.Ordered, s.StoreScan.ByPartition, s.StoreScan.Parallel = part.Ordered, true, 0
	if part.Partitions != nil {
		s.StoreScan.Partitions = common(s.StoreScan.Partitions, part.Partitions)
		ok = ok && len(s.StoreScan.Partitions) > 0
	}
	if !ok {
		s.Tables = nil
	}
}

// common are the numbers that are in both lists; the first one is nil for all.
func common(all, of []int) []int {
	if all == nil {
		return of
	}
	out := []int{}
	for i, j := 0, 0; i < len(all) && j < len(of); {
		switch {
		case all[i] < of[j]:
			i++
		case all[i] > of[j]:
			j++
		default:
			out = append(out, all[i])
			i, j = i+1, j+1
		}
	}
	return out
}

// scans are all that read for the part.
func (r *PartRun) scans() []*Scan { return append(r.Others[:len(r.Others):len(r.Others)], r.Scan) }

// TakeMemory has the part's cells be read into the memory of another one's, of which no
// row is asked for any more.
func (r *PartRun) TakeMemory(of *PartRun) {
	others := of.scans()
	for i, s := range r.scans() {
		if others[i].Cells != nil {
			s.Cells = others[i].Cells
			s.Cells.Reset()
		}
	}
}

// OpenCursors begins to read all scans. Errors are those of the store, and cancellation.
func (r *PartRun) OpenCursors() error {
	for _, s := range r.scans() {
		if err := s.openCursor(); err != nil {
			return err
		}
	}
	return nil
}

// Frame is one of the part's own, with the values of another one.
func (r *PartRun) Frame(like *op.Frame) *op.Frame {
	x := like.Stmt.NewFrame(len(like.Env.Row))
	copy(x.Env.Row, like.Env.Row)
	x.Env.Held, x.Env.Lists, x.Env.Session = r.env.Held, r.env.Lists, r.env.Session
	r.frames = append(r.frames, x)
	return x
}

// Within has the part be done in a context.
func (r *PartRun) Within(c *op.Context) {
	for _, x := range r.frames {
		x.Context = c
	}
}

func (s *Scan) Under() op.Operator { return nil }
func (s *Scan) SameInParts() bool  { return true }

func (s *Scan) OfPart(r *PartRun, x *op.Frame) (op.Operator, *op.Frame) {
	out := r.ScanLike(s, x)
	return out, out.X
}

func (s *Scan) AddWork(out *explain.Step) {
	out.Rows += s.given
	out.Stats = AddStats(out.Stats, s.Stats())
}
