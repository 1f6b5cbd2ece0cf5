package mysqlserver_test

import (
	"database/sql"
	"flag"
	"fmt"
	goast "go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

var tableUpdate = flag.Bool("rights.update", false, "rewrite testdata/rights.txt")

// object is what statements of the table are about.
type object struct{ kind, name string }

// levels are the levels on which privileges are granted for the object, the whole server first.
func (o object) levels() []string {
	levels := []string{"*.*", "v.*"}
	if strings.HasPrefix(o.name, "v.") {
		levels = append(levels, o.name)
	}
	if o == family {
		levels = append(levels, "v.g")
	}
	return levels
}

var (
	family      = object{"family", "v.g$a"}
	group       = object{"group's virtual table", "v.g"}
	single      = object{"table", "v.t"}
	partitioned = object{"partitioned table", "v.r"}
	definers    = object{"view of its definer", "v.d"}
	invokers    = object{"view of its invoker", "v.i"}
	emptyGroup  = object{"table group", "v.e"}
	catalog     = object{"catalog table", "information_schema.TABLES"}
	database    = object{"database", "v"}
	nothing     = object{"", ""}
)

var (
	readable = []object{family, group, single, definers, invokers, catalog}
	tables   = []object{family, single}
	layouts  = []object{family, partitioned}
)

// tableRow is a statement of the table; {} stands for each of the objects. undo restores what
// it changes if it runs.
type tableRow struct {
	statement string
	on        []object
	undo      []string
}

// accountUndo restores the account that statements are about.
var accountUndo = []string{"DROP USER IF EXISTS another@localhost", "CREATE USER IF NOT EXISTS other@localhost",
	"ALTER USER other@localhost IDENTIFIED BY '' ACCOUNT UNLOCK"}

// tableRows are statements of every kind.
var tableRows = []tableRow{
	{"SELECT * FROM {}", readable, nil}, {"SELECT 1 FROM {} FOR UPDATE", tables, nil},
	{"WITH c AS (SELECT 1 FROM {}) SELECT * FROM c", tables, nil},
	{"SELECT 1 INTO OUTFILE 'rights'", []object{nothing}, nil},
	{"SELECT COUNT(*) FROM {} INTO @x", tables, nil}, {"EXPLAIN SELECT * FROM {}", readable, nil},
	{"EXPLAIN ANALYZE SELECT * FROM {}", tables, nil},
	{"EXPLAIN UPDATE {} SET V = 'x'", tables, nil}, {"EXPLAIN DELETE FROM {} WHERE K = 'a'", tables, nil},
	{"DESCRIBE {}", readable, nil}, {"DO (SELECT COUNT(*) FROM {})", tables, nil},
	{"SET @x = (SELECT COUNT(*) FROM {})", tables, nil},
	{"INSERT INTO {} VALUES ('a', 'q', 1, 'x')", readable, nil},
	{"INSERT INTO {} SELECT K, Q, T, V FROM v.t", tables, nil},
	{"INSERT INTO {} VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE V = 'y'", tables, nil},
	{"INSERT INTO {} VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE V = CONCAT(V, 'y')", tables, nil},
	{"REPLACE INTO {} VALUES ('a', 'q', 1, 'x')", tables, nil}, {"UPDATE {} SET V = 'x'", readable, nil},
	{"UPDATE {} SET V = 'x' WHERE K = 'a'", tables, nil},
	{"UPDATE {} AS x JOIN v.r ON x.K = r.K SET x.V = 'x'", tables, nil}, {"DELETE FROM {}", readable, nil},
	{"DELETE FROM {} WHERE K = 'a'", tables, nil},
	{"DELETE x FROM {} AS x JOIN v.r ON x.K = r.K", tables, nil},
	{"LOAD DATA INFILE 'rights' INTO TABLE {}", tables, nil},
	{"LOAD DATA LOCAL INFILE 'Reader::rights' INTO TABLE {}", tables, nil},
	{"TRUNCATE TABLE {}", readable, nil}, {"CHECK TABLE {}", readable, nil},
	{"CHECKSUM TABLE {}", readable, nil}, {"ANALYZE TABLE {}", readable, nil},
	{"OPTIMIZE TABLE {}", readable, nil}, {"REPAIR TABLE {}", readable, nil}, {"FLUSH TABLES {}", tables, nil},
	{"FLUSH TABLES", []object{nothing}, nil},
	{"LOCK TABLES {} READ", readable, nil}, {"LOCK TABLES {} WRITE", tables, nil},
	{"UNLOCK TABLES", []object{nothing}, nil},
	{"CHECK STORE", []object{nothing}, nil}, {"BACKUP TO '/dev/null/rights'", []object{nothing}, nil},

	{"CREATE DATABASE fresh", []object{nothing}, []string{"DROP DATABASE IF EXISTS fresh"}},
	{"CREATE DATABASE {}", []object{database}, nil},
	{"ALTER DATABASE {} CHARACTER SET utf8mb4", []object{database}, nil},
	{"DROP DATABASE {}", []object{{"database", "dropped"}}, []string{"CREATE DATABASE IF NOT EXISTS dropped"}},
	{"USE {}", []object{database, {"database", "information_schema"}}, nil},
	{"SHOW CREATE DATABASE {}", []object{database}, nil},
	{strings.Replace(table, "TABLE t", "TABLE {}", 1), tables, nil},
	{"CREATE TABLE {} AS SELECT * FROM v.r", tables, nil},
	{"CREATE TABLE {} LIKE v.r", tables, nil},
	{"CREATE TABLE v.n LIKE {}", tables, []string{"DROP TABLE IF EXISTS v.n"}},
	{strings.Replace(table, "TABLE t", "TABLE {}$new", 1), []object{{"view in the way of a group", "v.w"}},
		[]string{"DROP TABLE IF EXISTS v.w$new", "CREATE VIEW v.w AS SELECT K, 'f' AS F, Q, T, V FROM v.t"}},
	{"DROP TABLE {}", []object{{"table", "v.gone"}, {"family", "v.g$gone"}},
		[]string{"CREATE TABLE IF NOT EXISTS v.gone LIKE v.t", "CREATE TABLE IF NOT EXISTS v.g$gone LIKE v.g$a"}},
	{"RENAME TABLE {} TO v.r", tables, nil}, {"RENAME TABLE v.r TO {}", tables, nil},
	{"CREATE VIEW {} AS SELECT 1 AS one", []object{definers, single}, nil},
	{"CREATE OR REPLACE VIEW {} AS SELECT 1 AS one", []object{{"view", "v.own"}}, nil},
	{"ALTER VIEW {} AS SELECT 1 AS one", []object{{"view", "v.own"}}, nil},
	{"CREATE VIEW v.fresh AS SELECT * FROM {}", readable, []string{"DROP VIEW IF EXISTS v.fresh"}},
	{"CREATE DEFINER = other@localhost VIEW {} AS SELECT 1 AS one", []object{definers}, nil},
	{"DROP VIEW {}", []object{{"view", "v.own"}, single, group},
		[]string{"CREATE OR REPLACE VIEW v.own AS SELECT 1 AS one"}},
	{"CREATE TABLEGROUP {}", []object{emptyGroup, group}, nil},
	{"ALTER TABLEGROUP {} SHARDING = 'NONE'", []object{emptyGroup, group}, nil},
	{"ALTER TABLEGROUP {} SET TTL = 1000000", []object{emptyGroup, group},
		[]string{"ALTER TABLEGROUP v.e SET TTL = FOREVER", "ALTER TABLEGROUP v.g SET TTL = FOREVER"}},
	{"ALTER TABLEGROUP {} SET MAX_VERSIONS = FOREVER", []object{group}, nil},
	{"ALTER TABLEGROUP v.g ADD TABLE {}", []object{family}, nil},
	{"DROP TABLEGROUP {}", []object{emptyGroup, group}, []string{"CREATE TABLEGROUP IF NOT EXISTS v.e"}},
	{"SPLIT TABLE {} BY ('c')", layouts, nil},

	{"ALTER TABLE {} COMMENT = 'x'", append(slices.Clone(tables), definers, group, catalog), nil},
	{"ALTER TABLE {} MAX_VERSIONS = 1000", tables, []string{"ALTER TABLE v.t MAX_VERSIONS = 0",
		"ALTER TABLE v.g$a MAX_VERSIONS = 0"}},
	{"ALTER TABLE {} MIN_VERSIONS = 0", tables, nil}, {"ALTER TABLE {} DROP_EXPIRED_PARTITIONS = ON", tables,
		[]string{"ALTER TABLE v.t DROP_EXPIRED_PARTITIONS = OFF", "ALTER TABLE v.g$a DROP_EXPIRED_PARTITIONS = OFF"}},
	{"ALTER TABLE {} ADD COLUMN x int", tables, nil}, {"ALTER TABLE {} DROP COLUMN V", tables, nil},
	{"ALTER TABLE {} MODIFY V varbinary(1000)", tables, nil},
	{"ALTER TABLE {} CHANGE V V varbinary(1000)", tables, nil},
	{"ALTER TABLE {} RENAME COLUMN V TO W", tables, nil}, {"ALTER TABLE {} ALTER V SET DEFAULT 'x'", tables, nil},
	{"ALTER TABLE {} RENAME TO v.r", tables, nil}, {"ALTER TABLE v.r RENAME TO {}", tables, nil},
	{"ALTER TABLE {} CONVERT TO CHARACTER SET utf8mb4", tables, nil},
	{"ALTER TABLE {} ADD PRIMARY KEY (K)", tables, nil}, {"ALTER TABLE {} DROP PRIMARY KEY", tables, nil},
	{"ALTER TABLE {} ADD INDEX (K)", tables, nil},
	{"ALTER TABLE {} DROP INDEX x", tables, nil}, {"ALTER TABLE {} RENAME INDEX x TO y", tables, nil},
	{"ALTER TABLE {} ALTER CHECK c NOT ENFORCED", tables, nil},
	{"ALTER TABLE {} DISABLE KEYS", tables, nil},
	{"ALTER TABLE {} FORCE", tables, nil}, {"ALTER TABLE {} ORDER BY K", tables, nil},
	{"ALTER TABLE {} PARTITION BY RANGE COLUMNS(Q) (PARTITION p0 VALUES LESS THAN ('a'))", layouts, nil},
	{"ALTER TABLE {} REMOVE PARTITIONING", []object{{"family", "v.f$a"}}, nil},
	{"ALTER TABLE {} ADD PARTITION (PARTITION z VALUES LESS THAN ('a'))", layouts, nil},
	{"ALTER TABLE {} COALESCE PARTITION 1", layouts, nil},
	{"ALTER TABLE {} REORGANIZE PARTITION absent INTO (PARTITION p VALUES LESS THAN ('b'))", layouts, nil},
	{"ALTER TABLE {} DROP EXPIRED PARTITIONS", layouts, nil},
	{"ALTER TABLE {} EXCHANGE PARTITION absent WITH TABLE v.t", layouts, nil},
	{"ALTER TABLE v.r EXCHANGE PARTITION absent WITH TABLE {}", tables, nil},
	{"ALTER TABLE {} DROP PARTITION absent", layouts, nil},
	{"ALTER TABLE {} TRUNCATE PARTITION p0", layouts, nil}, {"ALTER TABLE {} ANALYZE PARTITION p0", layouts, nil},
	{"ALTER TABLE {} CHECK PARTITION p0", layouts, nil}, {"ALTER TABLE {} OPTIMIZE PARTITION p0", layouts, nil},
	{"ALTER TABLE {} REBUILD PARTITION p0", layouts, nil},
	{"ALTER TABLE {} REPAIR PARTITION p0", layouts, nil},
	{"ALTER TABLE {} DISCARD PARTITION p0 TABLESPACE", layouts, nil},
	{"ALTER TABLE {} IMPORT PARTITION p0 TABLESPACE", layouts, nil},
	{"ALTER TABLE {} DROP SUBPARTITION absent", layouts, nil},

	{"CREATE USER another@localhost", []object{nothing}, accountUndo},
	{"ALTER USER other@localhost IDENTIFIED BY 'x'", []object{nothing}, accountUndo},
	{"ALTER USER CURRENT_USER() ACCOUNT UNLOCK", []object{nothing}, nil},
	{"RENAME USER other@localhost TO another@localhost", []object{nothing}, accountUndo},
	{"DROP USER other@localhost", []object{nothing}, accountUndo},
	{"SET PASSWORD FOR other@localhost = 'x'", []object{nothing}, accountUndo},
	{"SET PASSWORD = 'pw'", []object{nothing}, nil},
	{"GRANT SELECT ON {} TO other@localhost", readable[:5], nil},
	{"GRANT SELECT ON {}.* TO other@localhost", []object{database}, nil},
	{"GRANT SELECT ON *.* TO other@localhost", []object{nothing}, nil},
	{"GRANT USAGE ON *.* TO another@localhost IDENTIFIED BY 'x'", []object{nothing}, accountUndo},
	{"REVOKE SELECT ON *.* FROM other@localhost", []object{nothing}, nil},
	{"REVOKE ALL PRIVILEGES, GRANT OPTION FROM other@localhost", []object{nothing}, nil},

	{"SET @x = 1", []object{nothing}, nil}, {"SET GLOBAL long_query_time = 10", []object{nothing}, nil},
	{"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", []object{nothing}, nil},
	{"SET GLOBAL TRANSACTION ISOLATION LEVEL REPEATABLE READ", []object{nothing}, nil},
	{"BEGIN", []object{nothing}, nil}, {"SAVEPOINT s", []object{nothing}, nil},
	{"RELEASE SAVEPOINT s", []object{nothing}, nil}, {"ROLLBACK", []object{nothing}, nil},
	{"COMMIT", []object{nothing}, nil}, {"-- nothing", []object{nothing}, nil},
	{"PREPARE p FROM 'SELECT * FROM {}'", tables, nil}, {"EXECUTE p", []object{nothing}, nil},
	{"DEALLOCATE PREPARE p", []object{nothing}, nil}, {"KILL {}", []object{{"session", "1"}}, nil},

	{"SHOW COLUMNS FROM {}", readable, nil}, {"SHOW INDEX FROM {}", readable, nil},
	{"SHOW PARTITIONS FROM {}", []object{family, group, partitioned}, nil},
	{"SHOW CREATE TABLE {}", readable, nil}, {"SHOW CREATE VIEW {}", readable, nil},
	{"SHOW CREATE TABLEGROUP {}", []object{emptyGroup, group}, nil},
	{"SHOW TABLES FROM {}", []object{database}, nil}, {"SHOW OPEN TABLES FROM {}", []object{database}, nil},
	{"SHOW TABLE STATUS FROM {}", []object{database}, nil},
	{"SHOW TRIGGERS FROM {}", []object{database}, nil}, {"SHOW EVENTS FROM {}", []object{database}, nil},
	{"SHOW TABLEGROUPS FROM {}", []object{database}, nil},
	{"SHOW DATABASES", []object{nothing}, nil}, {"SHOW VARIABLES LIKE 'x'", []object{nothing}, nil},
	{"SHOW STATUS LIKE 'x'", []object{nothing}, nil},
	{"SHOW WARNINGS", []object{nothing}, nil}, {"SHOW ERRORS", []object{nothing}, nil},
	{"SHOW ENGINES", []object{nothing}, nil}, {"SHOW ENGINE INNODB STATUS", []object{nothing}, nil},
	{"SHOW COLLATION LIKE 'x'", []object{nothing}, nil}, {"SHOW CHARACTER SET LIKE 'x'", []object{nothing}, nil},
	{"SHOW PROCESSLIST", []object{nothing}, nil},
	{"SHOW GRANTS", []object{nothing}, nil}, {"SHOW GRANTS FOR other@localhost", []object{nothing}, nil},
	{"SHOW CREATE USER CURRENT_USER()", []object{nothing}, nil},
	{"SHOW CREATE USER other@localhost", []object{nothing}, nil}, {"SHOW PRIVILEGES", []object{nothing}, nil},
	{"SHOW PLUGINS", []object{nothing}, nil},
	{"SHOW PROCEDURE STATUS", []object{nothing}, nil}, {"SHOW FUNCTION STATUS", []object{nothing}, nil},
	{"SHOW MASTER STATUS", []object{nothing}, nil},
	{"SHOW SLAVE STATUS", []object{nothing}, nil}, {"SHOW SLAVE HOSTS", []object{nothing}, nil}, {"SHOW BINARY LOGS", []object{nothing}, nil},
	{"SHOW PROFILES", []object{nothing}, nil}, {"SHOW PROFILE", []object{nothing}, nil},
	{"SELECT COUNT(*) FROM mysql.user", []object{nothing}, nil},
	{"SELECT COUNT(*) FROM performance_schema.threads", []object{nothing}, nil},
	{"SELECT COUNT(*) FROM information_schema.INNODB_TRX", []object{nothing}, nil},
}

// tableRefusals are the errors for missing rights.
var tableRefusals = []int{1044, 1045, 1095, 1142, 1143, 1227, 1345, 1356, 1410}

// rightsTable runs statements as accounts with one privilege, with all of a level, or with all but
// one.
type rightsTable struct {
	t       *testing.T
	s       *served
	root    *sql.DB
	clients map[string]*sql.DB // by their privileges
}

// TestRightsTable: each kind of statement needs what testdata/rights.txt says, for each single
// privilege on each level, and privileges on anything else do not suffice.
func TestRightsTable(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("20,000 statements")
	}
	s := serve(t, ":memory:", mysqlserver.Options{MaxConnections: 1000})
	r := &rightsTable{t: t, s: s, root: s.client(t, ""), clients: map[string]*sql.DB{}}
	r.root.SetMaxOpenConns(1)
	makeObjects(t, r.root)
	mysql.RegisterReaderHandler("rights", func() io.Reader { return strings.NewReader("") })
	var lines []string
	for _, row := range tableRows {
		for _, o := range row.on {
			lines = append(lines, r.line(row, o))
		}
	}
	got := strings.Join(lines, "\n") + "\n"
	const path = "testdata/rights.txt"
	if *tableUpdate {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "-rights.update rewrites it")
}

