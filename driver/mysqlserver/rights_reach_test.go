package mysqlserver_test

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// familyOf creates a table of a group that is partitioned by row.
func familyOf(name string) string {
	return strings.Replace(table, "TABLE t", "TABLE "+name, 1) +
		" PARTITION BY RANGE COLUMNS(K) (PARTITION p0 VALUES LESS THAN ('m'), PARTITION p1 VALUES LESS THAN (MAXVALUE))"
}

// slicedOf creates a table of a group that is partitioned by time.
func slicedOf(name string) string {
	return strings.Replace(strings.Replace(table, "TABLE t", "TABLE "+name, 1), ", PRIMARY", ", G bigint AS (abs(T)), PRIMARY", 1) +
		" PARTITION BY RANGE COLUMNS(G) (PARTITION p0 VALUES LESS THAN (1000), PARTITION p1 VALUES LESS THAN (MAXVALUE))"
}

// layoutStatements change the partitions of each table of a group, or drop some.
var layoutStatements = []string{
	"ALTER TABLE v.g$a DROP PARTITION p0", "ALTER TABLE v.g$a REMOVE PARTITIONING", "ALTER TABLE v.g$a PARTITION BY KEY(K) PARTITIONS 2",
	"ALTER TABLE v.g$a REORGANIZE PARTITION p0, p1 INTO (PARTITION p VALUES LESS THAN (MAXVALUE))",
	"ALTER TABLE v.g$a REORGANIZE PARTITION p0 INTO (PARTITION q VALUES LESS THAN ('c'), PARTITION p0 VALUES LESS THAN ('m'))",
	"SPLIT TABLE v.g$a BY ('c')", "SPLIT TABLE v.g$a BETWEEN ('a') AND ('l') REGIONS 3",
	"ALTER TABLE v.g$a ADD PARTITION (PARTITION p2 VALUES LESS THAN ('z'))", "ALTER TABLE v.h$a COALESCE PARTITION 1",
	"ALTER TABLE v.h$a ADD PARTITION PARTITIONS 1", "ALTER TABLE v.s$a DROP EXPIRED PARTITIONS", "ALTER TABLE v.s$a DROP PARTITION p0",
	"ALTER TABLE v.s$a ADD PARTITION (PARTITION p2 VALUES LESS THAN (MAXVALUE))",
	"ALTER TABLE v.s$a REORGANIZE PARTITION p0 INTO (PARTITION p VALUES LESS THAN (10), PARTITION p0 VALUES LESS THAN (1000))",
}

// grouped is a server with groups of two families, one group per layout, in which
// eve has all rights on the families a.
func grouped(t testing.TB) (s *served, root, eve *sql.DB) {
	t.Helper()
	s = serve(t, ":memory:", mysqlserver.Options{})
	root = s.client(t, "")
	keyed := strings.Replace(table, "TABLE t", "TABLE v.h$a", 1) + " PARTITION BY KEY(K) PARTITIONS 3"
	execAll(t, root, "CREATE DATABASE v", familyOf("v.g$a"), familyOf("v.g$b"), keyed, strings.Replace(keyed, "h$a", "h$b", 1),
		slicedOf("v.s$a"), slicedOf("v.s$b"), strings.Replace(table, "TABLE t", "TABLE v.single", 1), "CREATE USER eve IDENTIFIED BY 'pw'")
	for _, name := range []string{"g$a", "g$b", "h$a", "h$b", "s$a", "s$b"} {
		execAll(t, root, "INSERT INTO v."+name+" (K, Q, T, V) VALUES ('ann', 'q', 1, 'x'), ('zoe', 'q', 2000, 'y')")
	}
	execAll(t, root, "GRANT ALL ON v.g$a TO eve", "GRANT ALL ON v.h$a TO eve", "GRANT ALL ON v.s$a TO eve", "GRANT ALL ON v.single TO eve")
	return s, root, s.as(t, "eve", "v")
}

