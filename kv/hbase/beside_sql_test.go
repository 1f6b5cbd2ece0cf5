package hbase

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// besides is the embedded store and HBase, with the same empty tables: t with three
// regions, and u. A statement may write several rows.
type besides struct {
	*testing.T
	store           *Store
	embedded, hbase *sql.DB
	r               *rand.Rand
}

func openBeside(t *testing.T) *besides {
	s := openTest(t)
	b := &besides{T: t, store: s, r: rand.New(rand.NewPCG(testseed.Of(t), 5)), hbase: openSQL(t, "?multiRow=apply")}
	var err error
	b.embedded, err = sql.Open("hbasekv", "file::memory:?db=default")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.embedded.Close()) })
	t.Cleanup(func() {
		for _, table := range []string{"t", "u"} {
			_, _ = b.hbase.Exec("DROP TABLE IF EXISTS " + table)
		}
	})
	columns := "(K varbinary(32767) NOT NULL, Q varbinary(65535) NOT NULL, T bigint NOT NULL, V mediumblob NOT NULL, PRIMARY KEY (K, Q, T))"
	b.both("DROP TABLE IF EXISTS t")
	b.both("DROP TABLE IF EXISTS u")
	b.both("CREATE TABLE t " + columns + " PARTITION BY RANGE COLUMNS(K) SPLITS ('k3', 'k6')")
	b.both("CREATE TABLE u " + columns)
	s.refreshed(t)
	return b
}

// both runs a statement on both, and compares its error and the number of changed rows.
func (b *besides) both(statement string, args ...any) {
	b.Helper()
	want, failed := b.embedded.Exec(statement, args...)
	got, err := b.hbase.Exec(statement, args...)
	short := statement[:min(len(statement), 300)]
	require.Equal(b.T, errorNumber(failed), errorNumber(err), "%s: %v, %v", short, failed, err)
	if failed != nil || err != nil {
		require.Error(b.T, failed, short)
		require.Error(b.T, err, short)
		return
	}
	for _, count := range []func(sql.Result) (int64, error){sql.Result.RowsAffected, sql.Result.LastInsertId} {
		x, err := count(want)
		require.NoError(b.T, err)
		y, err := count(got)
		require.NoError(b.T, err)
		require.Equal(b.T, x, y, short)
	}
}

func (b *besides) same(query string, args ...any) {
	b.Helper()
	require.Equal(b.T, rows(b.T, b.embedded, query, args...), rows(b.T, b.hbase, query, args...), query)
}

// all compares all versions of a table, and the newest.
func (b *besides) all(table string) {
	b.Helper()
	b.same("SELECT HEX(K), HEX(Q), T, LENGTH(V), MD5(V) FROM " + table + " FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC")
	b.same("SELECT MD5(K), Q, T, MD5(V) FROM " + table + " ORDER BY K DESC, Q DESC")
}

// lines returns a file for LOAD DATA in which keys come twice. If bad is set, three of 60
// lines are bad: a key is too long, or there are too few or too many fields.
func (b *besides) lines(n int, bad bool) string {
	var out strings.Builder
	for i := range n {
		k, q, at := fmt.Sprintf("k%d", b.r.IntN(n/2)), b.r.IntN(3), b.r.IntN(3)
		kind := 3
		if bad {
			kind = b.r.IntN(60)
		}
		switch kind {
		case 0:
			k = strings.Repeat("l", 32768)
		case 1:
			fmt.Fprintf(&out, "%s\tq\t%d\n", k, at)
			continue
		case 2:
			fmt.Fprintf(&out, "%s\tq\t%d\tv\textra\n", k, at)
			continue
		case 4, 5:
			k, q = `k\\\t\n`, 7
		}
		fmt.Fprintf(&out, "%s\tq%d\t%d\tvalue %d\n", k, q, at, i)
	}
	return out.String()
}

// local makes LOAD DATA LOCAL INFILE read a text, any number of times.
func local(t *testing.T, text string) string {
	name := fmt.Sprintf("%s %d", t.Name(), tableNumber.Add(1))
	driver.RegisterReader(name, func() io.Reader { return strings.NewReader(text) })
	t.Cleanup(func() { driver.DeregisterReader(name) })
	return "LOAD DATA LOCAL INFILE 'Reader::" + name + "' "
}