// makeObjects creates what the statements are about.
func makeObjects(t testing.TB, root *sql.DB) {
	t.Helper()
	ranged := familyOf("v.r")
	execAll(t, root, "CREATE DATABASE v", "CREATE DATABASE dropped", "CREATE DATABASE beside", familyOf("v.g$a"), familyOf("v.g$b"), ranged, strings.Replace(ranged, "v.r", "v.f$a", 1),
		strings.Replace(table, "TABLE t", "TABLE v.t", 1), "CREATE TABLE v.gone LIKE v.t", "CREATE TABLE v.g$gone LIKE v.g$a", "CREATE VIEW v.d AS SELECT K, Q, T, V FROM v.t",
		"CREATE SQL SECURITY INVOKER VIEW v.i AS SELECT K, Q, T, V FROM v.t", "CREATE VIEW v.own AS SELECT 1 AS one", "CREATE TABLEGROUP v.e",
		"CREATE VIEW v.w AS SELECT K, 'f' AS F, Q, T, V FROM v.t", "CREATE USER other@localhost")
}

// line is a statement about an object: the error without rights, and what suffices on each level.
func (r *rightsTable) line(row tableRow, o object) string {
	statement := strings.Replace(row.statement, "{}", o.name, 1)
	out := statement
	if o.kind != "" {
		out += " [" + o.kind + "]"
	}
	refused := r.refusal(row, statement, "USAGE", "*.*")
	if refused == 0 {
		return out + ": open"
	}
	out += fmt.Sprint(": ", refused)
	for _, level := range o.levels() {
		out += "; " + level + ": " + r.enough(row, statement, level)
	}
	for _, beside := range []string{"beside.*", "v.g$b"} {
		if beside == "v.g$b" && o.kind == "database" { // of which it is a part
			continue
		}
		require.NotZero(r.t, r.refusal(row, statement, "ALL", beside), "%s with all rights on %s", statement, beside)
	}
	return out
}

