package mysqlserver_test

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver"
)

// everyByte is a literal of a string with all bytes.
var everyByte = func() string {
	var b strings.Builder
	for i := range 256 {
		fmt.Fprintf(&b, "%02x", i)
	}
	return "X'" + b.String() + "'"
}()

// fillHistory creates tables whose cells have several versions: empty and binary keys, NULL
// and empty values, timestamps at both ends, and a value longer than a packet of a dump's
// reader.
func fillHistory(t *testing.T, db *sql.DB) {
	const columns = " (K varbinary(300) NOT NULL, Q varbinary(300) NOT NULL, T bigint NOT NULL, V varbinary(200000), PRIMARY KEY (K, Q, T))"
	execAll(t, db, "CREATE DATABASE shop", "CREATE TABLE shop.`x$p`"+columns+" PARTITION BY KEY (K) PARTITIONS 3",
		"CREATE TABLE shop.`x$q` LIKE shop.`x$p`", "CREATE TABLE shop.plain"+columns+" MAX_VERSIONS = 100000",
		"CREATE VIEW shop.people AS SELECT K AS id, MAX(CASE WHEN Q = 'name' THEN V END) AS name FROM shop.`x$p` GROUP BY K",
		"CREATE VIEW shop.twice AS SELECT * FROM shop.people")
	for _, table := range []string{"shop.`x$p`", "shop.`x$q`", "shop.plain"} {
		execAll(t, db, "INSERT INTO "+table+" VALUES ('ann', 'name', 1, 'Ann'), ('ann', 'name', 2, 'Anna'), ('ann', 'name', 3, NULL), ('ann', 'name', 4, ''), "+
			"('', '', -9223372036854775808, 'first'), ('', '', 9223372036854775807, 'last'), ('', 'q', -1, NULL), ('k', '', 0, X'00'), "+
			"(X'00ff27', X'5c22', 5, X'deadbeef005c'), (X'00ff27', X'5c22', -5, '\\\\ \\' \" \\n \\r \\t \\Z %'), ("+everyByte+", "+everyByte+", 7, "+everyByte+"), "+
			"('long', 'v', 1, REPEAT("+everyByte+", 700)), ('long', 'v', 2, REPEAT('x', 100000)), ('hex', 'v', 1, '0xabc'), ('hex', 'v', 2, 'NULL'), "+
			"('漢', '😀', 1, '漢字'), ('漢', '😀', 2, X'e6bc')")
	}
}

// history is everything in a database, and a view's rows.
func history(t *testing.T, db *sql.DB, database string) (out []string) {
	t.Helper()
	for _, table := range []string{"x$p", "x$q", "plain"} {
		rows, err := db.Query("SELECT HEX(K), HEX(Q), T, HEX(V) FROM " + database + ".`" + table + "` FOR SYSTEM_TIME ALL ORDER BY K, Q, T")
		require.NoError(t, err)
		for rows.Next() {
			var k, q, at string
			var v sql.NullString
			require.NoError(t, rows.Scan(&k, &q, &at, &v))
			out = append(out, fmt.Sprint(table, " ", k, " ", q, " ", at, " ", v))
		}
		require.NoError(t, rows.Err())
	}
	return append(out, one[string](t, db, "SELECT GROUP_CONCAT(id, name ORDER BY id) FROM "+database+".twice WHERE id < 'b'"))
}