// TestLoadData requires the same rows and warnings as from the embedded store; without
// multiRow=apply only one row is allowed.
func TestLoadData(t *testing.T) {
	b := openBeside(t)
	for _, how := range []string{"IGNORE ", "REPLACE ", ""} {
		b.load(local(t, b.lines(300, how != "REPLACE ")) + how + "INTO TABLE t")
		b.all("t")
	}
	b.load(local(t, "a;1\nb;2\nb;2\n") + "INTO TABLE t FIELDS TERMINATED BY ';' (K, @n) SET Q = '', T = @n * 10, V = REPEAT(K, @n)")
	b.all("t")
	b.load(local(t, "") + "INTO TABLE t")
	big := strings.ReplaceAll(b.lines(20_000, false), "value", strings.Repeat("value", 50)) // it bypasses transactions
	b.load(local(t, big) + "REPLACE INTO TABLE t")
	b.all("t")

	one := openSQL(t, "")
	for _, how := range []string{"", "REPLACE ", "IGNORE "} {
		_, err := one.Exec(local(t, "x\tq\t1\tv\ny\tq\t1\tv\n") + how + "INTO TABLE t")
		require.Equal(t, uint16(1235), errorNumber(err), "%v", err)
		require.ErrorContains(t, err, "multiRow=apply")
	}
	_, err := one.Exec(local(t, big) + "REPLACE INTO TABLE t")
	require.Equal(t, uint16(1235), errorNumber(err), "%v", err)
	b.all("t")
	exec1(t, one, local(t, "x\tq\t1\tv\nx\tr\t1\tw\n")+"REPLACE INTO TABLE t")
	exec1(t, b.embedded, local(t, "x\tq\t1\tv\nx\tr\t1\tw\n")+"REPLACE INTO TABLE t")
	b.all("t")

	// What HBase cannot store is refused before anything is sent.
	for text, want := range map[string]uint16{"z\tq\t1\tv\nz\tr\t-1\tv\n": 1264, "z\tq\t1\tv\n\tr\t1\tv\n": 1406,
		"z\tq\t1\tv\nz\tr\t9223372036854775807\tv\n": 1264} {
		_, err := b.hbase.Exec(local(t, text) + "REPLACE INTO TABLE t")
		require.Equal(t, want, errorNumber(err), "%q: %v", text, err)
		b.all("t")
		conn, err := b.hbase.Conn(context.Background())
		require.NoError(t, err)
		require.EqualValues(t, 1, exec1(t, conn, local(t, text)+"INTO TABLE t"), "LOCAL is IGNORE")
		require.Contains(t, rows(t, conn, "SHOW WARNINGS")[0], fmt.Sprintf("|%d|", want))
		exec1(t, conn, "DELETE FROM t WHERE K = 'z'")
		require.NoError(t, conn.Close())
	}
	b.all("t")
}

// load runs LOAD DATA on both, and compares its warnings.
func (b *besides) load(statement string) {
	b.Helper()
	var said [2][]string
	for i, db := range []*sql.DB{b.embedded, b.hbase} {
		conn, err := db.Conn(context.Background())
		require.NoError(b.T, err)
		said[i] = append(said[i], fmt.Sprint(exec1(b.T, conn, statement)))
		said[i] = append(said[i], rows(b.T, conn, "SHOW COUNT(*) WARNINGS")...)
		said[i] = append(said[i], rows(b.T, conn, "SHOW WARNINGS")...)
		require.NoError(b.T, conn.Close())
	}
	require.Equal(b.T, said[0], said[1], statement)
}

// A load that fails after it has sent something says so.
func TestLoadDataFails(t *testing.T) {
	b := openBeside(t)
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "k%05d\tq\t1\t%s\n", i, strings.Repeat("v", 500))
	}
	text.WriteString("last\tq\t-1\tv\n")
	_, err := b.hbase.Exec(local(t, text.String()) + "REPLACE INTO TABLE t")
	require.Equal(t, uint16(1180), errorNumber(err), "%v", err)
	require.ErrorContains(t, err, "rows were written")
	require.NotEqual(t, []string{"0"}, rows(t, b.hbase, "SELECT COUNT(*) FROM t"))
}

