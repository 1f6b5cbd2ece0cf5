package parse

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// createView reads [OR REPLACE] [...] VIEW after CREATE.
func (p *parser) createView() ast.Statement {
	s := &ast.CreateView{}
	if p.Accept("OR") {
		p.Expect("REPLACE")
		s.OrReplace = true
	}
	p.viewOptions(s)
	if !p.Accept("VIEW") {
		p.refuseObject("CREATE")
		p.Expected("TABLE, TABLEGROUP, DATABASE or VIEW")
	}
	p.viewBody(s)
	return s
}

// alterView reads ALTER [...] VIEW.
func (p *parser) alterView() ast.Statement {
	s := &ast.CreateView{Alter: true}
	p.viewOptions(s)
	if !p.Accept("VIEW") {
		p.refuseObject("ALTER")
		p.Expected("VIEW")
	}
	p.viewBody(s)
	return s
}

// viewBody reads what follows the word VIEW.
func (p *parser) viewBody(s *ast.CreateView) {
	s.Name = p.TableName()
	if p.AtOp("(") {
		p.Parenthesized(func() { s.Columns = append(s.Columns, p.NewName("the name of a column")) })
	}
	p.Expect("AS")
	p.viewSelect(s)
	if !p.Accept("WITH") {
		return
	}
	if s.Check = p.AcceptAny("CASCADED", "LOCAL"); s.Check == "" {
		s.Check = "CASCADED"
	}
	p.Expect("CHECK", "OPTION")
}

// viewOptions reads ALGORITHM, DEFINER and SQL SECURITY.
func (p *parser) viewOptions(s *ast.CreateView) {
	for {
		switch p.AcceptAny("ALGORITHM", "DEFINER", "SQL") {
		case "ALGORITHM":
			p.ExpectOp("=")
			s.Algorithm = p.ExpectAny("UNDEFINED", "MERGE", "TEMPTABLE")
		case "DEFINER":
			p.ExpectOp("=")
			definer := p.accounts().Name()
			s.Definer = &definer
		case "SQL":
			p.Expect("SECURITY")
			s.Security = p.ExpectAny("DEFINER", "INVOKER")
		default:
			return
		}
	}
}

// viewSelect reads the SELECT of a view, which may have neither placeholders nor variables.
func (p *parser) viewSelect(s *ast.CreateView) {
	first := p.Pos
	p.view = s
	sel, ok := p.selectStatement().(*ast.Select)
	if !ok {
		p.Expected("SELECT")
	}
	for i := first; i < p.Pos; i++ {
		if k := p.Tokens[i].Kind; k == lex.Param || k == lex.UserVar || p.IsOp(&p.Tokens[i], "@@") {
			p.Fail(mysqlerr.New(mysqlerr.ViewSelectVariable,
				"View's SELECT contains a variable or parameter (at position %d)", p.Tokens[i].Start+1))
		}
	}
	start := p.Tokens[first].Start
	if sel.Into != nil {
		p.Fail(mysqlerr.New(mysqlerr.ViewSelectClause, "View's SELECT contains a 'INTO' clause (at position %d)", start+1))
	}
	s.Select, s.Hints = sel.Node, sel.Hints
	s.SelectText = p.Source(start)
	for i := range s.Refs {
		s.Refs[i].Start -= start
		s.Refs[i].End -= start
	}
}

// viewRef notes the name or the star that starts at start.
func (p *parser) viewRef(start int, table ast.TableName, star int) {
	p.view.Refs = append(p.view.Refs, ast.ViewRef{Start: start, End: p.PrevEnd(), Table: table, Star: star})
}

// viewTable is the star that the word TABLE at start stands for.
func (p *parser) viewTable(start int, star sqlparser.StarExpr) *ast.ViewStar {
	out := p.viewStar(start, star)
	p.view.Refs[out.Number].Query = true
	return out
}

// viewStar is the star that starts at start.
func (p *parser) viewStar(start int, star sqlparser.StarExpr) *ast.ViewStar {
	n := len(p.view.Refs)
	p.viewRef(start, ast.TableName{}, n)
	return &ast.ViewStar{StarExpr: star, Number: n}
}
