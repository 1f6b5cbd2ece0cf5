package parse

import (
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// createUser reads what follows CREATE USER, and ALTER USER with alter
// (https://dev.mysql.com/doc/refman/5.7/en/create-user.html).
func (p *parser) createUser(alter bool) Statement {
	s := &CreateUser{Alter: alter}
	if alter {
		s.IfExists = p.ifExists()
	} else {
		s.IfNotExists = p.ifNotExists()
	}
	s.Accounts = p.accountSpecs()
	s.Options = p.accountOptions()
	return s
}

func (p *parser) accountSpecs() (out []AccountSpec) {
	p.list(func() { out = append(out, p.accountSpec()) })
	return out
}

// accountSpec reads an account and IDENTIFIED.
func (p *parser) accountSpec() AccountSpec {
	s := AccountSpec{AccountName: p.account()}
	if !p.accept("IDENTIFIED") {
		return s
	}
	if p.accept("WITH") {
		s.Plugin = p.wordOrString("the name of a plugin")
		switch p.acceptAny("BY", "AS", "USING") {
		case "BY":
			s.Password = p.password()
		case "AS", "USING":
			s.Secret = p.secret()
		}
		return s
	}
	p.expect("BY")
	if p.accept("PASSWORD") { // MySQL 5.6's
		s.Secret = p.secret()
		return s
	}
	s.Password = p.password()
	return s
}

func (p *parser) password() *string {
	p.refuse("IDENTIFIED BY ", "RANDOM PASSWORD")
	text := p.stringValue("a password in quotes")
	return &text
}

// secret reads a string or, as MySQL 8 prints it, a number in hexadecimal.
func (p *parser) secret() *string {
	if p.cur().kind == tokHex {
		text := string(p.literal().Bytes)
		return &text
	}
	text := p.stringValue("a secret in quotes")
	return &text
}

// account reads 'user'@'host', a name alone, or CURRENT_USER.
func (p *parser) account() AccountName {
	if p.accept("CURRENT_USER") || p.at("USER") && p.isOp(p.peek(1), "(") && p.accept("USER") {
		if p.acceptOp("(") {
			p.expectOp(")")
		}
		return AccountName{Current: true}
	}
	start := p.cur()
	n := AccountName{User: p.wordOrString("the name of a user"), Host: "%"}
	if p.cur().kind == tokUserVar {
		n.Host = variableName(p.text(p.advance()))
	}
	p.checkAccount(n, start)
	return n
}

// The longest names of users and hosts, in characters.
const (
	maxUser = 32
	maxHost = 60
)

func (p *parser) checkAccount(n AccountName, at *token) {
	check := func(name, what string, limit int) {
		if len([]rune(name)) > limit {
			p.fail(mysqlerr.New(mysqlerr.WrongStringLength, "String '%.100s' is too long for %s (should be no longer than %d)",
				name, what, limit))
		}
		if strings.ContainsRune(name, 0) {
			p.failAt(at.start, "a name without a byte 0")
		}
	}
	check(n.User, "user name", maxUser)
	check(n.Host, "host name", maxHost)
	if strings.Contains(n.Host, "@") { // user@host is taken apart at the last one
		p.fail(mysqlerr.New(mysqlerr.UnknownError, "Malformed hostname '%s': it holds an @", n.Host))
	}
}

func (p *parser) accounts() (out []AccountName) {
	p.list(func() { out = append(out, p.account()) })
	return out
}

// accountOptions reads REQUIRE, PASSWORD EXPIRE and ACCOUNT.
func (p *parser) accountOptions() AccountOptions {
	var o AccountOptions
	if p.accept("REQUIRE") {
		o.Require = p.requirement()
	}
	p.refuse("", "WITH MAX_QUERIES_PER_HOUR", "WITH MAX_UPDATES_PER_HOUR", "WITH MAX_CONNECTIONS_PER_HOUR",
		"WITH MAX_USER_CONNECTIONS", "COMMENT", "ATTRIBUTE")
	for {
		switch {
		case p.accept("ACCOUNT"):
			locked := p.expectAny("LOCK", "UNLOCK") == "LOCK"
			o.Locked = &locked
		case p.accept("PASSWORD", "EXPIRE"): // passwords never expire
			if p.acceptAny("DEFAULT", "NEVER") == "" {
				p.unsupported(p.toks[p.pos-1].start, "PASSWORD EXPIRE")
			}
		default:
			return o
		}
	}
}

// requirement reads what follows REQUIRE.
func (p *parser) requirement() *Requirement {
	r := &Requirement{Kind: "SPECIFIED"}
	parts := map[string]*string{"SUBJECT": &r.Subject, "ISSUER": &r.Issuer, "CIPHER": &r.Cipher}
	said := map[string]bool{}
	what := p.expectAny("NONE", "SSL", "X509", "SUBJECT", "ISSUER", "CIPHER")
	for what != "" {
		part := parts[what]
		if part == nil {
			return &Requirement{Kind: what}
		}
		if said[what] {
			p.fail(mysqlerr.New(mysqlerr.DupArgument, "Option '%s' used twice in statement", what))
		}
		said[what], *part = true, p.stringValue("a text in quotes")
		if p.accept("AND") {
			what = p.expectAny("SUBJECT", "ISSUER", "CIPHER")
		} else {
			what = p.acceptAny("SUBJECT", "ISSUER", "CIPHER")
		}
	}
	return r
}

func (p *parser) dropUser() Statement {
	return &DropUser{IfExists: p.ifExists(), Accounts: p.accounts()}
}

func (p *parser) renameUser() Statement {
	s := &RenameUser{}
	p.list(func() {
		pair := AccountPair{From: p.account()}
		p.expect("TO")
		pair.To = p.account()
		s.Pairs = append(s.Pairs, pair)
	})
	return s
}

// grantStatement reads GRANT (https://dev.mysql.com/doc/refman/5.7/en/grant.html).
func (p *parser) grantStatement() Statement {
	p.expect("GRANT")
	s := &Grant{}
	p.privileges(s)
	p.grantLevel(s)
	p.expect("TO")
	s.Accounts = p.accountSpecs()
	if p.accept("REQUIRE") {
		s.Options.Require = p.requirement()
	}
	if p.accept("WITH") {
		p.refuse("WITH ", "MAX_QUERIES_PER_HOUR", "MAX_UPDATES_PER_HOUR", "MAX_CONNECTIONS_PER_HOUR", "MAX_USER_CONNECTIONS",
			"ADMIN")
		p.expect("GRANT", "OPTION")
		s.Option = true
	}
	return s
}

// revokeStatement reads REVOKE
// (https://dev.mysql.com/doc/refman/5.7/en/revoke.html).
func (p *parser) revokeStatement() Statement {
	p.expect("REVOKE")
	s := &Grant{Revoke: true}
	p.privileges(s)
	if s.All && p.acceptOp(",") {
		p.expect("GRANT", "OPTION")
		s.Everything = true
	} else {
		p.grantLevel(s)
	}
	p.expect("FROM")
	for _, n := range p.accounts() {
		s.Accounts = append(s.Accounts, AccountSpec{AccountName: n})
	}
	return s
}

// privileges reads ALL [PRIVILEGES] or names.
func (p *parser) privileges(s *Grant) {
	p.refuse("GRANT ", "PROXY")
	if p.accept("ALL") {
		p.accept("PRIVILEGES")
		s.All = true
		return
	}
	p.list(func() { s.Privileges = append(s.Privileges, p.privilege()) })
}

// privilegeNames are MySQL's; of two with the same first words the longer comes first.
var privilegeNames = []string{"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE TEMPORARY TABLES", "CREATE TABLESPACE",
	"CREATE VIEW", "CREATE ROUTINE", "CREATE USER", "CREATE", "DROP", "RELOAD", "SHUTDOWN", "PROCESS", "FILE", "REFERENCES",
	"INDEX", "ALTER ROUTINE", "ALTER", "SHOW DATABASES", "SHOW VIEW", "SUPER", "LOCK TABLES", "EXECUTE", "REPLICATION SLAVE",
	"REPLICATION CLIENT", "EVENT", "TRIGGER", "GRANT OPTION", "USAGE"}

func (p *parser) privilege() string {
	start := p.cur()
	for _, name := range privilegeNames {
		if !p.acceptPhrase(name) {
			continue
		}
		if p.atOp("(") {
			p.unsupported(start.start, name+" of columns")
		}
		return name
	}
	p.expected("a privilege")
	return ""
}

// grantLevel reads ON *.*, *, database.*, table or database.table. The name of a
// database may be a pattern.
func (p *parser) grantLevel(s *Grant) {
	p.expect("ON")
	p.refuse("ON ", "FUNCTION", "PROCEDURE")
	if p.at("TABLE") {
		p.pos++
	}
	switch {
	case p.acceptOp("*"):
		if s.Star = !p.acceptOp("."); !s.Star {
			p.expectOp("*")
			s.Global = true
		}
	case p.isOp(p.peek(1), ".") && p.isOp(p.peek(2), "*"):
		s.On.Database = p.newName("the name of a database")
		p.pos += 2
	default:
		s.On = p.tableName()
	}
}

// setPassword reads what follows SET PASSWORD. PASSWORD('text') is the text, as in
// MySQL 5.7.
func (p *parser) setPassword() Statement {
	s := &SetPassword{}
	if p.accept("FOR") {
		name := p.account()
		s.For = &name
	}
	p.expectOp("=")
	call := p.accept("PASSWORD")
	if call {
		p.expectOp("(")
	}
	s.Password = p.stringValue("a password in quotes")
	if call {
		p.expectOp(")")
	}
	return s
}

// secretWords are in every statement that may hold a password.
var secretWords = []string{"IDENTIFIED", "PASSWORD"}

// Shown is a statement as others than its sender may see it: where it may hold a
// password, it ends in front of that.
func Shown(text string) string {
	if i := secretFrom(text); i >= 0 {
		return text[:i] + "<secret>"
	}
	return text
}

// secretFrom is where in a text the first word ends behind which a password may
// stand, or -1.
func secretFrom(text string) int {
	for i := 0; i < len(text); i++ {
		if c := text[i] | 0x20; c != 'i' && c != 'p' {
			continue
		}
		for _, word := range secretWords {
			if len(text)-i >= len(word) && strings.EqualFold(text[i:i+len(word)], word) {
				return i + len(word)
			}
		}
	}
	return -1
}

// syntaxError is 1064, which quotes no password.
func syntaxError(sql string, offset int, expected string) *mysql.MySQLError {
	shown := len(sql)
	if i := secretFrom(sql); i >= 0 {
		shown = i
	}
	return mysqlerr.SyntaxIn(sql, shown, offset, expected)
}