// TestInsertSelect copies rows between tables, and into their own table.
func TestInsertSelect(t *testing.T) {
	b := openBeside(t)
	b.load(local(t, b.lines(200, true)) + "INTO TABLE t")
	for _, statement := range []string{
		"INSERT INTO u SELECT * FROM t",
		"INSERT INTO u SELECT * FROM t", // 1062
		"INSERT IGNORE INTO u SELECT K, Q, T + 1, V FROM t FOR SYSTEM_TIME ALL",
		"REPLACE INTO u SELECT K, Q, T, CONCAT(V, 'x') FROM t WHERE K < 'k5'",
		"INSERT INTO u SELECT K, Q, T, V FROM t ON DUPLICATE KEY UPDATE V = CONCAT(u.V, VALUES(V))",
		"INSERT INTO t SELECT CONCAT(K, '/'), Q, T, V FROM t",
		"INSERT INTO t (K, Q, T, V) SELECT K, 'n', 1, COUNT(*) FROM t FOR SYSTEM_TIME ALL GROUP BY K",
		"INSERT INTO t SELECT a.K, 'j', 5, CONCAT(a.V, b.V) FROM t a JOIN u b ON a.K = b.K AND a.Q = b.Q WHERE a.K > 'k7'",
		"INSERT INTO u SELECT 'only', 'q', 1, 'v' FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM u WHERE K = 'only')",
		"INSERT INTO u SELECT 'only', 'q', 1, 'v' FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM u WHERE K = 'only')",
		"INSERT INTO u SELECT K, Q, T, V FROM t WHERE K = 'none'",
		"INSERT INTO u SELECT K, Q, T, NULL FROM t", // 1048
		"INSERT INTO u SELECT * FROM t LIMIT 3",
	} {
		b.both(statement)
		b.all("t")
		b.all("u")
	}
	one := openSQL(t, "")
	_, err := one.Exec("INSERT INTO u SELECT CONCAT(K, '+'), Q, T, V FROM t")
	require.Equal(t, uint16(1235), errorNumber(err), "%v", err)
	b.all("u")
	exec1(t, one, "INSERT INTO u SELECT 'row', Q, T, MAX(V) FROM t GROUP BY Q, T") // it writes one row
	exec1(t, b.embedded, "INSERT INTO u SELECT 'row', Q, T, MAX(V) FROM t GROUP BY Q, T")
	b.all("u")
}

// TestEmptyQualifier requires that a column with an empty name has versions like others,
// in memory and in files, and that one of several cannot be deleted.
func TestEmptyQualifier(t *testing.T) {
	b := openBeside(t)
	for _, at := range []int{5, 1, 3, 9} {
		b.both("INSERT INTO t VALUES ('k1', '', ?, ?), ('k1', 'q', ?, ?), ('k9', '', ?, '')", at, fmt.Sprint("v", at), at, "q", at)
	}
	check := func() {
		b.all("t")
		for _, view := range []string{"FROM t", "FROM t FOR SYSTEM_TIME AS OF 4", "FROM t FOR SYSTEM_TIME ALL", "FROM t FOR SYSTEM_TIME BETWEEN 2 AND 5"} {
			for _, where := range []string{"", " WHERE Q = ''", " WHERE K = 'k1' AND Q = ''", " WHERE K = 'k1' AND Q > ''", " WHERE Q IN ('', 'z')", " WHERE K = 'k1' AND Q = '' AND T = 3",
				" WHERE (K, Q) > ('k1', '')", " WHERE K = 'k9' AND Q <= ''"} {
				b.same("SELECT K, Q, T, V " + view + where + " ORDER BY K, Q, T DESC")
				b.same("SELECT K, Q, T, V " + view + where + " ORDER BY K DESC, Q DESC, T LIMIT 3")
			}
		}
		b.same("SELECT /*+ VERSIONS(2) */ * FROM t WHERE Q = '' ORDER BY K, T")
	}
	for range 2 {
		check()
		b.both("UPDATE /*+ VERSIONS(ALL) */ t SET V = CONCAT(V, '+') WHERE Q = '' AND T IN (1, 3)")
		b.both("INSERT INTO t VALUES ('k1', '', 3, 'twice')") // 1062
		b.both("INSERT INTO t VALUES ('k1', '', 3, 'twice') ON DUPLICATE KEY UPDATE V = 'changed'")
		b.both("REPLACE INTO t VALUES ('k9', '', 3, 'replaced')")
		b.both("UPDATE t SET V = 'newest', T = T + 2 WHERE K = 'k9' AND Q = ''")
		check()
		mustExec(t, b.hbase, "OPTIMIZE TABLE t")
	}
	_, err := b.hbase.Exec("DELETE /*+ VERSIONS(ALL) */ FROM t WHERE K = 'k1' AND Q = '' AND T = 3")
	require.Equal(t, uint16(1235), errorNumber(err), "%v", err)
	check()
	b.both("DELETE /*+ VERSIONS(ALL) */ FROM t WHERE K = 'k1' AND Q = 'q' AND T = 3")
	b.both("DELETE FROM t WHERE K = 'k1' AND Q = ''")
	check()
	b.both("INSERT INTO t VALUES ('k1', '', 2, 'again')")
	check()
	b.both("DELETE /*+ VERSIONS(ALL) */ FROM t WHERE K = 'k1' AND Q = ''")
	check()
}

