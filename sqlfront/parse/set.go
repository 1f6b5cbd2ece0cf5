package parse

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// setStatement reads SET of variables, names and transactions.
func (p *parser) setStatement() ast.Statement {
	p.Expect("SET")
	if p.At("PASSWORD") && (p.IsOp(p.Peek(1), "=") || p.IsWord(p.Peek(1), "FOR")) {
		p.Pos++
		return p.accounts().SetPassword()
	}
	p.Refuse("SET ", "ROLE", "DEFAULT ROLE", "RESOURCE GROUP", "STATEMENT")
	scope := p.setScope()
	if p.At("TRANSACTION") {
		p.Pos++
		return p.setTransaction(scope)
	}
	s := &ast.Set{}
	s.Assignments = append(s.Assignments, p.setVariable(scope))
	for p.AcceptOp(",") {
		s.Assignments = append(s.Assignments, p.setVariable(p.setScope()))
	}
	return s
}

// setScope reads GLOBAL, SESSION or LOCAL if a variable follows.
func (p *parser) setScope() ast.Scope {
	if !p.IsName(p.Peek(1)) {
		return ast.ScopeDefault
	}
	switch p.AcceptAny("GLOBAL", "SESSION", "LOCAL", "PERSIST", "PERSIST_ONLY") {
	case "GLOBAL":
		return ast.ScopeGlobal
	case "SESSION", "LOCAL":
		return ast.ScopeSession
	case "PERSIST", "PERSIST_ONLY":
		p.Unsupported(p.Tokens[p.Pos-1].Start, "SET PERSIST")
	}
	return ast.ScopeDefault
}

// setVariable reads one assignment after its scope.
func (p *parser) setVariable(scope ast.Scope) ast.SetVar {
	v := ast.SetVar{Scope: scope}
	switch {
	case scope == ast.ScopeDefault && p.setNames(&v):
		return v
	case scope == ast.ScopeDefault && p.Current().Kind == lex.UserVar:
		v.Scope, v.Name = ast.ScopeUser, lex.VariableName(p.Text(p.Advance()))
	case scope == ast.ScopeDefault && p.AtOp("@@"):
		v.Scope, v.Name = p.scopedName()
		v.Next = v.Scope == ast.ScopeDefault
	default:
		v.Name = strings.ToLower(p.Name("the name of a variable"))
		if p.AcceptOp(".") {
			v.Name += "." + strings.ToLower(p.AnyName("the name of a variable"))
		}
	}
	if !p.AcceptOp(":=") {
		p.ExpectOp("=")
	}
	v.Value = p.setValue(v.Scope)
	return v
}

// scopedName reads @@name and @@scope.name.
func (p *parser) scopedName() (ast.Scope, string) {
	scope, name := p.systemVariableName()
	switch scope {
	case "global":
		return ast.ScopeGlobal, name
	case "session":
		return ast.ScopeSession, name
	}
	return ast.ScopeDefault, name
}

// setNames reads NAMES and CHARACTER SET, which have no equals sign.
func (p *parser) setNames(v *ast.SetVar) bool {
	switch {
	case p.At("NAMES") && !p.IsOp(p.Peek(1), "=") && !p.IsOp(p.Peek(1), ":="):
		p.Pos++
		v.Scope = ast.ScopeNames
	case p.Accept("CHARACTER", "SET"), p.Accept("CHAR", "SET"),
		p.At("CHARSET") && !p.IsOp(p.Peek(1), "=") && p.Accept("CHARSET"):
		v.Scope = ast.ScopeCharset
	default:
		return false
	}
	if p.Accept("DEFAULT") {
		v.Value.Default = true
		return true
	}
	v.Value.Word = p.WordOrString("the name of a character set")
	if v.Scope == ast.ScopeNames && p.Accept("COLLATE") {
		v.Collate = p.WordOrString("the name of a collation")
	}
	return true
}

// setValue reads DEFAULT, a word or an expression; a user variable's is always
// an expression.
func (p *parser) setValue(scope ast.Scope) ast.SetValue {
	t, next := p.Current(), p.Peek(1)
	ends := next.Kind == lex.EOF || p.IsOp(next, ",") || p.IsOp(next, ";")
	switch {
	case !ends || scope == ast.ScopeUser:
	case p.IsWord(t, "DEFAULT"):
		p.Pos++
		return ast.SetValue{Default: true}
	case t.Kind == lex.Quoted, p.IsWord(t, "ON", "ALL", "BINARY", "ROW", "SYSTEM"),
		p.IsName(t) && specialForm(p.Text(t)) == nil:
		return ast.SetValue{Word: p.NameOf(p.Advance())}
	}
	return ast.SetValue{Expr: p.expr().Expr}
}

func (p *parser) useStatement() ast.Statement {
	p.Expect("USE")
	return &ast.Use{Name: p.DatabaseName()}
}
