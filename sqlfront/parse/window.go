package parse

import (
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// windowFunctions need an OVER
// (https://dev.mysql.com/doc/refman/8.0/en/window-function-descriptions.html).
var windowFunctions = nameSet("row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value " +
	"nth_value median percentile_cont percentile_disc")

// windowAggregates may have one.
var windowAggregates = nameSet("count sum avg min max bit_and bit_or bit_xor std stddev stddev_pop stddev_samp variance " +
	"var_pop var_samp json_arrayagg json_objectagg")

func nameSet(names string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(names) {
		set[name] = true
	}
	return set
}

// overClause reads OVER after a call, if the function may or must have one.
func (p *parser) overClause(call expression, start int) expression {
	name := ""
	var order sqlparser.OrderBy // of a percentile
	if f, ok := call.Expr.(*sqlparser.FuncExpr); ok && f.Qualifier.IsEmpty() {
		if name = strings.ToLower(f.Name.String()); percentiles[name] {
			order = p.withinGroup(f, name)
		}
	}
	if windowFunctions[name] {
		p.nullTreatment(name)
		if !p.At("OVER") {
			p.Expected("OVER")
		}
	}
	if windowFunctions[name] && !p.IsOp(p.Peek(1), "(") && !p.IsName(p.Peek(1)) {
		p.Pos++
		p.Expected("a window")
	}
	if !p.At("OVER") || !p.IsOp(p.Peek(1), "(") && !p.IsName(p.Peek(1)) {
		return call
	}
	p.checkOver(call, name, start)
	p.Pos++
	o := &ast.Over{Scope: p.windowScope()}
	height, at := 0, p.Current().Start
	if order != nil {
		height = p.query.height
	}
	if p.AtOp("(") {
		w, spec := p.windowSpec()
		o.Window, height = w, max(height, spec)
	} else {
		o.Window = &ast.Window{Base: p.NewName("the name of a window"), Plain: true}
	}
	o.Window = p.orderedWindow(o.Window, order, at)
	o.ValTuple = append(sqlparser.ValTuple{call.Expr}, o.Window.Parts()...)
	return p.over(o, max(height, call.height))
}

// checkOver refuses calls that MySQL does not allow over windows.
func (p *parser) checkOver(call expression, name string, start int) {
	switch f := call.Expr.(type) {
	case *ast.GroupConcat:
		p.Unsupported(start, "group_concat as window function")
	case *sqlparser.FuncExpr:
		if f.Distinct {
			p.Unsupported(start, "<window function>(DISTINCT ..)")
		}
	}
	if !windowFunctions[name] && !windowAggregates[name] {
		p.FailAt(p.Current().Start, "the end of the call: OVER needs a window function")
	}
}

// nullTreatment skips FROM FIRST and RESPECT NULLS, which are MySQL's only behaviour.
func (p *parser) nullTreatment(name string) {
	if name == "nth_value" && p.At("FROM") && p.IsWord(p.Peek(1), "FIRST", "LAST") {
		if p.At("FROM", "LAST") {
			p.Unsupported(p.Current().Start, "FROM LAST")
		}
		p.Pos += 2
	}
	switch name {
	case "lag", "lead", "first_value", "last_value", "nth_value":
		if p.At("IGNORE", "NULLS") {
			p.Unsupported(p.Current().Start, "IGNORE NULLS")
		}
		if p.At("RESPECT", "NULLS") {
			p.Pos += 2
		}
	}
}

// windowScope are the named windows of the SELECT that is being read.
func (p *parser) windowScope() *ast.Windows {
	if p.query.windows == nil {
		p.windows++
		p.query.windows = &ast.Windows{Number: p.windows}
	}
	return p.query.windows
}

// atWindow reports whether a WINDOW clause comes next: the word alone is a name.
func (p *parser) atWindow() bool {
	return p.At("WINDOW") && p.IsName(p.Peek(1)) && p.IsWord(p.Peek(2), "AS") && p.IsOp(p.Peek(3), "(")
}

// windowClause reads WINDOW name AS (...), ... .
func (p *parser) windowClause(node *sqlparser.Select) {
	if !p.atWindow() {
		return
	}
	p.Pos++
	scope := p.windowScope()
	p.List(func() {
		t := p.Current()
		name := p.NewName("the name of a window")
		for _, w := range scope.Named {
			if strings.EqualFold(w.Name, name) {
				p.Fail(mysqlerr.New(mysqlerr.WindowDuplicateName, "Window '%s' is defined twice. (at position %d)", name, t.Start+1))
			}
		}
		p.Expect("AS")
		w, _ := p.windowSpec()
		w.Name = name
		scope.Named = append(scope.Named, w)
	})
	if p.res.Windows == nil {
		p.res.Windows = map[*sqlparser.Select]*ast.Windows{}
	}
	p.res.Windows[node] = scope
}

// windowSpec reads ([name] [PARTITION BY ...] [ORDER BY ...] [frame]).
func (p *parser) windowSpec() (w *ast.Window, height int) {
	w = &ast.Window{}
	part := func() sqlparser.Expr {
		e := p.expr()
		height = max(height, e.height)
		return e.Expr
	}
	p.ExpectOp("(")
	if p.IsName(p.Current()) && !p.At("PARTITION", "BY") && !p.AtAny("ROWS", "RANGE", "GROUPS") {
		w.Base = p.NameOf(p.Advance())
	}
	if p.Accept("PARTITION") {
		p.Expect("BY")
		p.List(func() { w.Partition = append(w.Partition, part()) })
	}
	if p.At("ORDER") {
		w.Order = p.orderBy()
		height = max(height, p.query.height)
	}
	w.Frame = p.frame()
	p.ExpectOp(")")
	return w, height
}

// frame reads {ROWS | RANGE} {start | BETWEEN start AND end}.
func (p *parser) frame() *ast.Frame {
	if p.At("GROUPS") {
		p.Unsupported(p.Current().Start, "GROUPS")
	}
	word := p.AcceptAny("ROWS", "RANGE")
	if word == "" {
		return nil
	}
	f := &ast.Frame{Range: word == "RANGE", End: ast.Bound{Kind: clause.CurrentRow}}
	between := p.Accept("BETWEEN")
	at := p.Current().Start
	f.Start = p.frameBound()
	if between {
		p.Expect("AND")
		f.End = p.frameBound()
	} else if f.Start.Kind > clause.CurrentRow {
		p.FailAt(at, "UNBOUNDED PRECEDING, n PRECEDING, CURRENT ROW or BETWEEN")
	}
	if p.At("EXCLUDE") {
		p.Unsupported(p.Current().Start, "EXCLUDE")
	}
	return f
}

// frameBound reads CURRENT ROW, and {UNBOUNDED | n | INTERVAL n unit} {PRECEDING |
// FOLLOWING}.
func (p *parser) frameBound() (b ast.Bound) {
	switch {
	case p.At("CURRENT", "ROW"):
		p.Pos += 2
		return ast.Bound{Kind: clause.CurrentRow}
	case p.Accept("UNBOUNDED"):
		if p.ExpectAny("PRECEDING", "FOLLOWING") == "PRECEDING" {
			return ast.Bound{Kind: clause.UnboundedPreceding}
		}
		return ast.Bound{Kind: clause.UnboundedFollowing}
	case p.At("INTERVAL"):
		interval := p.intervalForm().Expr.(*sqlparser.IntervalExpr)
		b.N, b.Unit = interval.Expr, interval.Unit
	case p.Current().Kind == lex.Param:
		b.N = &ast.Param{Index: p.param()}
	case p.Current().Kind == lex.Int || p.Current().Kind == lex.Float:
		b.N = p.number()
	default:
		p.Expected("the bound of a frame")
	}
	b.Kind = clause.Following
	if p.ExpectAny("PRECEDING", "FOLLOWING") == "PRECEDING" {
		b.Kind = clause.Preceding
	}
	return b
}

// withinGroup reads WITHIN GROUP (ORDER BY x), and returns the order.
func (p *parser) withinGroup(f *sqlparser.FuncExpr, name string) sqlparser.OrderBy {
	if name == "median" {
		if len(f.Exprs) != 1 {
			p.FailAt(p.Current().Start, "one argument of MEDIAN")
		}
		x, ok := f.Exprs[0].(*sqlparser.AliasedExpr)
		if !ok {
			p.FailAt(p.Current().Start, "MEDIAN of an expression")
		}
		return sqlparser.OrderBy{&sqlparser.Order{Expr: x.Expr, Direction: sqlparser.AscScr}}
	}
	p.Expect("WITHIN")
	p.Expect("GROUP")
	p.ExpectOp("(")
	at := p.Current().Start
	order := p.orderBy()
	if len(order) != 1 {
		p.FailAt(at, "ORDER BY one expression")
	}
	p.ExpectOp(")")
	f.Exprs = append(f.Exprs, &sqlparser.AliasedExpr{Expr: order[0].Expr})
	return order
}

// percentiles are window functions whose rows are ordered by an expression of their own: that of WITHIN GROUP
// (ORDER BY x), or the argument of MEDIAN. It becomes the order of their window and their last argument.
var percentiles = nameSet("median percentile_cont percentile_disc")

// orderedWindow is the window of a percentile, which must not declare an order or a frame of its own.
func (p *parser) orderedWindow(w *ast.Window, order sqlparser.OrderBy, at int) *ast.Window {
	if order == nil {
		return w
	}
	if w.Order != nil || w.Frame != nil {
		p.FailAt(at, "a window with only PARTITION BY")
	}
	w.Order, w.Plain = order, false
	return w
}
