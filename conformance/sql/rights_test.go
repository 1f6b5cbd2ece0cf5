package sql

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/driver/mysqlserver"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// rightsSides are the two servers that get the same privileges, this one first.
type rightsSides struct {
	t       *testing.T
	root    [2]*sql.DB
	sources [2]string // of the user
}

// rightsRestore restores what statements may have removed or created.
var rightsRestore = []string{
	"CREATE DATABASE IF NOT EXISTS vault", "CREATE DATABASE IF NOT EXISTS other",
	"DROP TABLE IF EXISTS vault.made, vault.moved", "DROP DATABASE IF EXISTS fresh", "DROP VIEW IF EXISTS vault.own",
	"CREATE TABLE IF NOT EXISTS vault.gems (K varbinary(100), Q varbinary(100), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T))",
	"CREATE TABLE IF NOT EXISTS vault.coins (K varbinary(100), Q varbinary(100), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T))",
	"CREATE TABLE IF NOT EXISTS other.mine (K varbinary(100), Q varbinary(100), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T))",
	"CREATE TABLE IF NOT EXISTS vault.parts (K varbinary(100), Q varbinary(100), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T)) " +
		"PARTITION BY RANGE COLUMNS(K) (PARTITION p0 VALUES LESS THAN ('m'), PARTITION p1 VALUES LESS THAN (MAXVALUE))",
	"DROP VIEW IF EXISTS vault.definers", "DROP VIEW IF EXISTS vault.invokers", "DROP USER IF EXISTS adam@localhost, absent@localhost",
	"CREATE VIEW vault.definers AS SELECT K FROM vault.gems", "CREATE SQL SECURITY INVOKER VIEW vault.invokers AS SELECT K FROM vault.gems",
}

// rightsStatements are run by the user.
var rightsStatements = []string{
	"SELECT * FROM vault.gems", "SELECT COUNT(*) FROM vault.coins", "SELECT 1 FROM vault.absent", "SELECT absent FROM vault.gems",
	"SELECT * FROM vault.definers", "SELECT * FROM vault.invokers", "SELECT g.K FROM vault.gems g JOIN other.mine m ON g.K = m.K",
	"INSERT INTO vault.gems VALUES ('a', 'q', 1, 'x')", "INSERT INTO vault.coins SELECT * FROM vault.gems",
	"INSERT INTO vault.gems VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE V = 'y'",
	"INSERT INTO vault.gems VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE V = CONCAT(V, 'y')",
	"REPLACE INTO vault.gems VALUES ('a', 'q', 1, 'x')",
	"UPDATE vault.gems SET V = 'x'", "UPDATE vault.gems SET V = 'x' WHERE K = 'a'", "UPDATE vault.gems SET V = CONCAT(V, 'x')",
	"UPDATE vault.gems SET V = 'x' ORDER BY K LIMIT 1", "UPDATE vault.gems SET V = (SELECT MAX(V) FROM vault.coins)",
	"DELETE FROM vault.gems LIMIT 1", "DELETE FROM vault.gems WHERE K = 'a'",
	"UPDATE vault.gems g JOIN vault.coins c ON g.K = c.K SET g.V = 'x'", "UPDATE vault.gems g, vault.coins c SET g.V = c.V, c.V = 'y'",
	"UPDATE vault.coins c, vault.gems g SET g.V = 'x'", "DELETE vault.gems FROM vault.gems JOIN vault.coins ON gems.K = coins.K",
	"DELETE FROM vault.gems, vault.coins USING vault.gems, vault.coins WHERE gems.K = 'a'", "DELETE vault.coins FROM vault.gems, vault.coins",
	"TRUNCATE TABLE vault.coins", "DROP TABLE vault.coins", "CREATE DATABASE fresh", "DROP DATABASE other",
	"CREATE TABLE vault.made (K varbinary(100), Q varbinary(100), T bigint, V varbinary(100), PRIMARY KEY (K, Q, T))",
	"CREATE TABLE vault.made LIKE vault.gems", "RENAME TABLE vault.coins TO vault.moved", "ALTER TABLE vault.coins COMMENT = 'x'",
	"CREATE VIEW vault.own AS SELECT K FROM vault.gems", "CREATE OR REPLACE VIEW vault.own AS SELECT 1 AS one", "DROP VIEW vault.definers",
	"USE vault", "USE other", "USE absent", "SHOW TABLES FROM vault", "SHOW CREATE TABLE vault.gems", "SHOW CREATE VIEW vault.definers",
	"SHOW CREATE DATABASE vault", "SHOW COLUMNS FROM vault.gems", "SHOW INDEX FROM vault.gems", "DESCRIBE vault.absent",
	"EXPLAIN SELECT * FROM vault.gems", "EXPLAIN SELECT * FROM vault.definers",
	"CHECK TABLE vault.gems", "CHECKSUM TABLE vault.gems", "ANALYZE TABLE vault.gems", "OPTIMIZE TABLE vault.gems",
	"LOCK TABLES vault.gems READ", "UNLOCK TABLES", "FLUSH STATUS", "SET GLOBAL long_query_time = 10", "SELECT 1 INTO OUTFILE 'nowhere/x'",
	"SELECT COUNT(*) FROM mysql.user", "SHOW GRANTS", "SHOW GRANTS FOR root@localhost", "KILL 1000000",
	"CREATE USER adam@localhost", "DROP USER adam@localhost", "ALTER USER root@localhost ACCOUNT UNLOCK", "SET PASSWORD FOR root@localhost = ''",
	"GRANT SELECT ON vault.* TO eve@localhost", "GRANT SELECT ON vault.gems TO eve@localhost", "GRANT INSERT ON *.* TO eve@localhost",
	"REVOKE SELECT ON vault.gems FROM adam@localhost", "GRANT SELECT ON vault.* TO absent@localhost",
	"REVOKE ALL PRIVILEGES, GRANT OPTION FROM adam@localhost",
	"ALTER TABLE vault.parts DROP PARTITION absent", "ALTER TABLE vault.parts TRUNCATE PARTITION p0", "ALTER TABLE vault.parts ANALYZE PARTITION p0",
	"ALTER TABLE vault.parts CHECK PARTITION p0", "ALTER TABLE vault.parts OPTIMIZE PARTITION p0", "ALTER TABLE vault.parts REPAIR PARTITION p0",
	"ALTER TABLE vault.parts REBUILD PARTITION p0", "ALTER TABLE vault.parts ADD PARTITION (PARTITION p0 VALUES LESS THAN ('a'))",
	"ALTER TABLE vault.parts REORGANIZE PARTITION absent INTO (PARTITION x VALUES LESS THAN ('b'))", "ALTER TABLE vault.gems REMOVE PARTITIONING",
	"ALTER TABLE vault.coins RENAME TO vault.gems", "CREATE TABLE vault.gems LIKE vault.coins", "EXPLAIN UPDATE vault.gems SET V = 'x'",
	"EXPLAIN DELETE FROM vault.gems WHERE K = 'a'", "INSERT INTO vault.definers VALUES ('a')", "SET PASSWORD FOR CURRENT_USER() = PASSWORD('pw')",
	"SELECT * FROM vault.gems FOR UPDATE", "DO (SELECT COUNT(*) FROM vault.gems)", "CREATE USER a@'b@c'",
}

