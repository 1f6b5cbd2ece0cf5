package parse

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// createUser reads what follows CREATE USER, and ALTER USER with alter
// (https://dev.mysql.com/doc/refman/5.7/en/create-user.html).
func (p *parser) createUser(alter bool) ast.Statement {
	s := &ast.CreateUser{Alter: alter}
	if alter {
		s.IfExists = p.ifExists()
	} else {
		s.IfNotExists = p.ifNotExists()
	}
	s.Accounts = p.accountSpecs()
	s.Options = p.accountOptions()
	return s
}

func (p *parser) accountSpecs() (out []ast.AccountSpec) {
	p.List(func() { out = append(out, p.accountSpec()) })
	return out
}

// accountSpec reads an account and IDENTIFIED.
func (p *parser) accountSpec() ast.AccountSpec {
	s := ast.AccountSpec{AccountName: p.account()}
	if !p.Accept("IDENTIFIED") {
		return s
	}
	if p.Accept("WITH") {
		s.Plugin = p.WordOrString("the name of a plugin")
		switch p.AcceptAny("BY", "AS", "USING") {
		case "BY":
			s.Password = p.password()
		case "AS", "USING":
			s.Secret = p.stringOrHex("a secret in quotes")
		}
		return s
	}
	p.Expect("BY")
	if p.Accept("PASSWORD") { // MySQL 5.6's
		s.Secret = p.stringOrHex("a secret in quotes")
		return s
	}
	s.Password = p.password()
	return s
}

func (p *parser) password() *string {
	p.refuse("IDENTIFIED BY ", "RANDOM PASSWORD")
	text := p.StringValue("a password in quotes")
	return &text
}

// stringOrHex reads a string or, as MySQL 8 prints secrets, a number in hexadecimal.
func (p *parser) stringOrHex(what string) *string {
	if p.Current().Kind == lex.Hex {
		text := string(p.Literal().Bytes)
		return &text
	}
	text := p.StringValue(what)
	return &text
}

// account reads 'user'@'host', a name alone, or CURRENT_USER.
func (p *parser) account() ast.AccountName {
	if p.Accept("CURRENT_USER") || p.At("USER") && p.IsOp(p.Peek(1), "(") && p.Accept("USER") {
		if p.AcceptOp("(") {
			p.ExpectOp(")")
		}
		return ast.AccountName{Current: true}
	}
	start := p.Current()
	n := ast.AccountName{User: p.WordOrString("the name of a user"), Host: "%"}
	if p.Current().Kind == lex.UserVar {
		n.Host = lex.VariableName(p.Text(p.Advance()))
	}
	p.checkAccount(n, start)
	return n
}

// The longest names of users and hosts, in characters.
const (
	maxUser = 32
	maxHost = 60
)

func (p *parser) checkAccount(n ast.AccountName, at *lex.Token) {
	check := func(name, what string, limit int) {
		if len([]rune(name)) > limit {
			p.Fail(mysqlerr.New(mysqlerr.WrongStringLength, "String '%.100s' is too long for %s (should be no longer than %d)",
				name, what, limit))
		}
		if strings.ContainsRune(name, 0) {
			p.FailAt(at.Start, "a name without a byte 0")
		}
	}
	check(n.User, "user name", maxUser)
	check(n.Host, "host name", maxHost)
	if strings.Contains(n.Host, "@") { // user@host is taken apart at the last one
		p.Fail(mysqlerr.New(mysqlerr.UnknownError, "Malformed hostname '%s': it holds an @", n.Host))
	}
}

func (p *parser) accounts() (out []ast.AccountName) {
	p.List(func() { out = append(out, p.account()) })
	return out
}

// accountOptions reads REQUIRE, PASSWORD EXPIRE and ACCOUNT.
func (p *parser) accountOptions() ast.AccountOptions {
	var o ast.AccountOptions
	if p.Accept("REQUIRE") {
		o.Require = p.requirement()
	}
	p.refuse("", "WITH MAX_QUERIES_PER_HOUR", "WITH MAX_UPDATES_PER_HOUR", "WITH MAX_CONNECTIONS_PER_HOUR",
		"WITH MAX_USER_CONNECTIONS", "COMMENT", "ATTRIBUTE")
	for {
		switch {
		case p.Accept("ACCOUNT"):
			locked := p.ExpectAny("LOCK", "UNLOCK") == "LOCK"
			o.Locked = &locked
		case p.Accept("PASSWORD", "EXPIRE"): // passwords never expire
			if p.AcceptAny("DEFAULT", "NEVER") == "" {
				p.Unsupported(p.Tokens[p.Pos-1].Start, "PASSWORD EXPIRE")
			}
		default:
			return o
		}
	}
}

