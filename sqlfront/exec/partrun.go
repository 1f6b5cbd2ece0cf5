package exec

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
)

// partRun is what all parts have: a scan with frames of its own,
// and what came of it.
type partRun struct {
	scan     *scan           // the one that is divided
	others   []*scan         // of the same part of their tables
	late     []*[]op.Warning // of right sides, which are told behind all else
	cells    kv.Scan
	source   op.Source // the scan, or what ends in it
	frames   []*op.Frame
	env      expr.Env // what frames have of their own, once for all of the part
	warnings []op.Warning
	told     bool // they are the statement's
	err      error
}

func (r *partRun) run() *partRun { return r }

// newPartRun makes a chain like another one, of other cells of its base, with frames and
// a session's answers of its own.
func newPartRun(like op.Source, cells *kv.Scan) (*partRun, *op.Frame) {
	outer := baseOf(like).x
	out := &partRun{cells: *cells}
	out.env.Held, out.env.Lists = outer.Stmt.Held.Beside(), &expr.Lists{}
	if session := outer.Env.Session; session != nil {
		own := *session
		if own.AddWarning != nil {
			own.AddWarning = func(code uint16, message string) {
				if out.told { // by the result of what was put together
					session.AddWarning(code, message)
					return
				}
				out.warnings = op.AddWarning(out.warnings, code, message, session.MaxErrorCount)
			}
		}
		out.env.Session = &own
	}
	var x *op.Frame
	out.source, x = out.chain(like, nil)
	return out, x
}

// scanLike is a scan like another one, of the part's cells, that fills a frame, or one
// of its own where there is none. The first one is the base's.
func (r *partRun) scanLike(like *scan, x *op.Frame) *scan {
	if x == nil {
		x = r.frame(like.x)
	}
	s := &scan{
		x: x, access: like.access, view: like.view, con: like.con, kv: like.kv, keys: like.keys, values: like.values,
		tables: like.tables, families: like.families,
	}
	if r.scan == nil {
		r.scan, s.kv = s, r.cells
	} else {
		s.restrictTo(&r.cells)
		r.others = append(r.others, s)
	}
	if x.Context.Progress != nil {
		s.kv.Progress = like
	}
	return s
}

// restrictTo restricts a scan to a part of another one's table, partitioned as its own is.
func (s *scan) restrictTo(part *kv.Scan) {
	rows, ok := s.kv.Rows.Intersect(part.Rows)
	s.kv.Rows = rows
	s.kv.Ordered, s.kv.ByPartition, s.kv.Parallel = part.Ordered, true, 0
	if part.Partitions != nil {
		s.kv.Partitions = common(s.kv.Partitions, part.Partitions)
		ok = ok && len(s.kv.Partitions) > 0
	}
	if !ok {
		s.tables = nil
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
func (r *partRun) scans() []*scan { return append(r.others[:len(r.others):len(r.others)], r.scan) }

// takeMemory has the part's cells be read into the memory of another one's, of which no
// row is asked for any more.
func (r *partRun) takeMemory(of *partRun) {
	others := of.scans()
	for i, s := range r.scans() {
		if others[i].cells != nil {
			s.cells = others[i].cells
			s.cells.Reset()
		}
	}
}

// openCursors begins to read all scans.
func (r *partRun) openCursors() error {
	for _, s := range r.scans() {
		if err := s.openCursor(); err != nil {
			return err
		}
	}
	return nil
}

// frame is one of the part's own, with the values of another one.
func (r *partRun) frame(like *op.Frame) *op.Frame {
	x := like.Stmt.NewFrame(len(like.Env.Row))
	copy(x.Env.Row, like.Env.Row)
	x.Env.Held, x.Env.Lists, x.Env.Session = r.env.Held, r.env.Lists, r.env.Session
	r.frames = append(r.frames, x)
	return x
}

// within has the part be done in a context.
func (r *partRun) within(c *op.Context) {
	for _, x := range r.frames {
		x.Context = c
	}
}

func (s *scan) Under() op.Source  { return nil }
func (s *scan) SameInParts() bool { return true }

func (s *scan) OfPart(r *partRun, x *op.Frame) (op.Source, *op.Frame) {
	out := r.scanLike(s, x)
	return out, out.x
}

func (s *scan) AddWork(out *explain.Step) {
	out.Rows += s.given
	out.Stats = addStats(out.Stats, s.stats())
}
