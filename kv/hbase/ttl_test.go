package hbase

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"

	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// TestTTL requires that what this store has written expires in HBase, by the TTL of a table or of a cell,
// also for HBase's own clients, and that this store does not see expired cells of theirs.
func TestTTL(t *testing.T) {
	if strings.HasPrefix(os.Getenv("HBASE_VERSION"), "3") {
		t.Skip("the other client, gohbase, finds no table of HBase 3")
	}
	s, db := openTest(t), openSQL(t, "")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	other := gohbase.NewClient(quorumOfTests, gohbase.Logger(slog.New(slog.DiscardHandler)))
	defer other.Close()
	cells, table := newName(), newName()
	makeTable(t, s, cells, nil, familySchema("f", "VERSIONS", "3"))
	t.Cleanup(func() { _, _ = db.Exec("DROP TABLE " + table + "$f") })
	_, err := db.Exec("CREATE TABLE " + table + "$f (K varbinary(64) NOT NULL, Q varbinary(64) NOT NULL, T bigint NOT NULL, " +
		"V varbinary(64) NOT NULL, PRIMARY KEY (K, Q, T)) TTL = 600 MAX_VERSIONS = 3")
	require.NoError(t, err)
	now := time.Now().UnixMilli()
	old := now - time.Hour.Milliseconds()
	put := func(table, row, value string, at int64, options ...func(hrpc.Call) error) {
		p, err := hrpc.NewPutStr(ctx, table, row, map[string]map[string][]byte{"f": {"q": []byte(value)}},
			append(options, hrpc.TimestampUint64(uint64(at)))...)
		require.NoError(t, err)
		_, err = other.Put(p)
		require.NoError(t, err)
	}
	client := rowapi.New(s, rowapi.Options{})
	own := func(row, value string, at int64, ttl time.Duration) {
		p := rowapi.NewPut([]byte(row)).AddAt("f", []byte("q"), at, []byte(value))
		p.TTL = ttl
		require.NoError(t, client.Put(ctx, rowapi.TableName{Name: cells}, p))
	}
	for _, write := range []func(row, value string, at int64, ttl time.Duration){own,
		func(row, value string, at int64, ttl time.Duration) { put(cells, "by "+row, value, at, hrpc.TTL(ttl)) }} {
		write("a", "older", old-5, 24*time.Hour)
		write("a", "ended", old, time.Minute)
		write("b", "ended", old, time.Minute)
		write("c", "stays", old, 2*time.Hour)
		write("d", "soon", now, 4*time.Second)
	}
	put(table, "by e", "ended", old)
	put(table, "by f", "stays", now)
	for row, at := range map[string]int64{"e": old, "f": now} {
		_, err := db.Exec("INSERT INTO "+table+"$f VALUES (?, 'q', ?, ?)", row, at, map[bool]string{true: "stays", false: "ended"}[at == now])
		require.NoError(t, err)
	}

	seen := func(table string) string { // through HBase's client
		scan, err := hrpc.NewScanStr(ctx, table)
		require.NoError(t, err)
		var out []string
		for rows := other.Scan(scan); ; {
			r, err := rows.Next()
			if err != nil {
				break
			}
			out = append(out, fmt.Sprintf("%s=%s", r.Cells[0].Row, r.Cells[0].Value))
		}
		sort.Strings(out)
		return strings.Join(out, ", ")
	}
	bySQL := func(table string) string {
		return strings.Join(rows(t, db, "SELECT CONCAT(K, '=', V) FROM "+table+"$f ORDER BY K"), ", ")
	}
	for _, look := range []func(string) string{seen, bySQL} {
		require.Equal(t, "by f=stays, f=stays", look(table))
		require.Eventually(t, func() bool { // once the cells with a short TTL have expired
			return look(cells) == "a=older, by a=older, by c=stays, c=stays"
		}, 30*time.Second, 100*time.Millisecond)
	}
	require.Empty(t, rows(t, db, "SELECT * FROM "+cells+"$f FOR SYSTEM_TIME ALL WHERE V IN ('ended', 'soon')"))
}