// rightsErrors are the errors about privileges.
var rightsErrors = []uint16{1044, 1045, 1133, 1141, 1142, 1143, 1147, 1221, 1144, 1227, 1345, 1356, 1396, 1410, 1449}

var rightsGrants = struct{ privileges, levels []string }{
	[]string{"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "INDEX", "CREATE VIEW", "SHOW VIEW", "LOCK TABLES",
		"FILE", "PROCESS", "RELOAD", "SUPER", "CREATE USER", "GRANT OPTION", "SHOW DATABASES", "ALL"},
	[]string{"*.*", "*.*", "vault.*", "vault.*", "other.*", "`v%`.*", "vault.gems", "vault.gems", "vault.coins", "vault.definers", "vault.absent"},
}

// TestRightsLikeMariaDB grants and revokes the same random privileges on this server
// and on MariaDB, and compares the errors of each of these statements and of each
// statement that the user runs.
func TestRightsLikeMariaDB(t *testing.T) {
	if *harness.MariaDB != "start" {
		t.Skip("-mariadb=start compares the rights")
	}
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	s := startRights(t)
	s.both("CREATE USER eve@localhost IDENTIFIED BY 'pw'")
	for round := range 60 {
		for range 1 + r.IntN(3) {
			s.both(randomGrant(r))
		}
		s.compareStatements(r, round)
	}
}