// enough is what suffices on a level: single privileges, or several together.
func (r *rightsTable) enough(row tableRow, statement, level string) string {
	names := privilegesOn(level)
	if r.refusal(row, statement, "ALL", level) != 0 {
		for _, name := range names {
			require.NotZero(r.t, r.refusal(row, statement, name, level), "%s with %s on %s", statement, name, level)
		}
		return "never"
	}
	alone := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return r.refusal(row, statement, name, level) != 0 })
	switch {
	case slices.Equal(alone, privilegesOn("a.table")):
		return "any on tables"
	case slices.Equal(alone, privilegesOn("a.*")):
		return "any on databases"
	case len(alone) > 0:
		return strings.Join(alone, " or ")
	}
	needed := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return r.refusal(row, statement, "ALL but "+name, level) == 0 })
	require.NotEmpty(r.t, needed, statement)
	if len(needed) == len(names) {
		return "all" // instead of what is refused even with all rights
	}
	all := strings.Join(needed, ", ")
	if r.refusal(row, statement, all, level) == 0 {
		return strings.Join(needed, " and ")
	}
	further := slices.DeleteFunc(names, func(name string) bool {
		return slices.Contains(needed, name) || r.refusal(row, statement, all+", "+name, level) != 0
	})
	require.NotEmpty(r.t, further, statement)
	return strings.Join(needed, " and ") + " with " + strings.Join(further, " or ")
}