// requirement reads what follows REQUIRE.
func (p *parser) requirement() *ast.Requirement {
	r := &ast.Requirement{Kind: "SPECIFIED"}
	parts := map[string]*string{"SUBJECT": &r.Subject, "ISSUER": &r.Issuer, "CIPHER": &r.Cipher}
	said := map[string]bool{}
	what := p.ExpectAny("NONE", "SSL", "X509", "SUBJECT", "ISSUER", "CIPHER")
	for what != "" {
		part := parts[what]
		if part == nil {
			return &ast.Requirement{Kind: what}
		}
		if said[what] {
			p.Fail(mysqlerr.New(mysqlerr.DupArgument, "Option '%s' used twice in statement", what))
		}
		said[what], *part = true, p.StringValue("a text in quotes")
		if p.Accept("AND") {
			what = p.ExpectAny("SUBJECT", "ISSUER", "CIPHER")
		} else {
			what = p.AcceptAny("SUBJECT", "ISSUER", "CIPHER")
		}
	}
	return r
}

func (p *parser) dropUser() ast.Statement {
	return &ast.DropUser{IfExists: p.ifExists(), Accounts: p.accounts()}
}

func (p *parser) renameUser() ast.Statement {
	s := &ast.RenameUser{}
	p.List(func() {
		pair := ast.AccountPair{From: p.account()}
		p.Expect("TO")
		pair.To = p.account()
		s.Pairs = append(s.Pairs, pair)
	})
	return s
}

// grantStatement reads GRANT (https://dev.mysql.com/doc/refman/5.7/en/grant.html).
func (p *parser) grantStatement() ast.Statement {
	p.Expect("GRANT")
	s := &ast.Grant{}
	p.privileges(s)
	p.grantLevel(s)
	p.Expect("TO")
	s.Accounts = p.accountSpecs()
	if p.Accept("REQUIRE") {
		s.Options.Require = p.requirement()
	}
	if p.Accept("WITH") {
		p.refuse("WITH ", "MAX_QUERIES_PER_HOUR", "MAX_UPDATES_PER_HOUR", "MAX_CONNECTIONS_PER_HOUR", "MAX_USER_CONNECTIONS",
			"ADMIN")
		p.Expect("GRANT", "OPTION")
		s.Option = true
	}
	return s
}

// revokeStatement reads REVOKE
// (https://dev.mysql.com/doc/refman/5.7/en/revoke.html).
func (p *parser) revokeStatement() ast.Statement {
	p.Expect("REVOKE")
	s := &ast.Grant{Revoke: true}
	p.privileges(s)
	if s.All && p.AcceptOp(",") {
		p.Expect("GRANT", "OPTION")
		s.Everything = true
	} else {
		p.grantLevel(s)
	}
	p.Expect("FROM")
	for _, n := range p.accounts() {
		s.Accounts = append(s.Accounts, ast.AccountSpec{AccountName: n})
	}
	return s
}

// privileges reads ALL [PRIVILEGES] or names.
func (p *parser) privileges(s *ast.Grant) {
	p.refuse("GRANT ", "PROXY")
	if p.Accept("ALL") {
		p.Accept("PRIVILEGES")
		s.All = true
		return
	}
	p.List(func() { s.Privileges = append(s.Privileges, p.privilege()) })
}

// privilegeNames are MySQL's; of two with the same first words the longer comes first.
var privilegeNames = []string{"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE TEMPORARY TABLES", "CREATE TABLESPACE",
	"CREATE VIEW", "CREATE ROUTINE", "CREATE USER", "CREATE", "DROP", "RELOAD", "SHUTDOWN", "PROCESS", "FILE", "REFERENCES",
	"INDEX", "ALTER ROUTINE", "ALTER", "SHOW DATABASES", "SHOW VIEW", "SUPER", "LOCK TABLES", "EXECUTE", "REPLICATION SLAVE",
	"REPLICATION CLIENT", "EVENT", "TRIGGER", "GRANT OPTION", "USAGE"}

func (p *parser) privilege() string {
	start := p.Current()
	for _, name := range privilegeNames {
		if !p.AcceptPhrase(name) {
			continue
		}
		if p.AtOp("(") {
			p.Unsupported(start.Start, name+" of columns")
		}
		return name
	}
	p.Expected("a privilege")
	return ""
}

// grantLevel reads ON *.*, *, database.*, table or database.table. The name of a
// database may be a pattern.
func (p *parser) grantLevel(s *ast.Grant) {
	p.Expect("ON")
	p.refuse("ON ", "FUNCTION", "PROCEDURE")
	if p.At("TABLE") {
		p.Pos++
	}
	switch {
	case p.AcceptOp("*"):
		if s.Star = !p.AcceptOp("."); !s.Star {
			p.ExpectOp("*")
			s.Global = true
		}
	case p.IsOp(p.Peek(1), ".") && p.IsOp(p.Peek(2), "*"):
		s.On.Database = p.NewName("the name of a database")
		p.Pos += 2
	default:
		s.On = p.tableName()
	}
}

// setPassword reads what follows SET PASSWORD. PASSWORD('text') is the text, as in
// MySQL 5.7.
func (p *parser) setPassword() ast.Statement {
	s := &ast.SetPassword{}
	if p.Accept("FOR") {
		name := p.account()
		s.For = &name
	}
	p.ExpectOp("=")
	call := p.Accept("PASSWORD")
	if call {
		p.ExpectOp("(")
	}
	s.Password = p.StringValue("a password in quotes")
	if call {
		p.ExpectOp(")")
	}
	return s
}