// TestMariadbDumpKeepsHistory dumps and restores with mariadb-dump, in several common ways,
// and compares every version, T and byte.
func TestMariadbDumpKeepsHistory(t *testing.T) {
	from, to := serve(t, ":memory:", mysqlserver.Options{}), serve(t, ":memory:", mysqlserver.Options{})
	fillHistory(t, from.db)
	want := history(t, from.db, "shop")
	require.Len(t, want, 3*17+1)
	for _, how := range []string{"", "--single-transaction", "--lock-all-tables", "--hex-blob", "--single-transaction --quick --hex-blob --order-by-primary",
		"--skip-extended-insert --complete-insert", "--skip-opt --replace", "--insert-ignore --compact", "--default-character-set=latin1", "--flush-logs --single-transaction",
		"--net-buffer-length=16384 --no-autocommit"} {
		dump := from.tool(t, "", "mariadb-dump", append(strings.Fields(how), "--databases", "shop")...)
		execAll(t, to.db, "DROP DATABASE IF EXISTS shop")
		to.tool(t, dump, "mariadb", "--max-allowed-packet=64M")
		require.Equal(t, want, history(t, to.db, "shop"), how)
	}
	require.Contains(t, from.tool(t, "", "mariadb-dump", "--where=T < 0", "shop", "plain"), "first") // the condition applies to versions
	other := serve(t, "file::memory:?hbasekv_dump_versions=%27latest%27", mysqlserver.Options{})
	fillHistory(t, other.db)
	newest := other.tool(t, "", "mariadb-dump", "shop", "plain")
	require.Contains(t, newest, "'last'")
	require.NotContains(t, newest, "'first'")
}

// mydump runs mydumper or myloader against the server.
func (s *served) mydump(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
	cmd := exec.Command(name, append([]string{"--socket=" + s.socket, "--user=root", "--verbose=3"}, args...)...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.NotContains(t, string(out), "CRITICAL")
	return string(out)
}

// TestMydumperKeepsHistory dumps with mydumper's threads and restores with myloader's.
func TestMydumperKeepsHistory(t *testing.T) {
	from, to := serve(t, ":memory:", mysqlserver.Options{}), serve(t, ":memory:", mysqlserver.Options{})
	fillHistory(t, from.db)
	want := history(t, from.db, "shop")
	for i, how := range []string{"", "--trx-consistency-only", "--statement-size=4000 --compress", "--lock-all-tables"} {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		from.mydump(t, "mydumper", append(strings.Fields(how), "--database=shop", "--outputdir="+dir, "--threads=3")...)
		execAll(t, to.db, "DROP DATABASE IF EXISTS shop")
		to.mydump(t, "myloader", "--directory="+dir, "--threads=3")
		require.Equal(t, want, history(t, to.db, "shop"), how)
		to.mydump(t, "myloader", "--directory="+dir, "--overwrite-tables")
		require.Equal(t, want, history(t, to.db, "shop"), how)
	}
}

// TestCopyOfOneMoment changes cells together while mydumper's threads and mariadb-dump copy
// them: a copy has all of a change or nothing.
func TestCopyOfOneMoment(t *testing.T) {
	s := serve(t, ":memory:", mysqlserver.Options{})
	fillHistory(t, s.db)
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		var err error
		for i := 0; err == nil; i++ {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			var tx *sql.Tx
			if tx, err = s.db.Begin(); err == nil {
				for _, table := range []string{"`x$p`", "`x$q`", "plain"} {
					_, err = tx.Exec(fmt.Sprintf("INSERT INTO shop.%s VALUES ('round', 'n', %d, 'round %[2]d')", table, i))
					if err != nil {
						break
					}
				}
				err = tx.Commit()
			}
		}
		done <- err
	}()
	rounds := func(dump string) [3]int {
		var out [3]int
		for i, table := range []string{"x$p", "x$q", "plain"} {
			_, behind, _ := strings.Cut(dump, "INSERT INTO `"+table+"`")
			rows, _, _ := strings.Cut(behind, ";\n")
			out[i] = strings.Count(rows, "round ")
		}
		return out
	}
	for _, how := range []string{"--single-transaction", "--lock-all-tables"} {
		got := rounds(s.tool(t, "", "mariadb-dump", how, "shop"))
		require.Equal(t, [3]int{got[0], got[0], got[0]}, got, how)
	}
	dir := t.TempDir()
	s.mydump(t, "mydumper", "--database=shop", "--outputdir="+dir, "--threads=3")
	close(stop)
	require.NoError(t, <-done)
	var all strings.Builder
	for _, table := range []string{"x$p", "x$q", "plain"} {
		text, err := os.ReadFile(filepath.Join(dir, "shop."+table+".sql"))
		require.NoError(t, err)
		all.Write(text)
	}
	got := rounds(all.String())
	require.Equal(t, [3]int{got[0], got[0], got[0]}, got)
}