// privilegesOn are the privileges that can be granted on a level.
func privilegesOn(level string) []string {
	switch {
	case level == "*.*":
		return (rights.OnAll | rights.GrantOption).Names()
	case strings.HasSuffix(level, ".*"):
		return (rights.OnDatabase | rights.GrantOption).Names()
	}
	return (rights.OnTable | rights.GrantOption).Names()
}

// refusal is the error for missing rights that a statement gets with these privileges on
// a level, 0 if it has another error or none.
func (r *rightsTable) refusal(row tableRow, statement, privileges, level string) int {
	client := r.client(privileges, level)
	_, err := run(client, statement)
	n := number(err)
	if err != nil {
		require.NotZero(r.t, n, "%s: %v", statement, err)
	}
	for _, after := range []string{"UNLOCK TABLES", "ROLLBACK"} {
		if strings.HasPrefix(statement, "LOCK") || strings.HasPrefix(statement, "BEGIN") {
			execAll(r.t, client, after)
		}
	}
	if slices.Contains(tableRefusals, n) {
		return n
	}
	for _, undo := range row.undo {
		r.root.Exec(undo) // in case it did something
	}
	return 0
}

// client is a connection of an account that has exactly these privileges.
func (r *rightsTable) client(privileges, level string) *sql.DB {
	key := privileges + " on " + level
	if c := r.clients[key]; c != nil {
		return c
	}
	user := fmt.Sprint("u", len(r.clients))
	execAll(r.t, r.root, "CREATE USER "+user+" IDENTIFIED BY 'pw'")
	list := []string{privileges}
	if but, ok := strings.CutPrefix(privileges, "ALL"); ok {
		list = slices.DeleteFunc(privilegesOn(level), func(name string) bool { return " but "+name == but })
	}
	execAll(r.t, r.root, "GRANT "+strings.Join(list, ", ")+" ON "+level+" TO "+user)
	r.clients[key] = r.s.as(r.t, user, "")
	return r.clients[key]
}

