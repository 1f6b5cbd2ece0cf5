package parse

import "strings"

// setStatement reads SET of variables, names and transactions.
func (p *parser) setStatement() Statement {
	p.expect("SET")
	if p.at("PASSWORD") && (p.isOp(p.peek(1), "=") || p.isWord(p.peek(1), "FOR")) {
		p.pos++
		return p.setPassword()
	}
	p.refuse("SET ", "ROLE", "DEFAULT ROLE", "RESOURCE GROUP", "STATEMENT")
	scope := p.setScope()
	if p.at("TRANSACTION") {
		p.pos++
		return p.setTransaction(scope)
	}
	s := &Set{}
	s.Assignments = append(s.Assignments, p.setVariable(scope))
	for p.acceptOp(",") {
		s.Assignments = append(s.Assignments, p.setVariable(p.setScope()))
	}
	return s
}

// setScope reads GLOBAL, SESSION or LOCAL where a variable follows.
func (p *parser) setScope() Scope {
	if !p.isName(p.peek(1)) {
		return ScopeDefault
	}
	switch p.acceptAny("GLOBAL", "SESSION", "LOCAL", "PERSIST", "PERSIST_ONLY") {
	case "GLOBAL":
		return ScopeGlobal
	case "SESSION", "LOCAL":
		return ScopeSession
	case "PERSIST", "PERSIST_ONLY":
		p.unsupported(p.toks[p.pos-1].start, "SET PERSIST")
	}
	return ScopeDefault
}

// setVariable reads one assignment behind its scope.
func (p *parser) setVariable(scope Scope) SetVar {
	v := SetVar{Scope: scope}
	switch {
	case scope == ScopeDefault && p.setNames(&v):
		return v
	case scope == ScopeDefault && p.cur().kind == tokUserVar:
		v.Scope, v.Name = ScopeUser, variableName(p.text(p.advance()))
	case scope == ScopeDefault && p.atOp("@@"):
		v.Scope, v.Name = p.scopedName()
		v.Next = v.Scope == ScopeDefault
	default:
		v.Name = strings.ToLower(p.name("the name of a variable"))
		if p.acceptOp(".") {
			v.Name += "." + strings.ToLower(p.anyName("the name of a variable"))
		}
	}
	if !p.acceptOp(":=") {
		p.expectOp("=")
	}
	v.Value = p.setValue(v.Scope)
	return v
}

// scopedName reads @@name and @@scope.name.
func (p *parser) scopedName() (Scope, string) {
	scope, name := p.systemVariableName()
	switch scope {
	case "global":
		return ScopeGlobal, name
	case "session":
		return ScopeSession, name
	}
	return ScopeDefault, name
}

// setNames reads NAMES and CHARACTER SET, which have no equals sign.
func (p *parser) setNames(v *SetVar) bool {
	switch {
	case p.at("NAMES") && !p.isOp(p.peek(1), "=") && !p.isOp(p.peek(1), ":="):
		p.pos++
		v.Scope = ScopeNames
	case p.accept("CHARACTER", "SET"), p.accept("CHAR", "SET"),
		p.at("CHARSET") && !p.isOp(p.peek(1), "=") && p.accept("CHARSET"):
		v.Scope = ScopeCharset
	default:
		return false
	}
	if p.accept("DEFAULT") {
		v.Value.Default = true
		return true
	}
	v.Value.Word = p.wordOrString("the name of a character set")
	if v.Scope == ScopeNames && p.accept("COLLATE") {
		v.Collate = p.wordOrString("the name of a collation")
	}
	return true
}

// setValue reads DEFAULT, a word or an expression; a user variable's is always
// an expression.
func (p *parser) setValue(scope Scope) SetValue {
	t, next := p.cur(), p.peek(1)
	ends := next.kind == tokEOF || p.isOp(next, ",") || p.isOp(next, ";")
	switch {
	case !ends || scope == ScopeUser:
	case p.isWord(t, "DEFAULT"):
		p.pos++
		return SetValue{Default: true}
	case t.kind == tokQuoted, p.isWord(t, "ON", "ALL", "BINARY", "ROW", "SYSTEM"),
		p.isName(t) && specialForm(p.text(t)) == nil:
		return SetValue{Word: p.nameOf(p.advance())}
	}
	return SetValue{Expr: p.expr().Expr}
}

func (p *parser) useStatement() Statement {
	p.expect("USE")
	return &Use{Name: p.databaseName()}
}