// TestRightsOnEachFamily: a change of a group's partitions needs rights on each of its
// tables, and a change of one table only on that.
func TestRightsOnEachFamily(t *testing.T) {
	_, root, eve := grouped(t)
	layout := func() string {
		lines, err := run(root, "SELECT TABLE_NAME, PARTITION_NAME, PARTITION_DESCRIPTION FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = 'v'")
		require.NoError(t, err)
		for _, name := range []string{"g$b", "h$b", "s$b"} {
			rows, err := run(root, "SELECT * FROM v."+name)
			require.NoError(t, err)
			lines = append(lines, rows...)
		}
		return strings.Join(lines, "\n")
	}
	before := layout()
	for _, statement := range layoutStatements {
		_, err := run(eve, statement)
		require.Equal(t, 1142, number(err), "%s: %v", statement, err)
		require.NotContains(t, err.Error(), "$b", statement)
		prepared, err := eve.Prepare(statement)
		if err == nil {
			_, err = prepared.Exec()
			prepared.Close()
		}
		require.Equal(t, 1142, number(err), "prepared %s: %v", statement, err)
	}
	require.Equal(t, before, layout())
	for _, own := range []string{"ALTER TABLE v.g$a TRUNCATE PARTITION p0", "ALTER TABLE v.g$a EXCHANGE PARTITION p1 WITH TABLE v.single",
		"ALTER TABLE v.g$a REBUILD PARTITION p0", "ALTER TABLE v.g$a CHECK PARTITION p0", "TRUNCATE TABLE v.g$a", "ALTER TABLE v.g$a TTL = 100",
		"ALTER TABLE v.s$a TRUNCATE PARTITION p0", "ALTER TABLE v.s$a DROP_EXPIRED_PARTITIONS = ON"} {
		_, err := run(eve, own)
		require.NoError(t, err, own)
	}
	require.Equal(t, before, layout(), "of the other families")

	for _, each := range layoutStatements { // on the group, or on each family
		on := "v." + each[strings.Index(each, "v.")+2:][:1]
		for _, levels := range [][]string{{on}, {on + "$a", on + "$b"}} {
			execAll(t, root, "REVOKE ALL PRIVILEGES, GRANT OPTION FROM eve")
			for _, level := range levels {
				execAll(t, root, "GRANT ALTER, DROP ON "+level+" TO eve")
			}
			_, err := run(eve, each)
			require.NotContains(t, accessErrors, number(err), "%s with rights on %s: %v", each, levels, err)
		}
	}
}

// TestNarrowingTakesDrop: a change that makes a table keep less deletes rows, and needs
// DROP, like DROP PARTITION; one that makes it keep more needs only ALTER.
func TestNarrowingTakesDrop(t *testing.T) {
	_, root, eve := grouped(t)
	execAll(t, root, "REVOKE ALL PRIVILEGES, GRANT OPTION FROM eve", "GRANT ALTER ON v.single TO eve", "GRANT ALTER ON v.g TO eve",
		"GRANT ALTER ON v.s TO eve")
	execAll(t, root, "ALTER TABLE v.single TTL = 1000 MAX_VERSIONS = 10 MIN_VERSIONS = 5", "ALTER TABLEGROUP v.g SET MAX_VERSIONS = 10")
	narrowing := []string{"TTL = 1", "TTL = 999", "MAX_VERSIONS = 9", "MIN_VERSIONS = 4", "MIN_VERSIONS = 0", "DROP_EXPIRED_PARTITIONS = ON",
		`KV_ATTRIBUTES = '{"Hbase": {"TimeToLive": 5, "MaxVersions": 10, "MinVersions": 5}}'`, "TTL = 2000 MAX_VERSIONS = 1 MIN_VERSIONS = 1"}
	for _, option := range narrowing {
		_, err := run(eve, "ALTER TABLE v.single "+option)
		require.Equal(t, 1142, number(err), "%s: %v", option, err)
		require.Contains(t, err.Error(), "DROP")
	}
	for _, option := range []string{"MAX_VERSIONS = 9", "TTL = 1", "DROP_EXPIRED_PARTITIONS = ON"} {
		_, err := run(eve, "ALTER TABLEGROUP v.g SET "+option)
		require.Equal(t, 1142, number(err), "%s: %v", option, err)
	}
	_, err := run(eve, "ALTER TABLE v.s$a DROP EXPIRED PARTITIONS")
	require.Equal(t, 1142, number(err), "%v", err)
	for _, statement := range []string{"ALTER TABLE v.single TTL = 2000", "ALTER TABLE v.single MAX_VERSIONS = 11", "ALTER TABLE v.single MIN_VERSIONS = 6",
		"ALTER TABLE v.single TTL = FOREVER", "ALTER TABLE v.single DROP_EXPIRED_PARTITIONS = OFF", "ALTER TABLE v.single COMMENT = 'x'",
		"ALTER TABLE v.single KV_ATTRIBUTES = ''", "ALTER TABLE v.single MIN_VERSIONS = 0", "ALTER TABLEGROUP v.g SET MAX_VERSIONS = 11"} {
		_, err := run(eve, statement)
		require.NoError(t, err, statement)
	}
	execAll(t, root, "ALTER TABLE v.single TTL = 1000 MAX_VERSIONS = 10 MIN_VERSIONS = 5", "GRANT DROP ON v.single TO eve", "GRANT DROP ON v.g TO eve", "GRANT DROP ON v.s TO eve")
	for _, option := range narrowing {
		_, err := run(eve, "ALTER TABLE v.single "+option)
		require.NotContains(t, accessErrors, number(err), "%s: %v", option, err)
	}
	execAll(t, eve, "ALTER TABLEGROUP v.g SET TTL = 1", "ALTER TABLE v.s$a DROP_EXPIRED_PARTITIONS = ON")
}