// TestRightsTableIsWhole: the table has each kind of statement, each SHOW and each action of
// ALTER TABLE.
func TestRightsTableIsWhole(t *testing.T) {
	tried := map[string]bool{}
	for _, row := range tableRows {
		parsed, err := parse.Parse(strings.Replace(row.statement, "{}", row.on[0].name, 1))
		require.NoError(t, err, row.statement)
		tried[reflect.TypeOf(parsed.Stmt).Elem().Name()] = true
		switch st := parsed.Stmt.(type) {
		case *ast.Show:
			tried["SHOW "+string(st.Kind)] = true
		case *ast.AlterTable:
			tried[reflect.TypeOf(st.Actions[0]).Elem().Name()] = true
		}
	}
	files, err := filepath.Glob("../../sqlfront/parse/ast/*.go")
	require.NoError(t, err)
	kinds := 0
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		goast.Inspect(file, func(n goast.Node) bool {
			for _, kind := range append(kindsOf(n), actionsOf(n)...) {
				kinds++
				require.True(t, tried[kind], "no row of the table tries %s", kind)
			}
			return true
		})
	}
	require.Greater(t, kinds, 100)
}

// actionsOf are the actions of ALTER TABLE that a node declares.
func actionsOf(n goast.Node) []string {
	spec, ok := n.(*goast.TypeSpec)
	if !ok || !strings.HasPrefix(spec.Name.Name, "Alter") {
		return nil
	}
	if slices.Contains([]string{"AlterAction", "AlterTable", "AlterTableGroup", "AlterDatabase"}, spec.Name.Name) {
		return nil
	}
	return []string{spec.Name.Name}
}
