package setop

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/exec/agg"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/order"
	"github.com/hbasekv/hbasekv/sqlfront/exec/pipeline"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Union is a set operation: UNION ALL returns its parts one after the other. Its frame has a row of
// the result, for the expressions of ORDER BY, followed by what the union reads of the outer
// blocks.
type Union struct {
	Parts []UnionPart
	// Keys are the expressions of ORDER BY that are not columns of the result; their values follow
	// it.
	Keys  []expr.Node
	Order []order.OrderItem
	Limit pipeline.Limit
	// Types are those of the result, to which the values of all parts are converted.
	Types []value.Type
	// Recursive is the first part that reads the rows of the parts, 0 if there is none. Name and
	// Columns are then those of the common table expression.
	Recursive int
	Name      string
	Columns   []RecursiveColumn
}

// UnionPart is one query of a set operation, and the operation that combines its rows with the
// result of the parts before: UnionAll for the first.
type UnionPart struct {
	Query     *query.Query
	Operation clause.SetOperation
	// To are the columns of the part's frame for what it reads of the outer blocks, From those of
	// the union's frame that have it.
	To, From []int
}

// IsUnion returns true.
func (u *Union) IsUnion() bool { return true }

func (u *Union) Open(x *op.Frame, o query.Options) (op.Operator, op.Provided, error) {
	offset, count, err := u.Limit.Values(x.Env.Params)
	if err != nil {
		return nil, op.Provided{}, err
	}
	if u.Recursive > 0 {
		return u.openRecursive(x, offset, count, o), op.Provided{}, nil
	}
	r := u.start(x, len(u.Order) > 0 || !u.Limit.Present && o.AtMost == 0)
	if len(u.Keys) > 0 {
		r = u.converted(x, r) // the keys read them in the frame
	}
	if len(u.Order) > 0 {
		p := u.columns(u.Keys...)
		r = order.NewSorted(x, p.Start(x, r), u.Order, query.Wanted(offset, count, o))
	}
	if u.Limit.Present || o.CountAll {
		r = pipeline.NewLimited(r, offset, count, o.CountAll)
	}
	return r, op.Provided{}, nil
}

// comparedTo is the last part up to which equal rows must be found, 0 for none.
func (u *Union) comparedTo() (to int) {
	for i, p := range u.Parts {
		if p.Operation != clause.UnionAll {
			to = i
		}
	}
	return to
}

// unites reports whether all operations are UNION.
func (u *Union) unites() bool {
	return !slices.ContainsFunc(u.Parts, func(p UnionPart) bool { return p.Operation > clause.Union })
}

// start returns the rows that remain of the parts up to comparedTo, and then those of the other
// parts. all says that the reader reads all rows.
func (u *Union) start(x *op.Frame, all bool) op.Operator {
	rows := u.rows(x, len(u.Parts))
	to := u.comparedTo()
	if to == 0 {
		return rows
	}
	var compared op.Operator
	if u.unites() {
		compared = u.different(x, to+1, all)
	} else {
		compared = u.balanced(x, to+1)
	}
	if to == len(u.Parts)-1 {
		return compared
	}
	rows.part, rows.rows.Operator = to, compared
	return rows
}

// unionDistinct returns the distinct rows of parts of a union.
type unionDistinct struct {
	op.Operator
	rows *unionRows
}

// different returns the distinct rows of the first parts.
func (u *Union) different(x *op.Frame, parts int, all bool) *unionDistinct {
	rows := u.rows(x, parts)
	if all && rows.large() {
		return &unionDistinct{rows.asGroups(), rows}
	}
	p := u.columns()
	out := order.NewDistinct(x, p.Start(x, rows), len(u.Types), false)
	out.All = all
	return &unionDistinct{out, rows}
}

// large reports whether the parts have so many cells that reading them in batches pays off.
// Preparing that costs more than reading a few rows.
func (u *unionRows) large() bool {
	if slices.ContainsFunc(u.Parts[:u.end], opensLate) || u.end > maxBranches {
		return false
	}
	var pipelines []op.Operator
	for _, r := range u.openAll() {
		p, plain := r.(*pipeline.Project)
		if !plain || scan.BaseOf(p.Operator) == nil {
			return false
		}
		pipelines = append(pipelines, p.Operator)
	}
	return pipeline.Large(u.x.Context, pipelines)
}

// columns returns the values of a row, and of expressions over it.
func (u *Union) columns(others ...expr.Node) pipeline.Projection {
	var nodes []expr.Node
	for i, t := range u.Types {
		nodes = append(nodes, &expr.Column{Index: i, T: t})
	}
	return pipeline.NewProjection(append(nodes, others...))
}

// asGroups returns the parts' distinct rows as groups.
func (u *unionRows) asGroups() op.Operator {
	b := &query.Select{Projection: u.columns(), Columns: len(u.Types)}
	return b.Different(u.x, u, false)
}

// unionRows returns the rows of the parts one after the other, as the first columns of the union's
// frame.
type unionRows struct {
	*Union
	x         *op.Frame
	part, end int
	rows      unionPart     // the current one; without an Operator if none is open
	opened    []op.Operator // parts that have been opened early
}