// randomGrant returns a GRANT or a REVOKE.
func randomGrant(r *rand.Rand) string {
	var list []string
	for range 1 + r.IntN(3) {
		if p := rightsGrants.privileges[r.IntN(len(rightsGrants.privileges))]; !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	if slices.Contains(list, "ALL") {
		list = []string{"ALL"}
	}
	if r.IntN(12) == 0 {
		return "REVOKE ALL PRIVILEGES, GRANT OPTION FROM eve@localhost"
	}
	what, on := strings.Join(list, ", "), rightsGrants.levels[r.IntN(len(rightsGrants.levels))]
	if r.IntN(3) == 0 {
		return "REVOKE " + what + " ON " + on + " FROM eve@localhost"
	}
	return "GRANT " + what + " ON " + on + " TO eve@localhost"
}

// both runs a statement as root on both sides, which must return the same error.
func (s *rightsSides) both(statement string) {
	var got [2]uint16
	var errs [2]error
	for i, db := range s.root {
		_, errs[i] = db.Exec(statement)
		got[i] = harness.ErrorNumber(errs[i])
	}
	require.Equal(s.t, got[1], got[0], "%s\nours: %v\nMariaDB: %v", statement, errs[0], errs[1])
}

// changesObjects are the first words of statements after which root restores the objects.
var changesObjects = []string{"CREATE", "DROP", "RENAME", "GRANT"}

// compareStatements runs some of the statements as the user, each on the original
// objects.
func (s *rightsSides) compareStatements(r *rand.Rand, round int) {
	var users [2]*sql.DB
	for i, source := range s.sources {
		db, err := sql.Open("mysql", source)
		require.NoError(s.t, err)
		defer db.Close()
		db.SetMaxOpenConns(1)
		users[i] = db
	}
	for _, at := range r.Perm(len(rightsStatements))[:20] {
		statement := rightsStatements[at]
		var got [2]uint16
		var errs [2]error
		for i, db := range users {
			errs[i] = harness.DrainRows(db, statement)
			harness.DrainRows(db, "UNLOCK TABLES")
			if got[i] = harness.ErrorNumber(errs[i]); !slices.Contains(rightsErrors, got[i]) {
				got[i] = 0
			}
			if got[i] == 1143 && strings.HasPrefix(statement, "UPDATE ") {
				got[i] = 1142 // MariaDB names the column if there is a grant on the table itself
			}
		}
		if got[0] != got[1] && rightsDiffer[statement] == "" {
			grants := ""
			for _, db := range s.root {
				grants += fmt.Sprintln(firstColumn(db, "SHOW GRANTS FOR eve@localhost"))
			}
			s.t.Errorf("round %d: %s\nours: %v\nMariaDB: %v\n%s", round, statement, errs[0], errs[1], grants)
		}
		word, _, _ := strings.Cut(statement, " ")
		if slices.Contains(changesObjects, word) && (errs[0] == nil || errs[1] == nil) {
			s.restore()
		}
	}
}

func (s *rightsSides) restore() {
	for _, db := range s.root {
		for _, statement := range rightsRestore {
			_, err := db.Exec(statement)
			require.NoError(s.t, err, statement)
		}
	}
}

// rightsDiffer are the statements for which MariaDB requires other privileges than MySQL
// 5.7, with the reason.
var rightsDiffer = map[string]string{
	"CHECK TABLE vault.gems":                     "any right does in MariaDB",
	"ALTER TABLE vault.parts CHECK PARTITION p0": "any right does in MariaDB",
	"SHOW COLUMNS FROM vault.gems":               "MariaDB asks for one on columns",
	"SHOW TABLES FROM vault":                     "to MariaDB any right on *.* is one, and GRANT OPTION alone none",
	"SHOW INDEX FROM vault.gems":                 "MariaDB asks for one on columns",
	"DESCRIBE vault.absent":                      "MariaDB asks for one on columns",
	"SELECT 1 INTO OUTFILE 'nowhere/x'":          "1227 in MariaDB",
	"SELECT * FROM vault.gems FOR UPDATE":        "to lock rows takes more in MySQL 8.0",
	"INSERT INTO vault.gems VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE V = 'y'": "MariaDB asks for SELECT on what is set",
	"CREATE VIEW vault.own AS SELECT K FROM vault.gems": "SELECT is asked for, where INSERT, UPDATE or DELETE on a " +
		"column do for views that are written through",
}

// firstColumn returns the first column of a result.
func firstColumn(db *sql.DB, statement string) (out []string) {
	rows, err := db.Query(statement)
	if err != nil {
		return []string{err.Error()}
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if rows.Scan(&s) == nil {
			out = append(out, s)
		}
	}
	return out
}

func startRights(t *testing.T) *rightsSides {
	s := &rightsSides{t: t}
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	require.NoError(t, err)
	store := harness.OpenDB(t, ":memory:")
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- mysqlserver.Serve(ctx, l, store, mysqlserver.Options{}) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	ours := "root@unix(" + socket + ")/"
	theirs := harness.StartMariaDB(t)
	for i, source := range []string{ours, theirs} {
		db, err := sql.Open("mysql", source)
		require.NoError(t, err)
		t.Cleanup(func() { db.Close() })
		require.Eventually(t, func() bool { return db.Ping() == nil }, 60*time.Second, 200*time.Millisecond)
		db.SetMaxOpenConns(1)
		s.root[i] = db
		s.sources[i] = strings.Replace(source, "root@", "eve:pw@", 1)
		if i == 1 {
			drop := "DROP USER IF EXISTS ''@localhost"
			_, err := db.Exec(drop)
			require.NoError(t, err)
		}
	}
	s.restore()
	return s
}
