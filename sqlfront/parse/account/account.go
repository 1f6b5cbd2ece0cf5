// Package account reads the statements about accounts and their rights, which need no
// expressions: CREATE, ALTER, DROP and RENAME USER, GRANT, REVOKE and SET PASSWORD.
package account

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// Reader reads at a cursor: its methods panic as the cursor's do.
type Reader struct{ *lex.Cursor }

// CreateUser reads what follows CREATE USER, or ALTER USER if alter is true
// (https://dev.mysql.com/doc/refman/5.7/en/create-user.html).
func (r Reader) CreateUser(alter bool) ast.Statement {
	s := &ast.CreateUser{Alter: alter}
	if alter {
		s.IfExists = r.IfExists()
	} else {
		s.IfNotExists = r.IfNotExists()
	}
	s.Accounts = r.accountSpecs()
	s.Options = r.accountOptions()
	return s
}

func (r Reader) accountSpecs() (out []ast.AccountSpec) {
	r.List(func() { out = append(out, r.accountSpec()) })
	return out
}

// accountSpec reads an account and IDENTIFIED.
func (r Reader) accountSpec() ast.AccountSpec {
	s := ast.AccountSpec{AccountName: r.Name()}
	if !r.Accept("IDENTIFIED") {
		return s
	}
	if r.Accept("WITH") {
		s.Plugin = r.WordOrString("the name of a plugin")
		switch r.AcceptAny("BY", "AS", "USING") {
		case "BY":
			s.Password = r.password()
		case "AS", "USING":
			s.Secret = r.StringOrHex("a secret in quotes")
		}
		return s
	}
	r.Expect("BY")
	if r.Accept("PASSWORD") { // MySQL 5.6's
		s.Secret = r.StringOrHex("a secret in quotes")
		return s
	}
	s.Password = r.password()
	return s
}

func (r Reader) password() *string {
	r.Refuse("IDENTIFIED BY ", "RANDOM PASSWORD")
	text := r.StringValue("a password in quotes")
	return &text
}

// Name reads 'user'@'host', a name alone, or CURRENT_USER.
func (r Reader) Name() ast.AccountName {
	if r.Accept("CURRENT_USER") || r.At("USER") && r.IsOp(r.Peek(1), "(") && r.Accept("USER") {
		if r.AcceptOp("(") {
			r.ExpectOp(")")
		}
		return ast.AccountName{Current: true}
	}
	start := r.Current()
	n := ast.AccountName{User: r.WordOrString("the name of a user"), Host: "%"}
	if r.Current().Kind == lex.UserVar {
		n.Host = lex.VariableName(r.Text(r.Advance()))
	}
	r.checkAccount(n, start)
	return n
}

// The longest names of users and hosts, in characters.
const (
	maxUser = 32
	maxHost = 60
)

func (r Reader) checkAccount(n ast.AccountName, at *lex.Token) {
	check := func(name, what string, limit int) {
		if len([]rune(name)) > limit {
			r.Fail(mysqlerr.New(mysqlerr.WrongStringLength, "String '%.100s' is too long for %s (should be no longer than %d)",
				name, what, limit))
		}
		if strings.ContainsRune(name, 0) {
			r.FailAt(at.Start, "a name without a zero byte")
		}
	}
	check(n.User, "user name", maxUser)
	check(n.Host, "host name", maxHost)
	if strings.Contains(n.Host, "@") { // user@host is split at the last @
		r.Fail(mysqlerr.New(mysqlerr.UnknownError, "Malformed hostname '%s': it contains an @", n.Host))
	}
}

func (r Reader) accounts() (out []ast.AccountName) {
	r.List(func() { out = append(out, r.Name()) })
	return out
}

// accountOptions reads REQUIRE, PASSWORD EXPIRE and ACCOUNT.
func (r Reader) accountOptions() ast.AccountOptions {
	var o ast.AccountOptions
	if r.Accept("REQUIRE") {
		o.Require = r.requirement()
	}
	r.Refuse("", "WITH MAX_QUERIES_PER_HOUR", "WITH MAX_UPDATES_PER_HOUR", "WITH MAX_CONNECTIONS_PER_HOUR",
		"WITH MAX_USER_CONNECTIONS", "COMMENT", "ATTRIBUTE")
	for {
		switch {
		case r.Accept("ACCOUNT"):
			locked := r.ExpectAny("LOCK", "UNLOCK") == "LOCK"
			o.Locked = &locked
		case r.Accept("PASSWORD", "EXPIRE"): // accepted: passwords never expire
			if r.AcceptAny("DEFAULT", "NEVER") == "" {
				r.Unsupported(r.Tokens[r.Pos-1].Start, "PASSWORD EXPIRE")
			}
		default:
			return o
		}
	}
}