// TestKeysTakeSelect: a user who may not read a table sees none of its row keys.
func TestKeysTakeSelect(t *testing.T) {
	_, root, eve := grouped(t)
	all := []string{"INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "REFERENCES", "INDEX", "ALTER", "CREATE VIEW", "SHOW VIEW", "TRIGGER", "GRANT OPTION"}
	secrets := []string{"ann", "zoe"}
	statements := []string{"SHOW PARTITIONS FROM v.g$a", "SHOW PARTITIONS FROM v.g", "SELECT * FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = 'v'",
		"SHOW CREATE TABLE v.g$a", "SHOW INDEX FROM v.g$a", "SHOW TABLE STATUS FROM v", "ALTER TABLE v.g$a CHECK PARTITION ALL",
		"ALTER TABLE v.g$a EXCHANGE PARTITION p0 WITH TABLE v.single", "EXPLAIN DELETE FROM v.g$a", "EXPLAIN FORMAT=TREE UPDATE v.g$a SET V = 'x'"}
	for _, statement := range statements[:3] {
		lines, err := run(root, statement)
		require.NoError(t, err)
		for _, secret := range secrets {
			require.Contains(t, strings.Join(lines, "\n"), secret, "who may read sees them")
		}
	}
	for _, on := range []string{"v.g", "v.*"} {
		execAll(t, root, "REVOKE ALL PRIVILEGES, GRANT OPTION FROM eve", "GRANT "+strings.Join(all, ", ")+" ON "+on+" TO eve",
			"GRANT ALL ON v.single TO eve", "TRUNCATE TABLE v.single", "INSERT INTO v.single VALUES ('hidden', 'q', 1, 'x')")
		for _, statement := range statements {
			lines, err := run(eve, statement)
			shown := fmt.Sprint(lines, err)
			for _, secret := range append(secrets, "616E6E", "7A6F65") {
				require.NotContains(t, shown, secret, "%s with rights on %s", statement, on)
			}
		}
	}
	execAll(t, root, "REVOKE SELECT ON v.single FROM eve")
	_, err := run(eve, "ALTER TABLE v.g$a EXCHANGE PARTITION p1 WITH TABLE v.single")
	require.Equal(t, 1737, number(err), "%v", err)
	require.NotContains(t, err.Error(), "68696464", "a row that does not match")
	lines, err := run(eve, "SELECT MIN_KEY, MAX_KEY, PARTITION_DESCRIPTION FROM information_schema.PARTITIONS WHERE TABLE_NAME = 'g$a'")
	require.NoError(t, err)
	require.Equal(t, []string{"||'m'|", "||MAXVALUE|"}, lines, "what a statement has set is no data")
}

// TestBoundsThatTheStoreFound: bounds that an automatic split has taken from rows are data,
// and those that a statement has set are not.
func TestBoundsThatTheStoreFound(t *testing.T) {
	s := serve(t, t.TempDir()+"?maxRegionSize=64KiB", mysqlserver.Options{})
	root := s.client(t, "")
	execAll(t, root, "CREATE DATABASE v", familyOf("v.g$a"), "CREATE USER eve IDENTIFIED BY 'pw'", "GRANT INSERT ON v.g$a TO eve")
	insert := "INSERT INTO v.g$a WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000) " +
		"SELECT CONCAT('key', LPAD(i, 5, '0')), 'q', 1, SHA2(i, 512) FROM n"
	execAll(t, root, insert, "FLUSH TABLES")
	require.Eventually(t, func() bool {
		return one[int](t, root, "SELECT COUNT(*) FROM information_schema.PARTITIONS WHERE TABLE_NAME = 'g$a' AND PARTITION_DESCRIPTION LIKE '%key%'") > 0
	}, minute, tick)
	statements := []string{"SELECT PARTITION_DESCRIPTION FROM information_schema.PARTITIONS WHERE TABLE_NAME = 'g$a'", "SHOW PARTITIONS FROM v.g$a",
		"SHOW CREATE TABLE v.g$a"}
	eve := s.as(t, "eve", "v")
	for _, statement := range statements {
		lines, err := run(root, statement)
		require.NoError(t, err)
		require.Contains(t, strings.Join(lines, "\n"), "key00", statement)
		lines, err = run(eve, statement)
		require.NoError(t, err)
		require.NotContains(t, strings.Join(lines, "\n"), "key00", statement)
		require.Contains(t, strings.Join(lines, "\n"), "'m'", statement)
	}
	made := one2(t, eve, "SHOW CREATE TABLE v.g$a")
	execAll(t, root, "DROP TABLE v.g$a", "USE v")
	execAll(t, root, "CREATE DATABASE w")
	_, err := run(root, strings.Replace(made, "`g$a`", "w.`g$a`", 1))
	require.NoError(t, err, made)
}

// one2 is the second column of a row of two columns.
func one2(t testing.TB, db *sql.DB, query string) (out string) {
	t.Helper()
	var first string
	require.NoError(t, db.QueryRow(query).Scan(&first, &out), query)
	return out
}

// TestViewsGiveWayToOwners: a view with the name of a table group is replaced by the group's
// first table, if its creator may drop the view.
func TestViewsGiveWayToOwners(t *testing.T) {
	s := serve(t, ":memory:", mysqlserver.Options{})
	root := s.client(t, "")
	create := func(name string) string { return strings.Replace(table, "TABLE t", "TABLE "+name, 1) }
	execAll(t, root, "CREATE DATABASE v", create("v.t"), "CREATE VIEW v.w AS SELECT K, 'f' AS F, Q, T, V FROM v.t",
		"CREATE USER eve IDENTIFIED BY 'pw'", "GRANT CREATE, INSERT ON v.w$new TO eve", "GRANT CREATE, INSERT ON v.w_new TO eve", "GRANT SELECT ON v.t TO eve")
	eve := s.as(t, "eve", "v")
	for _, statement := range []string{create("v.w$new"), create("v.w_new") + " HBase", "CREATE TABLE v.w$new LIKE v.t"} {
		_, err := run(eve, statement)
		require.Equal(t, 1142, number(err), "%s: %v", statement, err)
		require.Contains(t, err.Error(), "DROP command denied")
		_, err = run(root, "SELECT * FROM v.w")
		require.NoError(t, err)
	}
	execAll(t, root, "GRANT DROP ON v.w TO eve")
	execAll(t, eve, create("v.w$new"))
}

// TestNoCellsInTheCatalog: for a user with all rights except SELECT, no column of any catalog
// table, no SHOW and no EXPLAIN contains a byte of a cell.
func TestNoCellsInTheCatalog(t *testing.T) {
	s := serve(t, t.TempDir()+"?maxRegionSize=64KiB", mysqlserver.Options{})
	root := s.client(t, "")
	makeObjects(t, root)
	all := func(p rights.Privileges) string { return strings.Join((p &^ rights.Select).Names(), ", ") }
	execAll(t, root, "CREATE USER eve IDENTIFIED BY 'pw'", "GRANT "+all(rights.OnAll&^rights.Super)+" ON *.* TO eve")
	for _, name := range []string{"v.g$a", "v.g$b", "v.r", "v.t"} {
		execAll(t, root, "INSERT INTO "+name+" WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 500) "+
			"SELECT CONCAT('topsecret', LPAD(i, 5, '0')), 'topsecret', i, CONCAT('topsecret', SHA2(i, 512)) FROM n")
	}
	execAll(t, root, "FLUSH TABLES", "FLUSH TABLES")
	require.Eventually(t, func() bool {
		return one[int](t, root, "SELECT COUNT(*) FROM information_schema.PARTITIONS WHERE PARTITION_DESCRIPTION LIKE '%topsecret%'") > 0
	}, minute, tick)
	holder, err := root.Begin()
	require.NoError(t, err)
	defer holder.Rollback()
	_, err = holder.Exec("UPDATE v.t SET V = 'x' WHERE K LIKE 'top%' AND T = 7")
	require.NoError(t, err)

	eve := s.as(t, "eve", "information_schema")
	statements := []string{"SHOW FULL PROCESSLIST", "SHOW WARNINGS", "SHOW TABLE STATUS FROM v", "EXPLAIN FORMAT=TREE DELETE FROM v.r",
		"EXPLAIN FORMAT=JSON UPDATE v.g$a SET V = 'x'", "EXPLAIN ANALYZE DELETE FROM v.r", "ALTER TABLE v.r CHECK PARTITION ALL"}
	for _, database := range []string{"information_schema", "performance_schema", "mysql"} {
		tables, err := run(root, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '"+database+"'")
		require.NoError(t, err)
		for _, name := range tables {
			statements = append(statements, "SELECT * FROM "+database+"."+strings.TrimSuffix(name, "|"))
		}
	}
	for _, row := range tableRows {
		for _, o := range row.on {
			if word, _, _ := strings.Cut(row.statement, " "); slices.Contains([]string{"SHOW", "DESCRIBE", "EXPLAIN", "CHECK", "CHECKSUM", "ANALYZE"}, word) {
				statements = append(statements, strings.Replace(row.statement, "{}", o.name, 1))
			}
		}
	}
	require.Greater(t, len(statements), 200)
	shown := 0
	for _, statement := range statements {
		lines, err := run(eve, statement)
		if err == nil {
			shown++
		}
		text := strings.ToLower(fmt.Sprint(lines, err))
		require.NotContains(t, text, "topsecret", statement)
		require.NotContains(t, text, hex.EncodeToString([]byte("topsecret")), statement)
	}
	require.Greater(t, shown, 100)
}

// TestBrokenViewsTellNothing: what has changed below a view is shown only to those who may see
// its text.
func TestBrokenViewsTellNothing(t *testing.T) {
	s, root := guarded(t)
	execAll(t, root, "CREATE VIEW vault.outer1 AS SELECT K FROM vault.showcase", "GRANT SELECT, INSERT ON vault.showcase TO eve",
		"GRANT SELECT ON vault.outer1 TO eve", "DROP TABLE vault.gems")
	eve := s.as(t, "eve", "")
	statements := []string{"SELECT * FROM vault.showcase", "SELECT * FROM vault.outer1", "SHOW COLUMNS FROM vault.showcase", "SHOW COLUMNS FROM vault.outer1",
		"SELECT TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'vault'", "SHOW TABLE STATUS FROM vault"}
	see := func(db *sql.DB, statement string) string {
		lines, err := run(db, statement)
		warnings, failed := run(db, "SHOW WARNINGS")
		require.NoError(t, failed)
		return fmt.Sprint(lines, err, warnings)
	}
	root.SetMaxOpenConns(1)
	for _, statement := range statements {
		require.Contains(t, see(root, statement), "gems", statement)
		require.Contains(t, see(eve, statement), "references invalid", statement)
		require.NotContains(t, see(eve, statement), "gems", statement)
	}
	execAll(t, root, "GRANT SHOW VIEW ON vault.* TO eve")
	for _, statement := range statements {
		require.Contains(t, see(eve, statement), "gems", statement)
	}
}
