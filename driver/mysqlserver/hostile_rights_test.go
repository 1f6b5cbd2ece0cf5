package mysqlserver_test

import (
	"database/sql"
	"fmt"
	goast "go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// openStatements are statements that everyone may run, or that show only what one may see:
// with guardedStatements they are of all kinds.
var openStatements = []string{
	"BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT s", "RELEASE SAVEPOINT s", "UNLOCK TABLES", "DO 1", "-- nothing", "KILL 999999",
	"PREPARE p FROM 'SELECT V FROM vault.gems'", "EXECUTE p", "DEALLOCATE PREPARE p", "DESCRIBE information_schema.TABLES",
	"SET TRANSACTION ISOLATION LEVEL READ COMMITTED", "SPLIT TABLE vault.gems BY ('m')", "BACKUP TO '/tmp/vault'",
	"ALTER TABLE vault.gems TRUNCATE PARTITION p0", "ALTER TABLE vault.gems EXCHANGE PARTITION p0 WITH TABLE open.mine",
	"ALTER TABLE vault.gems RENAME TO open.gems", "ALTER VIEW vault.showcase AS SELECT 1", "EXPLAIN UPDATE vault.gems SET V = 'x'",
	"EXPLAIN DELETE FROM vault.gems", "EXPLAIN INSERT INTO vault.gems SELECT * FROM vault.users", "EXPLAIN FORMAT=TREE SELECT * FROM vault.gems",
	"SELECT * FROM vault.gems FOR SYSTEM_TIME ALL", "SELECT /*+ VERSIONS(ALL) */ * FROM vault.gems", "SELECT * FROM vault.gems FOR UPDATE",
	"CREATE TABLE open.copy AS SELECT * FROM vault.gems", "CREATE TABLE open.like1 LIKE vault.gems", "SET @stolen = (SELECT MAX(V) FROM vault.gems)",
	"DO (SELECT MAX(V) FROM vault.gems)", "SET @stolen = 1 + (SELECT COUNT(*) FROM vault.gems)", "SELECT @stolen",
	"LOAD DATA LOCAL INFILE 'x' INTO TABLE vault.gems", "SELECT V INTO OUTFILE '/tmp/vault' FROM vault.gems",
	"SELECT LOAD_FILE('/etc/passwd')", "VALUES ROW(1)", "TABLE vault.gems",
	"SHOW DATABASES", "SHOW TABLES", "SHOW OPEN TABLES FROM vault", "SHOW OPEN TABLES", "SHOW TABLE STATUS", "SHOW FULL TABLES FROM vault",
	"SHOW FULL COLUMNS FROM vault.users", "SHOW INDEX FROM vault.users", "SHOW CREATE TABLE vault.users$profile", "SHOW CREATE VIEW vault.window",
	"SHOW TABLEGROUPS", "SHOW TABLEGROUPS FROM vault", "SHOW VARIABLES", "SHOW GLOBAL VARIABLES", "SHOW STATUS", "SHOW GLOBAL STATUS",
	"SHOW WARNINGS", "SHOW ERRORS", "SHOW COUNT(*) WARNINGS", "SHOW ENGINES", "SHOW ENGINE INNODB STATUS", "SHOW COLLATION", "SHOW CHARACTER SET",
	"SHOW PROCESSLIST", "SHOW FULL PROCESSLIST", "SHOW GRANTS", "SHOW GRANTS FOR CURRENT_USER()", "SHOW PRIVILEGES", "SHOW PLUGINS",
	"SHOW TRIGGERS", "SHOW TRIGGERS FROM vault", "SHOW EVENTS", "SHOW EVENTS FROM vault", "SHOW PROCEDURE STATUS", "SHOW FUNCTION STATUS",
	"SHOW SLAVE STATUS", "SHOW SLAVE HOSTS", "SHOW BINARY LOGS", "SHOW PROFILES", "SHOW PROFILE", "SHOW CREATE USER CURRENT_USER()",
}

// TestEachKindOfStatement: whatever a client without rights runs, as text or prepared, nothing
// hidden is returned, in rows, column names or errors, and nothing changes.
func TestEachKindOfStatement(t *testing.T) {
	s, root := guarded(t)
	contents := func() string {
		lines, err := run(root, "SELECT * FROM vault.gems UNION SELECT * FROM vault.users$profile")
		require.NoError(t, err)
		tables, err := run(root, "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA IN ('vault', 'open')")
		require.NoError(t, err)
		return strings.Join(append(lines, tables...), "\n")
	}
	before := contents()
	execAll(t, root, "GRANT SELECT, CREATE ON open.* TO eve")
	eve := s.as(t, "eve", "open")
	statements := openStatements
	for _, each := range guardedStatements {
		statements = append(statements, each.statement)
	}
	for _, statement := range statements {
		requireHidden(t, eve, statement)
		if prepared, err := eve.Prepare(statement); err == nil {
			rows, err := prepared.Query()
			if err == nil {
				for rows.Next() {
				}
				rows.Close()
				err = rows.Err()
			}
			requireNoSecret(t, statement, fmt.Sprint(err))
			prepared.Close()
		}
	}
	execAll(t, root, "DROP TABLE IF EXISTS open.copy", "DROP TABLE IF EXISTS open.like1")
	require.Equal(t, before, contents())
}

// requireHidden runs a statement that must not return anything hidden.
func requireHidden(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	lines, err := run(db, statement)
	shown := strings.Join(lines, "\n")
	if err != nil {
		shown += err.Error()
	}
	if !strings.Contains(statement, "PROCESSLIST") { // it shows itself
		requireNoSecret(t, statement, shown)
	}
}

func requireNoSecret(t *testing.T, statement, shown string) {
	t.Helper()
	for _, secret := range []string{"hidden", "ruby", "weight", "ann"} {
		if !strings.Contains(statement, secret) {
			require.NotContains(t, shown, secret, statement)
		}
	}
}

// TestEachKindIsTried: the lists above have a statement of each kind and each SHOW.
func TestEachKindIsTried(t *testing.T) {
	tried := map[string]bool{}
	statements := openStatements
	for _, each := range guardedStatements {
		statements = append(statements, each.statement)
	}
	for _, statement := range statements {
		parsed, err := parse.Parse(statement)
		if err != nil {
			continue // it is refused before anything else
		}
		tried[reflect.TypeOf(parsed.Stmt).Elem().Name()] = true
		if show, ok := parsed.Stmt.(*ast.Show); ok {
			tried["SHOW "+string(show.Kind)] = true
		}
	}
	files, err := filepath.Glob("../../sqlfront/parse/ast/*.go")
	require.NoError(t, err)
	kinds := 0
	var missing []string
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		goast.Inspect(file, func(n goast.Node) bool {
			for _, kind := range kindsOf(n) {
				kinds++
				if !tried[kind] {
					missing = append(missing, kind)
				}
			}
			return true
		})
	}
	require.Empty(t, missing, "kinds that none of the statements tries")
	require.Greater(t, kinds, 60)
}