// requirement reads what follows REQUIRE.
func (r Reader) requirement() *ast.Requirement {
	out := &ast.Requirement{Kind: "SPECIFIED"}
	parts := map[string]*string{"SUBJECT": &out.Subject, "ISSUER": &out.Issuer, "CIPHER": &out.Cipher}
	said := map[string]bool{}
	what := r.ExpectAny("NONE", "SSL", "X509", "SUBJECT", "ISSUER", "CIPHER")
	for what != "" {
		part := parts[what]
		if part == nil {
			return &ast.Requirement{Kind: what}
		}
		if said[what] {
			r.Fail(mysqlerr.New(mysqlerr.DupArgument, "Option '%s' used twice in statement", what))
		}
		said[what], *part = true, r.StringValue("a text in quotes")
		if r.Accept("AND") {
			what = r.ExpectAny("SUBJECT", "ISSUER", "CIPHER")
		} else {
			what = r.AcceptAny("SUBJECT", "ISSUER", "CIPHER")
		}
	}
	return out
}

// DropUser reads what follows DROP USER.
func (r Reader) DropUser() ast.Statement {
	return &ast.DropUser{IfExists: r.IfExists(), Accounts: r.accounts()}
}

// RenameUser reads what follows RENAME USER.
func (r Reader) RenameUser() ast.Statement {
	s := &ast.RenameUser{}
	r.List(func() {
		pair := ast.AccountPair{From: r.Name()}
		r.Expect("TO")
		pair.To = r.Name()
		s.Pairs = append(s.Pairs, pair)
	})
	return s
}

// Grant reads GRANT (https://dev.mysql.com/doc/refman/5.7/en/grant.html).
func (r Reader) Grant() ast.Statement {
	r.Expect("GRANT")
	s := &ast.Grant{}
	r.privileges(s)
	r.grantLevel(s)
	r.Expect("TO")
	s.Accounts = r.accountSpecs()
	if r.Accept("REQUIRE") {
		s.Options.Require = r.requirement()
	}
	if r.Accept("WITH") {
		r.Refuse("WITH ", "MAX_QUERIES_PER_HOUR", "MAX_UPDATES_PER_HOUR", "MAX_CONNECTIONS_PER_HOUR", "MAX_USER_CONNECTIONS",
			"ADMIN")
		r.Expect("GRANT", "OPTION")
		s.Option = true
	}
	return s
}

// Revoke reads REVOKE
// (https://dev.mysql.com/doc/refman/5.7/en/revoke.html).
func (r Reader) Revoke() ast.Statement {
	r.Expect("REVOKE")
	s := &ast.Grant{Revoke: true}
	r.privileges(s)
	if s.All && r.AcceptOp(",") {
		r.Expect("GRANT", "OPTION")
		s.Everything = true
	} else {
		r.grantLevel(s)
	}
	r.Expect("FROM")
	for _, n := range r.accounts() {
		s.Accounts = append(s.Accounts, ast.AccountSpec{AccountName: n})
	}
	return s
}

// privileges reads ALL [PRIVILEGES] or names.
func (r Reader) privileges(s *ast.Grant) {
	r.Refuse("GRANT ", "PROXY")
	if r.Accept("ALL") {
		r.Accept("PRIVILEGES")
		s.All = true
		return
	}
	r.List(func() { s.Privileges = append(s.Privileges, r.privilege()) })
}

// privilegeNames are MySQL's; of two with the same first words the longer one comes first.
var privilegeNames = []string{"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE TEMPORARY TABLES", "CREATE TABLESPACE",
	"CREATE VIEW", "CREATE ROUTINE", "CREATE USER", "CREATE", "DROP", "RELOAD", "SHUTDOWN", "PROCESS", "FILE", "REFERENCES",
	"INDEX", "ALTER ROUTINE", "ALTER", "SHOW DATABASES", "SHOW VIEW", "SUPER", "LOCK TABLES", "EXECUTE", "REPLICATION SLAVE",
	"REPLICATION CLIENT", "EVENT", "TRIGGER", "GRANT OPTION", "USAGE"}

func (r Reader) privilege() string {
	start := r.Current()
	for _, name := range privilegeNames {
		if !r.AcceptPhrase(name) {
			continue
		}
		if r.AtOp("(") {
			r.Unsupported(start.Start, name+" of columns")
		}
		return name
	}
	r.Expected("a privilege")
	return ""
}

// grantLevel reads ON *.*, *, database.*, table or database.table. The name of a
// database may be a pattern.
func (r Reader) grantLevel(s *ast.Grant) {
	r.Expect("ON")
	r.Refuse("ON ", "FUNCTION", "PROCEDURE")
	if r.At("TABLE") {
		r.Pos++
	}
	switch {
	case r.AcceptOp("*"):
		if s.Star = !r.AcceptOp("."); !s.Star {
			r.ExpectOp("*")
			s.Global = true
		}
	case r.IsOp(r.Peek(1), ".") && r.IsOp(r.Peek(2), "*"):
		s.On.Database = r.NewName("the name of a database")
		r.Pos += 2
	default:
		s.On = r.TableName()
	}
}

// SetPassword reads what follows SET PASSWORD. PASSWORD('text') means the text, as in MySQL 5.7.
func (r Reader) SetPassword() ast.Statement {
	s := &ast.SetPassword{}
	if r.Accept("FOR") {
		name := r.Name()
		s.For = &name
	}
	r.ExpectOp("=")
	call := r.Accept("PASSWORD")
	if call {
		r.ExpectOp("(")
	}
	s.Password = r.StringValue("a password in quotes")
	if call {
		r.ExpectOp(")")
	}
	return s
}
