package parse

import (
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
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

// overClause reads what stands behind a call: OVER, where the function may or must
// have one.
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
		if !p.at("OVER") {
			p.expected("OVER")
		}
	}
	if windowFunctions[name] && !p.isOp(p.peek(1), "(") && !p.isName(p.peek(1)) {
		p.pos++
		p.expected("a window")
	}
	if !p.at("OVER") || !p.isOp(p.peek(1), "(") && !p.isName(p.peek(1)) {
		return call
	}
	p.checkOver(call, name, start)
	p.pos++
	o := &Over{Scope: p.windowScope()}
	height, at := 0, p.cur().start
	if order != nil {
		height = p.query.height
	}
	if p.atOp("(") {
		w, spec := p.windowSpec()
		o.Window, height = w, max(height, spec)
	} else {
		o.Window = &Window{Base: p.newName("the name of a window"), Plain: true}
	}
	o.Window = p.orderedWindow(o.Window, order, at)
	o.ValTuple = append(sqlparser.ValTuple{call.Expr}, o.Window.parts()...)
	return p.over(o, max(height, call.height))
}

// checkOver refuses what MySQL has no windows for.
func (p *parser) checkOver(call expression, name string, start int) {
	switch f := call.Expr.(type) {
	case *GroupConcat:
		p.unsupported(start, "group_concat as window function")
	case *sqlparser.FuncExpr:
		if f.Distinct {
			p.unsupported(start, "<window function>(DISTINCT ..)")
		}
	}
	if !windowFunctions[name] && !windowAggregates[name] {
		p.failAt(p.cur().start, "the end of the call: it is of no window function")
	}
}

// nullTreatment passes FROM FIRST and RESPECT NULLS, which are what MySQL does.
func (p *parser) nullTreatment(name string) {
	if name == "nth_value" && p.at("FROM") && p.isWord(p.peek(1), "FIRST", "LAST") {
		if p.at("FROM", "LAST") {
			p.unsupported(p.cur().start, "FROM LAST")
		}
		p.pos += 2
	}
	switch name {
	case "lag", "lead", "first_value", "last_value", "nth_value":
		if p.at("IGNORE", "NULLS") {
			p.unsupported(p.cur().start, "IGNORE NULLS")
		}
		if p.at("RESPECT", "NULLS") {
			p.pos += 2
		}
	}
}

// windowScope are the named windows of the SELECT that is being read.
func (p *parser) windowScope() *Windows {
	if p.query.windows == nil {
		p.res.windows++
		p.query.windows = &Windows{Number: p.res.windows}
	}
	return p.query.windows
}

// atWindow is true at a WINDOW clause: the word alone is a name.
func (p *parser) atWindow() bool {
	return p.at("WINDOW") && p.isName(p.peek(1)) && p.isWord(p.peek(2), "AS") && p.isOp(p.peek(3), "(")
}

// windowClause reads WINDOW name AS (...), ... .
func (p *parser) windowClause(node *sqlparser.Select) {
	if !p.atWindow() {
		return
	}
	p.pos++
	scope := p.windowScope()
	p.list(func() {
		t := p.cur()
		name := p.newName("the name of a window")
		for _, w := range scope.Named {
			if strings.EqualFold(w.Name, name) {
				p.fail(mysqlerr.New(mysqlerr.WindowDuplicateName, "Window '%s' is defined twice. (at position %d)", name, t.start+1))
			}
		}
		p.expect("AS")
		w, _ := p.windowSpec()
		w.Name = name
		scope.Named = append(scope.Named, w)
	})
	if p.res.Windows == nil {
		p.res.Windows = map[*sqlparser.Select]*Windows{}
	}
	p.res.Windows[node] = scope
}

// windowSpec reads ([name] [PARTITION BY ...] [ORDER BY ...] [frame]).
func (p *parser) windowSpec() (w *Window, height int) {
	w = &Window{}
	part := func() sqlparser.Expr {
		e := p.expr()
		height = max(height, e.height)
		return e.Expr
	}
	p.expectOp("(")
	if p.isName(p.cur()) && !p.at("PARTITION", "BY") && !p.atAny("ROWS", "RANGE", "GROUPS") {
		w.Base = p.nameOf(p.advance())
	}
	if p.accept("PARTITION") {
		p.expect("BY")
		p.list(func() { w.Partition = append(w.Partition, part()) })
	}
	if p.at("ORDER") {
		w.Order = p.orderBy()
		height = max(height, p.query.height)
	}
	w.Frame = p.frame()
	p.expectOp(")")
	return w, height
}

// frame reads {ROWS | RANGE} {start | BETWEEN start AND end}.
func (p *parser) frame() *Frame {
	if p.at("GROUPS") {
		p.unsupported(p.cur().start, "GROUPS")
	}
	word := p.acceptAny("ROWS", "RANGE")
	if word == "" {
		return nil
	}
	f := &Frame{Range: word == "RANGE", End: Bound{Kind: clause.CurrentRow}}
	between := p.accept("BETWEEN")
	at := p.cur().start
	f.Start = p.frameBound()
	if between {
		p.expect("AND")
		f.End = p.frameBound()
	} else if f.Start.Kind > clause.CurrentRow {
		p.failAt(at, "a bound that precedes, or BETWEEN")
	}
	if p.at("EXCLUDE") {
		p.unsupported(p.cur().start, "EXCLUDE")
	}
	return f
}

// frameBound reads CURRENT ROW, and {UNBOUNDED | n | INTERVAL n unit} {PRECEDING |
// FOLLOWING}.
func (p *parser) frameBound() (b Bound) {
	switch {
	case p.at("CURRENT", "ROW"):
		p.pos += 2
		return Bound{Kind: clause.CurrentRow}
	case p.accept("UNBOUNDED"):
		if p.expectAny("PRECEDING", "FOLLOWING") == "PRECEDING" {
			return Bound{Kind: clause.UnboundedPreceding}
		}
		return Bound{Kind: clause.UnboundedFollowing}
	case p.at("INTERVAL"):
		interval := p.intervalForm().Expr.(*sqlparser.IntervalExpr)
		b.N, b.Unit = interval.Expr, interval.Unit
	case p.cur().kind == tokParam:
		b.N = &Param{Index: p.param()}
	case p.cur().kind == tokInt || p.cur().kind == tokFloat:
		b.N = p.number()
	default:
		p.expected("the bound of a frame")
	}
	b.Kind = clause.Following
	if p.expectAny("PRECEDING", "FOLLOWING") == "PRECEDING" {
		b.Kind = clause.Preceding
	}
	return b
}
