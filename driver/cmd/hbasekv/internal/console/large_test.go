package console_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/console"
)

var partedTables = flag.Int("tables", 1, "how many tables of 8,192 partitions there are; 13 of them are 106,496 partitions")

// maxAnswer is how many bytes the answer to a page may have, whatever the size of what it is about.
const maxAnswer = 256 << 10

var wideColumns = flag.Int("columns", 200_000, "how many columns a row has that is looked at")

// wide makes a row of that many columns.
func (s *served) wide(t testing.TB, columns int) {
	s.exec(t, "CREATE TABLE wide"+cells, fmt.Sprintf("INSERT INTO wide WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 999) "+
		"SELECT 'w', CONCAT('q', LPAD(1000 * a.i + b.i, 7, '0')), 1, 'a value' FROM n a JOIN n b WHERE a.i < %d", columns/1000))
}

// TestWideRow: a page of a row reads what it shows of it, and nothing else of its columns.
func TestWideRow(t *testing.T) {
	s := serve(t, console.Options{})
	s.wide(t, *wideColumns)
	root := s.page().login(t, "root", "")
	page := fmt.Sprintf("SELECT Q, T, V FROM wide WHERE K = 'w' AND Q > 'q%07d' ORDER BY Q LIMIT 200", *wideColumns/2)
	answer := root.query(t, page)
	require.Contains(t, answer, fmt.Sprintf("q%07d", *wideColumns/2+200))
	require.Contains(t, answer, `"count":200`)
	require.Less(t, len(answer), maxAnswer)
	read := regexp.MustCompile(`cells (\d+)`).FindStringSubmatch(root.query(t, "EXPLAIN ANALYZE "+page))
	require.NotNil(t, read)
	n, err := strconv.Atoi(read[1])
	require.NoError(t, err)
	require.Less(t, n, 1000)
	require.Contains(t, root.query(t, "SELECT DISTINCT K FROM wide WHERE K >= 'w' ORDER BY K LIMIT 200"), `"count":1`)
}

// TestManyPartitions: what pages are told of many partitions, all of them busy, is not more than they show.
func TestManyPartitions(t *testing.T) {
	t.Parallel() // it waits most of the time
	const partitions = 8192
	s := serve(t, console.Options{})
	for table := range *partedTables {
		var b strings.Builder
		fmt.Fprintf(&b, "CREATE TABLE t%d%s PARTITION BY RANGE COLUMNS(K) (", table, cells)
		for i := range partitions - 1 {
			fmt.Fprintf(&b, "PARTITION p%d VALUES LESS THAN ('key%06d'), ", i, i+1)
		}
		fmt.Fprintf(&b, "PARTITION p%d VALUES LESS THAN (MAXVALUE))", partitions-1)
		s.exec(t, b.String())
	}
	root := s.page().login(t, "root", "")
	ask := func(path, body string, into any) {
		t.Helper()
		code, text, _ := root.do(t, "POST", path, body)
		require.Equal(t, 200, code, text)
		require.Less(t, len(text), maxAnswer)
		require.NoError(t, json.Unmarshal([]byte(text), into))
	}
	type keyMap struct {
		Rows  []any
		Cells [][]float64
	}
	busy := func() {
		for table := range *partedTables {
			s.exec(t, fmt.Sprintf("REPLACE INTO t%d (K, Q, V) WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 127) "+
				"SELECT CONCAT('key', LPAD(a.i * 128 + b.i, 6, '0')), 'q', REPEAT('v', a.i) FROM n a JOIN n b WHERE a.i < 64", table))
		}
	}
	busy()
	require.Eventually(t, func() bool {
		busy()
		var m keyMap
		ask("api/keys", `{"from":0,"to":0}`, &m)
		return len(m.Rows) == 300 && len(m.Cells) >= 300
	}, time.Minute, time.Second)
	var page struct {
		Partitions int
		Bars, Page []map[string]any
	}
	for _, by := range []string{"", "bytes"} {
		ask("api/partitions", fmt.Sprintf(`{"database":"default","table":"t0","offset":%d,"count":100,"by":%q}`, partitions-50, by), &page)
		require.Equal(t, partitions, page.Partitions)
		require.Len(t, page.Page, 50)
		require.LessOrEqual(t, len(page.Bars), 400)
	}
}
