package exec

import (
	"cmp"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Union is a set operation: UNION ALL gives its parts one after the other. Its frame holds
// a row of the result, for the expressions of ORDER BY, and behind it what the union reads
// of the blocks around.
type Union struct {
	Parts []UnionPart
	// Keys are the expressions of ORDER BY that are no columns of the result;
	// their values stand behind it.
	Keys  []expr.Node
	Order []OrderItem
	Limit Limit
	// Types are those of the result, which hold the values of all parts.
	Types []value.Type
	// Recursive is the first part that reads what the parts have given, 0 where
	// none does. Name and Columns are then those of the common table expression.
	Recursive int
	Name      string
	Columns   []RecursiveColumn
}

// UnionPart is one query of a set operation, and what is done with its rows to those that
// are left of the parts before: of the first that is UnionAll.
type UnionPart struct {
	Query     *Query
	Operation clause.SetOperation
	// To are the columns of the part's frame for what it reads of the blocks
	// around, From those of the union's frame that hold it.
	To, From []int
}

func (u *Union) open(x *frame, o queryOptions) (results, error) {
	offset, count, err := u.Limit.Values(x.env.Params)
	if err != nil {
		return nil, err
	}
	if u.Recursive > 0 {
		return u.openRecursive(x, offset, count, o)
	}
	r := u.start(x, len(u.Order) > 0, len(u.Order) > 0 || !u.Limit.Present && o.atMost == 0)
	if len(u.Keys) > 0 {
		r = &unionKeys{results: r, union: u, x: x}
	}
	if len(u.Order) > 0 {
		r = newSorted(x, r, u.Order, wanted(offset, count, o))
	}
	if u.Limit.Present || o.countAll {
		r = &limited{child: r, offset: offset, count: count, countAll: o.countAll}
	}
	return r, nil
}

// comparedTo is the last part up to which equal rows are looked for, 0 for none.
func (u *Union) comparedTo() (to int) {
	for i, p := range u.Parts {
		if p.Operation != clause.UnionAll {
			to = i
		}
	}
	return to
}

// unites reports whether there are no other operations than UNION.
func (u *Union) unites() bool {
	return !slices.ContainsFunc(u.Parts, func(p UnionPart) bool { return p.Operation > clause.Union })
}

// start gives what is left of the parts up to comparedTo, and then the rows of the others.
// sorts says that they are to be sorted, all that nobody stops before the last.
func (u *Union) start(x *frame, sorts, all bool) results {
	rows := &unionRows{Union: u, x: x, end: len(u.Parts), all: sorts}
	to := u.comparedTo()
	if to == 0 {
		return rows
	}
	var compared results
	if u.unites() {
		compared = u.different(x, to+1, all)
	} else {
		compared = u.balanced(x, to+1)
	}
	if to == len(u.Parts)-1 {
		return compared
	}
	rows.part, rows.rows = to, compared
	return rows
}

// unionDistinct is the different rows of parts of a union.
type unionDistinct struct {
	results
	rows *unionRows
}

// different are the different rows of the first parts.
func (u *Union) different(x *frame, parts int, all bool) *unionDistinct {
	rows := &unionRows{Union: u, x: x, end: parts}
	if all && rows.large() {
		return &unionDistinct{rows.asGroups(), rows}
	}
	rows.all = all
	return &unionDistinct{newDistinct(x, rows, len(u.Types), false), rows}
}

// large reports whether the parts are of so many cells that they are worth to be read at once.
// To prepare that takes longer than to read a few rows: a UNION of two row gets 22 us where it
// takes 11.
func (u *unionRows) large() bool {
	if slices.ContainsFunc(u.Parts[:u.end], opensLate) || u.end > maxBranches {
		return false
	}
	var chains []source
	for _, r := range u.openAll() {
		p, plain := r.(*project)
		if !plain || baseOf(p.child.source) == nil {
			return false
		}
		chains = append(chains, p.child.source)
	}
	return large(u.x.c, chains)
}

// asGroups is the DISTINCT of the parts' rows as groups of them.
func (u *unionRows) asGroups() results {
	columns := make([]expr.Node, len(u.Types))
	for i, t := range u.Types {
		columns[i] = &expr.Column{Index: i, T: t}
	}
	b := &Select{Projection: NewProjection(columns), Columns: len(columns)}
	return b.different(u.x, &derivedScan{Derived: &Derived{Query: &Query{Types: u.Types}}, x: u.x, rows: u}, false)
}

// unionRows gives the rows of the parts one after the other.
type unionRows struct {
	*Union
	x         *frame
	all       bool // somebody reads all rows: batches of them are worth to be made
	part, end int
	rows      results   // of the present part
	opened    []results // parts that have been opened ahead of their turns
	out       []value.Value
}

func (u *unionRows) next() ([]value.Value, error) {
	for {
		if u.rows == nil {
			if u.part == u.end {
				return nil, nil
			}
			if err := u.openPart(); err != nil {
				return nil, err
			}
		}
		row, err := u.rows.next()
		if err != nil {
			return nil, err
		}
		if row == nil {
			if err := u.closePart(); err != nil {
				return nil, err
			}
			continue
		}
		u.out = u.convert(u.out[:0], row)
		return u.out, nil
	}
}

func (u *unionRows) openPart() error {
	if len(u.opened) > 0 {
		if u.rows, u.opened = u.opened[0], u.opened[1:]; u.all {
			allInBatches(u.rows)
		}
		return nil
	}
	return u.openIn(u.x.stmt.newFrame(u.Parts[u.part].Query.Width))
}

// openIn opens the part in a frame.
func (u *unionRows) openIn(x *frame) error {
	var err error
	if u.rows, err = u.openAs(&u.Parts[u.part], x); u.all && err == nil {
		allInBatches(u.rows)
	}
	return err
}

// openAs opens a part in a frame.
func (u *unionRows) openAs(p *UnionPart, x *frame) (results, error) {
	for i, to := range p.To {
		x.env.Row[to] = u.x.env.Row[p.From[i]]
	}
	return p.Query.Body.open(x, queryOptions{})
}

// openAll opens all parts ahead of their turns. Where one cannot be opened there are none:
// that is told in its turn.
func (u *unionRows) openAll() []results {
	for len(u.opened) < u.end {
		p := &u.Parts[len(u.opened)]
		rows, err := u.openAs(p, u.x.stmt.newFrame(p.Query.Width))
		if err != nil {
			return nil
		}
		u.opened = append(u.opened, rows)
	}
	return u.opened
}

func (u *unionRows) closePart() error {
	err := u.rows.close()
	u.rows = nil
	u.part++
	return err
}

// convert appends the values of a row, which are made those of the union's types.
func (u *Union) convert(dst, row []value.Value) []value.Value {
	for i := range u.Types {
		dst = append(dst, convertTo(&u.Types[i], row[i]))
	}
	return dst
}

func hasScale(k value.Kind) bool {
	return k == value.Decimal || k == value.DateTime || k == value.Time
}

// convertTo is v as a value of the type that a UNION gave its column.
func convertTo(t *value.Type, v value.Value) value.Value {
	if t.Kind == value.Text && t.Collation != v.Collation() {
		return value.Coerce(v, *t).WithCollation(t.Collation)
	}
	if v.IsNull() || v.Kind() == t.Kind && (!hasScale(t.Kind) || v.Scale() == t.Decimals) {
		return v
	}
	switch t.Kind {
	case value.Float:
		return value.NewFloat(v.AsFloat())
	case value.Decimal:
		return v.Round(int32(t.Decimals))
	case value.DateTime:
		return value.NewDateTime(v.Fields(), t.Decimals)
	case value.Time:
		return value.NewTime(v.Micros(), t.Decimals)
	case value.Bytes:
		return value.NewBytes(v.AsBytes())
	case value.Text:
		return value.NewText(v.AsBytes())
	}
	return v
}

// unionKeys puts the values of ORDER BY's expressions behind each row.
type unionKeys struct {
	results
	union *Union
	x     *frame
	out   []value.Value
}

func (k *unionKeys) next() ([]value.Value, error) {
	row, err := k.results.next()
	if row == nil || err != nil {
		return nil, err
	}
	k.x.env.Held.NewRow()
	copy(k.x.env.Row, row)
	k.out = append(k.out[:0], row...)
	for _, n := range k.union.Keys {
		v, err := n.Eval(&k.x.env)
		if err != nil {
			return nil, err
		}
		k.out = append(k.out, v)
	}
	return k.out, nil
}

func (u *unionRows) close() error {
	var err error
	if u.rows != nil {
		err = u.closePart()
	}
	return cmp.Or(err, closeAll(u.opened))
}

func (u *unionRows) step() *explain.Step {
	out := explain.NewStep(u.title())
	for i, p := range u.Parts {
		under := p.Query.plannedStep(u.x.stmt)
		if i > 0 {
			under.Block.Operation = p.Operation.Word()
		}
		out.Steps = append(out.Steps, under)
	}
	return out
}

// title is the operations in their order; a UNION makes those before it different ones too.
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

func (u *unionDistinct) step() *explain.Step {
	out := u.results.step()
	out.Title, out.Steps = "Union", u.rows.step().Steps
	return out
}