// edge returns a random key at or near HBase's limits.
func (b *besides) edge(most int) []byte {
	n := []int{1, 1, 2, 3, most - 1, most, most}[b.r.IntN(7)]
	key := make([]byte, n)
	for i := range key {
		key[i] = []byte{0xff, 0xff, 0, 'k'}[b.r.IntN(4)]
	}
	if fill := []byte{0xff, 0}[b.r.IntN(2)]; b.r.IntN(2) == 0 {
		for i := range key {
			key[i] = fill
		}
	}
	return key
}

// TestLimits draws keys, times and values at the limits, writes and reads them.
func TestLimits(t *testing.T) {
	b := openBeside(t)
	times := []int64{0, 0, 1, 2, maxTimestamp, maxTimestamp - 1, 1700000000000}
	keys := [][]byte{{'k'}}
	for range 12 {
		keys = append(keys, b.edge(maxRow))
	}
	qualifiers := [][]byte{{}, {0}, {0xff}, b.edge(maxQualifier), b.edge(maxQualifier)}
	key := func() []byte { return keys[b.r.IntN(len(keys))] }
	qualifier := func() []byte { return qualifiers[b.r.IntN(len(qualifiers))] }
	at := func() int64 { return times[b.r.IntN(len(times))] }
	value := func() []byte { return make([]byte, []int{0, 0, 1, 100_000}[b.r.IntN(4)]) }
	for i := range 150 {
		switch b.r.IntN(8) {
		case 0, 1, 2:
			b.both("INSERT INTO t VALUES (?, ?, ?, ?)", key(), qualifier(), at(), value())
		case 3, 4:
			b.both("REPLACE INTO t VALUES (?, ?, ?, ?), (?, ?, ?, ?)", key(), qualifier(), at(), value(), key(), qualifier(), at(), value())
		case 5:
			b.both("DELETE FROM t WHERE K = ? AND Q = ?", key(), qualifier())
		case 6:
			b.both("UPDATE /*+ VERSIONS(ALL) */ t SET V = CONCAT(V, 'x') WHERE K = ? AND T = ?", key(), at())
		case 7:
			b.both("DELETE /*+ VERSIONS(ALL) */ FROM t WHERE K >= ? AND Q > '' AND T = ?", key(), at())
		}
		where := []string{"K = ?", "K > ?", "K >= ?", "K < ?", "K <= ?", "(K, Q) > (?, X'FF')", "K BETWEEN ? AND REPEAT(X'FF', 32767)"}[b.r.IntN(7)]
		order := []string{"K, Q, T DESC", "K DESC, Q DESC, T"}[b.r.IntN(2)]
		view := []string{"", " FOR SYSTEM_TIME ALL", fmt.Sprintf(" FOR SYSTEM_TIME AS OF %d", at()), " FOR SYSTEM_TIME BETWEEN 0 AND 9223372036854775806"}[b.r.IntN(4)]
		b.same("SELECT LENGTH(K), MD5(K), MD5(Q), T, LENGTH(V) FROM t"+view+" WHERE "+where+" ORDER BY "+order+[]string{"", " LIMIT 2"}[b.r.IntN(2)], key())
		if i%50 == 49 {
			b.all("t")
			mustExec(t, b.hbase, "OPTIMIZE TABLE t")
		}
	}
	b.all("t")
	k := []byte("k")
	for _, bad := range []struct {
		number uint16
		args   []any
	}{
		{1264, []any{k, k, -1, k}}, {1264, []any{k, k, int64(maxTimestamp) + 1, k}}, {1406, []any{[]byte{}, k, 1, k}}, {1048, []any{k, k, 1, nil}},
		{1406, []any{make([]byte, maxRow+1), k, 1, k}}, {1406, []any{k, make([]byte, maxQualifier+1), 1, k}},
	} {
		for _, verb := range []string{"INSERT", "REPLACE"} {
			_, err := b.hbase.Exec(verb+" INTO t VALUES (?, ?, ?, ?), ('x', 'q', 1, 'v')", bad.args...)
			require.Equal(t, bad.number, errorNumber(err), "%s: %v", verb, err)
		}
		if bad.number != 1048 { // it becomes the empty value, as in MySQL
			require.EqualValues(t, 1, exec1(t, b.hbase, "INSERT IGNORE INTO t VALUES (?, ?, ?, ?), ('x', 'q', 1, 'v')", bad.args...))
			exec1(t, b.hbase, "DELETE FROM t WHERE K = 'x'")
		}
	}
	b.all("t")
}

