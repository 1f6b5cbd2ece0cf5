package parse

import "github.com/hbasekv/hbasekv/sqlfront/parse/ast"

func (p *parser) beginStatement() ast.Statement {
	p.Expect("BEGIN")
	p.Accept("WORK")
	return &ast.Begin{}
}

// startStatement reads START TRANSACTION with its characteristics.
func (p *parser) startStatement() ast.Statement {
	p.Expect("START", "TRANSACTION")
	s := &ast.Begin{}
	if !p.AtAny("READ", "WITH") {
		return s
	}
	p.List(func() {
		if p.ExpectAny("READ", "WITH") == "WITH" {
			p.Expect("CONSISTENT", "SNAPSHOT")
			s.ConsistentSnapshot = true
			return
		}
		t := p.Current()
		if p.ExpectAny("ONLY", "WRITE") == "ONLY" {
			s.ReadOnly = true
		} else {
			s.ReadWrite = true
		}
		if s.ReadOnly && s.ReadWrite {
			p.FailAt(t.Start, "one of READ ONLY and READ WRITE")
		}
	})
	return s
}

func (p *parser) commitStatement() ast.Statement {
	p.Expect("COMMIT")
	p.Accept("WORK")
	chain, release := p.completion()
	return &ast.Commit{Chain: chain, Release: release}
}

// rollbackStatement reads ROLLBACK and ROLLBACK TO SAVEPOINT.
func (p *parser) rollbackStatement() ast.Statement {
	p.Expect("ROLLBACK")
	p.Accept("WORK")
	if p.Accept("TO") {
		return &ast.Rollback{To: p.savepointName()}
	}
	chain, release := p.completion()
	return &ast.Rollback{Chain: chain, Release: release}
}

// completion reads [AND [NO] CHAIN] [[NO] RELEASE].
func (p *parser) completion() (chain, release bool) {
	if p.Accept("AND") {
		chain = !p.Accept("NO")
		p.Expect("CHAIN")
	}
	if p.At("NO", "RELEASE") {
		p.Pos += 2
	} else {
		release = p.Accept("RELEASE")
	}
	return chain, release
}

// savepointName reads [SAVEPOINT] name.
func (p *parser) savepointName() string {
	if next := p.Peek(1); p.At("SAVEPOINT") && p.IsName(next) {
		p.Pos++
	}
	return p.Name("the name of a savepoint")
}

func (p *parser) savepointStatement() ast.Statement {
	p.Expect("SAVEPOINT")
	return &ast.Savepoint{Name: p.NewName("the name of a savepoint")}
}

func (p *parser) releaseStatement() ast.Statement {
	p.Expect("RELEASE", "SAVEPOINT")
	return &ast.ReleaseSavepoint{Name: p.Name("the name of a savepoint")}
}

// setTransaction reads what follows SET [scope] TRANSACTION.
func (p *parser) setTransaction(scope ast.Scope) ast.Statement {
	s := &ast.SetTransaction{Scope: scope}
	p.List(func() {
		if p.Accept("ISOLATION") {
			p.Expect("LEVEL")
			s.Isolation = p.isolationLevel()
			return
		}
		p.Expect("READ")
		if p.ExpectAny("ONLY", "WRITE") == "ONLY" {
			s.ReadOnly = true
		} else {
			s.ReadWrite = true
		}
	})
	return s
}

func (p *parser) isolationLevel() string {
	switch p.ExpectAny("REPEATABLE", "READ", "SERIALIZABLE") {
	case "REPEATABLE":
		p.Expect("READ")
		return "REPEATABLE READ"
	case "READ":
		return "READ " + p.ExpectAny("COMMITTED", "UNCOMMITTED")
	}
	return "SERIALIZABLE"
}
