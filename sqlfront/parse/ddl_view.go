package parse

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// createView reads [OR REPLACE] [...] VIEW behind CREATE.
func (p *parser) createView() Statement {
	s := &CreateView{}
	if p.accept("OR") {
		p.expect("REPLACE")
		s.OrReplace = true
	}
	p.viewOptions(s)
	if !p.accept("VIEW") {
		p.refuseObject("CREATE")
		p.expected("TABLE, TABLEGROUP, DATABASE or VIEW")
	}
	p.viewBody(s)
	return s
}

// alterView reads ALTER [...] VIEW.
func (p *parser) alterView() Statement {
	s := &CreateView{Alter: true}
	p.viewOptions(s)
	if !p.accept("VIEW") {
		p.refuseObject("ALTER")
		p.expected("VIEW")
	}
	p.viewBody(s)
	return s
}

// viewBody reads what follows the word VIEW.
func (p *parser) viewBody(s *CreateView) {
	s.Name = p.tableName()
	if p.atOp("(") {
		p.parenthesized(func() { s.Columns = append(s.Columns, p.newName("the name of a column")) })
	}
	p.expect("AS")
	p.viewSelect(s)
	if !p.accept("WITH") {
		return
	}
	if s.Check = p.acceptAny("CASCADED", "LOCAL"); s.Check == "" {
		s.Check = "CASCADED"
	}
	p.expect("CHECK", "OPTION")
}

// viewOptions reads ALGORITHM, DEFINER and SQL SECURITY.
func (p *parser) viewOptions(s *CreateView) {
	for {
		switch p.acceptAny("ALGORITHM", "DEFINER", "SQL") {
		case "ALGORITHM":
			p.expectOp("=")
			s.Algorithm = p.expectAny("UNDEFINED", "MERGE", "TEMPTABLE")
		case "DEFINER":
			p.expectOp("=")
			definer := p.account()
			s.Definer = &definer
		case "SQL":
			p.expect("SECURITY")
			s.Security = p.expectAny("DEFINER", "INVOKER")
		default:
			return
		}
	}
}

// viewSelect reads the SELECT of a view, which has neither placeholders nor
// variables.
func (p *parser) viewSelect(s *CreateView) {
	first := p.pos
	p.view = s
	sel, ok := p.selectStatement().(*Select)
	if !ok {
		p.expected("SELECT")
	}
	for i := first; i < p.pos; i++ {
		if k := p.toks[i].kind; k == tokParam || k == tokUserVar || p.isOp(&p.toks[i], "@@") {
			p.fail(mysqlerr.New(mysqlerr.ViewSelectVariable,
				"View's SELECT contains a variable or parameter (at position %d)", p.toks[i].start+1))
		}
	}
	start := p.toks[first].start
	if sel.Into != nil {
		p.fail(mysqlerr.New(mysqlerr.ViewSelectClause, "View's SELECT contains a 'INTO' clause (at position %d)", start+1))
	}
	s.Select, s.Hints = sel.Node, sel.Hints
	s.SelectText = p.source(start)
	for i := range s.Refs {
		s.Refs[i].Start -= start
		s.Refs[i].End -= start
	}
}

// viewRef notes the name or the star that was read from start on.
func (p *parser) viewRef(start int, table TableName, star int) {
	p.view.Refs = append(p.view.Refs, ViewRef{Start: start, End: p.prevEnd(), Table: table, Star: star})
}

// viewTable is the star that the word TABLE stands for, which was read from start on.
func (p *parser) viewTable(start int, star sqlparser.StarExpr) *ViewStar {
	out := p.viewStar(start, star)
	p.view.Refs[out.Number].Query = true
	return out
}

// viewStar is the star that was read from start on.
func (p *parser) viewStar(start int, star sqlparser.StarExpr) *ViewStar {
	n := len(p.view.Refs)
	p.viewRef(start, TableName{}, n)
	return &ViewStar{star, n}
}