// TestLargestValue requires that a cell may be as large as the server accepts, and that a
// larger one is refused before anything is sent.
func TestLargestValue(t *testing.T) {
	b := openBeside(t)
	value := make([]byte, maxValue)
	for i := range value {
		value[i] = byte(b.r.Uint32())
	}
	table := b.store.refreshed(t).Table("default", "t")
	for _, c := range []kv.Cell{{Row: []byte("k"), Qualifier: []byte{}}, {Row: make([]byte, maxRow), Qualifier: make([]byte, maxQualifier)}} {
		if testing.Short() && len(c.Qualifier) > 0 {
			continue
		}
		room := maxValue - len(c.Row) - len(c.Qualifier) - len(aloneFamily) - cellOverhead
		b.both("INSERT INTO t VALUES (?, ?, 1, ?)", c.Row, c.Qualifier, value[:room])
		b.both("UPDATE /*+ VERSIONS(ALL) */ t SET V = CONCAT('x', SUBSTRING(V, 2)) WHERE K = ? AND Q = ?", c.Row, c.Qualifier)
		b.same("SELECT LENGTH(V), MD5(V) FROM t FOR SYSTEM_TIME ALL WHERE K = ?", c.Row)
		for _, verb := range []string{"INSERT", "REPLACE"} {
			_, err := b.hbase.Exec(verb+" INTO t VALUES (?, ?, 7, ?)", c.Row, c.Qualifier, value[:room+1])
			require.Equal(t, uint16(1406), errorNumber(err), "%v", err)
		}
		txn := kvtest.Begin(b.store, kv.TxnOptions{})
		before := b.store.calls()
		c.Value, c.Timestamp = value[:room+1], 7
		require.ErrorIs(t, txn.Put(context.Background(), table, c), kv.ErrLength)
		_, err := b.store.BulkLoad(context.Background(), []*kv.Table{table}, func(yield func(kv.Cell, error) bool) { yield(c, nil) }, kv.BulkOptions{})
		require.Error(t, err)
		require.Equal(t, before, b.store.calls())
		txn.Rollback()
	}
	b.both("REPLACE INTO t VALUES ('small', 'q', 1, '')")
	b.same("SELECT LENGTH(K), SUM(LENGTH(V)) FROM t FOR SYSTEM_TIME ALL GROUP BY K ORDER BY K DESC")
}

// calls returns how many calls the store has made.
func (s *Store) calls() (n uint64) {
	c := s.cluster.rpc.(*counted)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.methods {
		for i := range m.outcomes {
			n += m.outcomes[i].Load()
		}
	}
	return n
}

// OPTIMIZE PARTITION compacts the regions that it names.
func TestOptimizePartition(t *testing.T) {
	b := openBeside(t)
	for i := range 2 { // three would be compacted automatically
		b.both("REPLACE INTO t VALUES ('a', 'q', ?, 'v'), ('k4', 'q', ?, 'v'), ('z', 'q', ?, 'v')", i, i, i)
		flush(t, b.store, "t")
	}
	require.Equal(t, "6", storedFiles(t, b.store, "t"))
	regions := b.store.refreshed(t).Table("default", "t").Partitioning
	for _, c := range []struct{ names, want string }{{regions.Name(1), "5"}, {regions.Name(0) + "`, `" + regions.Name(2), "3"}} {
		require.Equal(t, []string{"default.t|optimize|status|OK"}, rows(t, b.hbase, "ALTER TABLE t OPTIMIZE PARTITION `"+c.names+"`"))
		require.Equal(t, c.want, storedFiles(t, b.store, "t"))
	}
	b.same("ALTER TABLE t OPTIMIZE PARTITION nowhere")
	b.all("t")
}
