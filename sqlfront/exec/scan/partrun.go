package scan

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// PartRun is the common part of all parts: a scan with its own frames, and its results.
type PartRun struct {
	Scan     *Scan           // the one that is divided
	Others   []*Scan         // of the same part of other tables
	Late     []*[]op.Warning // of right sides, which are reported after all others
	Cells    kv.Scan
	Source   op.Operator // the scan, or the end of its pipeline; nil if another operator reads it
	frames   []*op.Frame
	env      expr.Env // what all frames of the part share
	Warnings []op.Warning
	Told     bool // warnings go to the statement
	Err      error
}

// Run returns the part itself, for types that embed it.
func (r *PartRun) Run() *PartRun { return r }

// NewPartRun makes a pipeline like another one, over other cells of its base, with its own frames
// and its own warnings.
func NewPartRun(like op.Operator, cells *kv.Scan) (*PartRun, *op.Frame) {
	outer := BaseOf(like).X
	out := &PartRun{Cells: *cells}
	out.env.Held, out.env.Lists = outer.Stmt.Held.Beside(), &expr.Lists{}
	if session := outer.Env.Session; session != nil {
		own := *session
		if own.AddWarning != nil {
			own.AddWarning = func(code uint16, message string) {
				if out.Told { // by the combined result
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

// Anew returns a pipeline like another one that has not read anything yet.
func Anew(like op.Operator) op.Operator {
	base := BaseOf(like)
	r := &PartRun{Cells: base.StoreScan}
	r.env.Held, r.env.Lists, r.env.Session = base.X.Env.Held, base.X.Env.Lists, base.X.Env.Session
	out, _ := r.Pipeline(like, nil)
	return out
}

// ScanLike returns a scan like another one, over the part's cells, that fills a frame, or one of
// its own if x is nil. The first one is the base's.
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

// Divide starts reading, and makes at most so many parts of the rest; none if that cannot be
// divided. Errors are those of the store, and cancellation.
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

// restrictTo restricts a scan to a part of another table, which is partitioned like its own.
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

// common returns the numbers that are in both lists; all may be nil for all numbers.
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

// scans returns all scans of the part.
func (r *PartRun) scans() []*Scan { return append(r.Others[:len(r.Others):len(r.Others)], r.Scan) }

// TakeMemory reads the part's cells into the memory of another part, whose rows are not needed any
// more.
func (r *PartRun) TakeMemory(of *PartRun) {
	others := of.scans()
	for i, s := range r.scans() {
		if others[i].Cells != nil {
			s.Cells = others[i].Cells
			s.Cells.Reset()
		}
	}
}

// OpenCursors starts reading all scans. Errors are those of the store, and cancellation.
func (r *PartRun) OpenCursors() error {
	for _, s := range r.scans() {
		if err := s.openCursor(); err != nil {
			return err
		}
	}
	return nil
}

// Frame returns a separate frame of the part, with the values of another one.
func (r *PartRun) Frame(like *op.Frame) *op.Frame {
	x := like.Stmt.NewFrame(len(like.Env.Row))
	copy(x.Env.Row, like.Env.Row)
	x.Env.Held, x.Env.Lists, x.Env.Session = r.env.Held, r.env.Lists, r.env.Session
	r.frames = append(r.frames, x)
	return x
}

// Within makes the part run in a context.
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
