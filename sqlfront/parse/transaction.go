package parse

func (p *parser) beginStatement() Statement {
	p.expect("BEGIN")
	p.accept("WORK")
	return &Begin{}
}

// startStatement reads START TRANSACTION with its characteristics.
func (p *parser) startStatement() Statement {
	p.expect("START", "TRANSACTION")
	s := &Begin{}
	if !p.atAny("READ", "WITH") {
		return s
	}
	p.list(func() {
		if p.expectAny("READ", "WITH") == "WITH" {
			p.expect("CONSISTENT", "SNAPSHOT")
			s.ConsistentSnapshot = true
			return
		}
		t := p.cur()
		if p.expectAny("ONLY", "WRITE") == "ONLY" {
			s.ReadOnly = true
		} else {
			s.ReadWrite = true
		}
		if s.ReadOnly && s.ReadWrite {
			p.failAt(t.start, "one of READ ONLY and READ WRITE")
		}
	})
	return s
}

func (p *parser) commitStatement() Statement {
	p.expect("COMMIT")
	p.accept("WORK")
	chain, release := p.completion()
	return &Commit{Chain: chain, Release: release}
}

// rollbackStatement reads ROLLBACK and ROLLBACK TO SAVEPOINT.
func (p *parser) rollbackStatement() Statement {
	p.expect("ROLLBACK")
	p.accept("WORK")
	if p.accept("TO") {
		return &Rollback{To: p.savepointName()}
	}
	chain, release := p.completion()
	return &Rollback{Chain: chain, Release: release}
}

// completion reads [AND [NO] CHAIN] [[NO] RELEASE].
func (p *parser) completion() (chain, release bool) {
	if p.accept("AND") {
		chain = !p.accept("NO")
		p.expect("CHAIN")
	}
	if p.at("NO", "RELEASE") {
		p.pos += 2
	} else {
		release = p.accept("RELEASE")
	}
	return chain, release
}

// savepointName reads [SAVEPOINT] name.
func (p *parser) savepointName() string {
	if next := p.peek(1); p.at("SAVEPOINT") && p.isName(next) {
		p.pos++
	}
	return p.name("the name of a savepoint")
}

func (p *parser) savepointStatement() Statement {
	p.expect("SAVEPOINT")
	return &Savepoint{Name: p.newName("the name of a savepoint")}
}

func (p *parser) releaseStatement() Statement {
	p.expect("RELEASE", "SAVEPOINT")
	return &ReleaseSavepoint{Name: p.name("the name of a savepoint")}
}

// setTransaction reads what stands behind SET [scope] TRANSACTION.
func (p *parser) setTransaction(scope Scope) Statement {
	s := &SetTransaction{Scope: scope}
	p.list(func() {
		if p.accept("ISOLATION") {
			p.expect("LEVEL")
			s.Isolation = p.isolationLevel()
			return
		}
		p.expect("READ")
		if p.expectAny("ONLY", "WRITE") == "ONLY" {
			s.ReadOnly = true
		} else {
			s.ReadWrite = true
		}
	})
	return s
}

func (p *parser) isolationLevel() string {
	switch p.expectAny("REPEATABLE", "READ", "SERIALIZABLE") {
	case "REPEATABLE":
		p.expect("READ")
		return "REPEATABLE READ"
	case "READ":
		return "READ " + p.expectAny("COMMITTED", "UNCOMMITTED")
	}
	return "SERIALIZABLE"
}
