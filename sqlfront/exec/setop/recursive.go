package setop

import (
	"cmp"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Working reads the rows of a recursion's previous step.
type Working struct {
	Of    *Union
	Alias string
	// First is the frame's column for the first of the Columns.
	First, Columns int
}

func (n *Working) Open(x *op.Frame, _ op.Desired) (op.Operator, op.Provided, error) {
	return query.OpenList(&query.ListScan{X: x, Rows: op.Keep[working](x.Stmt, n.Of).rows, First: n.First,
		Columns: n.Columns, Told: n.Step})
}

func (n *Working) Step() *explain.Step {
	out := explain.NewStep("Rows of the step before of " + n.Of.Name)
	out.Table = &explain.Table{Table: n.Alias, Type: "ALL", Rows: -1, Recursive: true}
	return out
}

// working are the rows of the previous step of a running recursion; nil if none is running.
type working struct{ rows *spill.List }

// recursiveRows returns the rows of the parts that do not recurse, and then in each step those that
// the others make of the rows of the previous step, until there are none.
type recursiveRows struct {
	*unionRows
	// before are the rows that a step reads, made those that it makes.
	before, made *spill.List
	count        int64 // number of rows in made
	kept         bool  // whether some were in files
	// frames are those of the parts, reused in each step.
	frames      []*op.Frame
	steps, most int64
	strict      bool
	distinctTo  int
	seen        *spill.Distinct // for the parts up to distinctTo
	key         []byte
	out         []value.Value // the row, in the frame
	given       int64
}

func (u *Union) openRecursive(x *op.Frame, offset, count int64, o query.Options) op.Operator {
	r := &recursiveRows{unionRows: u.rows(x, 0), distinctTo: u.comparedTo(), out: x.Env.Row[:len(u.Types)]}
	r.most, r.strict = maxRecursion(x), strictMode(x)
	if u.Limit.Present || o.CountAll {
		return pipeline.NewLimited(r, offset, count, o.CountAll)
	}
	return r
}

// DefaultRecursion is the default of cte_max_recursion_depth.
const DefaultRecursion = 1000

func maxRecursion(x *op.Frame) int64 {
	if v, ok := variable(x, "cte_max_recursion_depth"); ok {
		return v.AsInt()
	}
	return DefaultRecursion
}

// strictMode reports whether values that do not fit are errors.
func strictMode(x *op.Frame) bool {
	return x.Env.Session == nil || !x.Env.Session.Loose
}

// variable returns a variable of the session; ok is false if it does not exist.
func variable(x *op.Frame, name string) (v value.Value, ok bool) {
	s := x.Env.Session
	if s == nil || s.Variable == nil {
		return v, false
	}
	v, err := s.Variable("", name)
	return v, err == nil
}

// Branches returns none: steps are not parts.
func (r *recursiveRows) Branches() []op.Operator { return nil }

func (r *recursiveRows) Next(int) (*kernel.Batch, error) {
	for {
		if err := r.x.Tick(); err != nil {
			return nil, err
		}
		if r.rows.Operator == nil {
			if more, err := r.begin(); !more || err != nil {
				return nil, err
			}
		}
		row, err := r.rows.Result(1)
		if err != nil {
			return nil, err
		}
		if row == nil {
			if err := r.closePart(); err != nil {
				return nil, err
			}
			continue
		}
		if fresh, err := r.take(row); fresh || err != nil {
			return op.Single(true, err)
		}
	}
}

// begin opens the next part, after the last one that of the next step; it returns false if there is
// none.
func (r *recursiveRows) begin() (bool, error) {
	if r.part < r.Recursive {
		return true, r.openPart()
	}
	if r.part == len(r.Parts) || r.steps == 0 {
		if more, err := r.goOn(); !more || err != nil {
			return false, err
		}
	}
	w := op.Keep[working](r.x.Stmt, r.Union)
	around := w.rows // of an enclosing run
	w.rows = r.before
	err := r.openIn(r.frame())
	w.rows = around
	return true, err
}

// frame returns the part's frame, cleared.
func (r *recursiveRows) frame() *op.Frame {
	if r.frames == nil {
		r.frames = make([]*op.Frame, len(r.Parts))
	}
	x := r.frames[r.part]
	if x == nil {
		x = r.x.Stmt.NewFrame(r.Parts[r.part].Query.Width)
		r.frames[r.part] = x
	}
	clear(x.Env.Row)
	return x
}

// goOn makes the rows of the last step those that the next one reads.
func (r *recursiveRows) goOn() (bool, error) {
	if r.count == 0 {
		return false, nil
	}
	if r.steps++; r.steps > r.most {
		return false, mysqlerr.New(mysqlerr.CTEMaxRecursionDepth,
			"Recursive query aborted after %d iterations. Try increasing "+
				"@@cte_max_recursion_depth to a larger value.", r.steps)
	}
	r.kept = r.kept || r.made.Spilled()
	r.before, r.made, r.count, r.part = r.made, r.before, 0, r.Recursive
	if r.made == nil {
		return true, nil
	}
	return true, r.made.Reset()
}

func closeList(l *spill.List) error {
	if l == nil {
		return nil
	}
	return l.Close()
}

// take adds a part's row to the result, and reports whether it counts.
func (r *recursiveRows) take(row []value.Value) (bool, error) {
	r.convert(r.out, row)
	if r.part >= r.Recursive {
		if err := r.fit(); err != nil {
			return false, err
		}
	}
	if fresh, err := r.fresh(); !fresh || err != nil {
		return false, err
	}
	if r.made == nil {
		r.made = r.x.Stmt.Space.NewList()
	}
	r.count++
	r.given++
	return true, r.made.Add(r.out)
}

// fresh reports whether the row is new, if rows must be distinct.
func (r *recursiveRows) fresh() (bool, error) {
	if r.distinctTo == 0 {
		return true, nil
	}
	if r.seen == nil {
		r.seen = r.x.Stmt.Space.NewDistinct()
	}
	r.key = value.AppendKeys(r.key[:0], r.out)
	fresh, err := r.seen.Add(r.key)
	return fresh || r.part > r.distinctTo, err
}

func (r *recursiveRows) Close() error {
	err := cmp.Or(r.unionRows.Close(), closeList(r.before), closeList(r.made))
	if r.seen == nil {
		return err
	}
	return cmp.Or(err, r.seen.Close())
}

func (r *recursiveRows) Step() *explain.Step {
	out := r.unionRows.Step()
	out.Title = "Recursive union all"
	if r.distinctTo > 0 {
		out.Title = "Recursive union"
	}
	if r.kept || r.seen != nil && r.seen.Spilled() {
		out.AddSpilled()
	}
	out.Temporary = true
	out.Rows = r.given
	return out
}