// rows returns the rows of the parts before end.
func (u *Union) rows(x *op.Frame, end int) *unionRows {
	return &unionRows{Union: u, x: x, end: end, rows: unionPart{Union: u, x: x}}
}

func (u *unionRows) Env() *expr.Env { return &u.x.Env }

func (u *unionRows) ReadFor(r kernel.Reader) { u.rows.above = r }

func (u *unionRows) Next(want int) (*kernel.Batch, error) {
	for {
		if u.rows.Operator == nil {
			if u.part == u.end {
				return nil, nil
			}
			if err := u.openPart(); err != nil {
				return nil, err
			}
		}
		if b, err := u.rows.Next(want); b != nil || err != nil {
			return b, err
		}
		if err := u.closePart(); err != nil {
			return nil, err
		}
	}
}

func (u *unionRows) openPart() error {
	if len(u.opened) > 0 {
		u.rows.start(u.opened[0])
		u.opened = u.opened[1:]
		return nil
	}
	return u.openIn(u.x.Stmt.NewFrame(u.Parts[u.part].Query.Width))
}

// openIn opens the part in a frame.
func (u *unionRows) openIn(x *op.Frame) error {
	rows, err := u.openAs(&u.Parts[u.part], x)
	if err == nil {
		u.rows.start(rows)
	}
	return err
}

// openAs opens a part in a frame.
func (u *unionRows) openAs(p *UnionPart, x *op.Frame) (op.Operator, error) {
	for i, to := range p.To {
		x.Env.Row[to] = u.x.Env.Row[p.From[i]]
	}
	rows, _, err := p.Query.Body.Open(x, query.Options{})
	return rows, err
}

// openAll opens all parts early. It returns none if one cannot be opened: its error is returned
// when it is read.
func (u *unionRows) openAll() []op.Operator {
	for len(u.opened) < u.end {
		p := &u.Parts[len(u.opened)]
		rows, err := u.openAs(p, u.x.Stmt.NewFrame(p.Query.Width))
		if err != nil {
			return nil
		}
		u.opened = append(u.opened, rows)
	}
	return u.opened
}

// Branches implements Branching.
func (u *unionRows) Branches() (out []op.Operator) {
	if u.rows.Operator != nil || u.end > maxBranches || slices.ContainsFunc(u.Parts[:u.end], opensLate) {
		return nil
	}
	for _, rows := range u.openAll() {
		if _, plain := rows.(*pipeline.Project); !plain {
			return nil
		}
		out = append(out, u.converted(u.x, rows))
	}
	return out
}

func (u *unionRows) closePart() error {
	err := u.rows.Close()
	u.rows.Operator = nil
	u.part++
	return err
}

func (u *unionRows) Close() error {
	var err error
	if u.rows.Operator != nil {
		err = u.closePart()
	}
	return cmp.Or(err, op.CloseAll(u.opened))
}

func (u *unionRows) Step() *explain.Step {
	out := explain.NewStep(u.title())
	for i, p := range u.Parts {
		under := p.Query.PlannedStep(u.x.Stmt)
		if i > 0 {
			under.Block.Operation = p.Operation.Word()
		}
		out.Steps = append(out.Steps, under)
	}
	return out
}

// title returns the operations in their order; UNION also makes the rows before it distinct.
func (u *Union) title() string {
	switch {
	case !u.unites():
	case u.comparedTo() > 0:
		return "Union"
	default:
		return "Union all"
	}
	var words []string
	for _, p := range u.Parts[1:] {
		if word := p.Operation.String(); len(words) == 0 || words[len(words)-1] != word {
			words = append(words, word)
		}
	}
	title := strings.Join(words, ", ")
	return strings.ToUpper(title[:1]) + title[1:]
}

func (u *unionDistinct) Step() *explain.Step {
	out := u.Operator.Step()
	out.Title, out.Steps = "Union", u.rows.Step().Steps
	return out
}

// maxBranches is the maximum number of queries of a union that are open at the same time.
const maxBranches = 64

// opensLate reports whether the part of a union must not be opened early: that may have effects, or
// the union is run for each outer row, which often needs only a few of its rows.
func opensLate(p UnionPart) bool { return len(p.To) > 0 || !opensQuietly(p.Query) }

// opensQuietly reports whether a query consists of pipelines, whose opening evaluates no subquery.
func opensQuietly(q *query.Query) bool {
	b, ok := q.Body.(*query.Select)
	if !ok || len(q.Subqueries) > 0 || b.Distinct || b.Limit.Present || len(b.Order) > 0 {
		return false
	}
	for n := b.Source; ; {
		if scan.AccessOf(n) != nil {
			return true
		}
		switch node := n.(type) {
		case *pipeline.Filter:
			n = node.Child
		case *agg.Aggregate:
			n = node.Child
		case *query.Derived:
			return opensQuietly(node.Query)
		default:
			return false
		}
	}
}