// kindsOf are the kinds of statements that a node declares.
func kindsOf(n goast.Node) (out []string) {
	switch n := n.(type) {
	case *goast.FuncDecl:
		if n.Recv == nil || n.Name.Name != "statement" {
			return nil
		}
		star, ok := n.Recv.List[0].Type.(*goast.StarExpr)
		if name, isName := star.X.(*goast.Ident); ok && isName && name.Name != "parser" {
			out = append(out, name.Name)
		}
	case *goast.ValueSpec:
		if name, ok := n.Type.(*goast.Ident); ok && name.Name == "ShowKind" {
			text, _ := strconv.Unquote(n.Values[0].(*goast.BasicLit).Value)
			out = append(out, "SHOW "+text)
		}
	}
	return out
}

// TestNamesAreNoStatements: names of users and databases that look like SQL are names, in
// logins, in output, and in the statements that recreate them.
func TestNamesAreNoStatements(t *testing.T) {
	s, root := guarded(t)
	before := one[int](t, root, "SELECT COUNT(*) FROM mysql.user")
	names := []string{"' OR '1'='1", "root'@'localhost", "root@localhost", `a\`, `\'; DROP TABLE x; -- `, "`vault`.gems", "x/*", "--", "%", "_oot",
		"\"", "a\nb", "é漢", "'", "''", "root' -- ", "$(id)", "\t"}
	open := func(user, password, database string) *sql.DB {
		cfg := mysql.NewConfig()
		cfg.User, cfg.Passwd, cfg.Net, cfg.Addr, cfg.DBName = user, password, "unix", s.socket, database
		connector, err := mysql.NewConnector(cfg)
		require.NoError(t, err)
		db := sql.OpenDB(connector)
		db.SetMaxOpenConns(1)
		t.Cleanup(func() { db.Close() })
		return db
	}
	quote := strings.NewReplacer(`\`, `\\`, "'", "''")
	for _, name := range names {
		require.Equal(t, 1045, number(open(name, "pw", "").Ping()), name)
		require.NoError(t, root.Ping()) // so that the next failure is answered soon
		require.NoError(t, open("eve", "pw", "").Ping())
		require.Contains(t, []int{1044, 1049}, number(open("eve", "pw", name).Ping()), name)

		account := "'" + quote.Replace(name) + "'@localhost"
		execAll(t, root, "CREATE USER "+account+" IDENTIFIED BY 'pw'", "GRANT SELECT ON open.* TO "+account)
		db := open(name, "pw", "open")
		require.Equal(t, name+"@localhost", one[string](t, db, "SELECT USER()"))
		_, err := run(db, "SELECT * FROM vault.gems")
		require.Equal(t, 1142, number(err), name)
		require.Equal(t, name, one[string](t, db, "SELECT USER FROM information_schema.PROCESSLIST"))
		grants, err := run(db, "SHOW GRANTS")
		require.NoError(t, err)
		require.Len(t, grants, 2, name)
		again := one[string](t, db, "SHOW CREATE USER CURRENT_USER()")
		execAll(t, root, "DROP USER "+account, again)
		for _, grant := range grants {
			execAll(t, root, strings.TrimSuffix(grant, "|"))
		}
		require.NoError(t, open(name, "pw", "open").Ping())
		_, err = mysqlserver.NewAccounts(again + ";" + strings.ReplaceAll(strings.Join(grants, ";"), "|", ""))
		require.NoError(t, err, name)
		execAll(t, root, "DROP USER "+account)
		require.Equal(t, before, one[int](t, root, "SELECT COUNT(*) FROM mysql.user"))
	}
	for _, name := range []string{strings.Repeat("x", 33), strings.Repeat("x", 60000), "\xff\xfe"} {
		require.Error(t, open(name, "pw", "").Ping())
	}
	require.NoError(t, root.Ping())
}
