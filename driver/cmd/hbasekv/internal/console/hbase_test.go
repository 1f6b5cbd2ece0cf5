//go:build browser

package console_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/console"
	_ "github.com/hbasekv/hbasekv/kv/hbase"
)

// TestHBase goes through the pages over a real HBase: by their requests, and in a browser.
func TestHBase(t *testing.T) {
	quorum := os.Getenv("HBASEKV_TEST_ZK")
	if quorum == "" {
		t.Skip("no HBase: give its quorum in HBASEKV_TEST_ZK; kv/hbase/hbase-local starts one")
	}
	s := serveStore(t, "hbase://"+quorum+"/default?multiRow=apply", console.Options{Writes: true, Slow: &console.SlowStatements{}})
	name := fmt.Sprintf("shown%d", time.Now().UnixNano()%1e12)
	s.exec(t, "CREATE TABLE "+name+"$f (K varbinary(64), Q varbinary(64), T bigint, V varbinary(255) NOT NULL, PRIMARY KEY (K, Q, T)) "+
		"KV_ATTRIBUTES='{\"Hbase\": {\"MaxVersions\": 3}}' PARTITION BY RANGE COLUMNS(K) (PARTITION a VALUES LESS THAN ('m'), PARTITION b VALUES LESS THAN (MAXVALUE))")
	t.Cleanup(func() { _, _ = s.db.Exec("DROP TABLE " + name + "$f") })
	s.exec(t, "INSERT INTO "+name+"$f VALUES ('k1', 'q', 1700000000000, 'first'), ('k1', 'q', 1700003600000, 'second'), ('x1', 'q', 1700000000000, 'other')")
	root := s.page().login(t, "root", "")
	s.asked(t, root, name)
	t.Run("browser", func(t *testing.T) { s.browsed(t, name) })
}

// asked asks what the pages ask.
func (s *served) asked(t *testing.T, root *visitor, name string) {
	_, session, _ := root.do(t, "GET", "api/session", "")
	require.Contains(t, session, `"locks":false`)
	require.Contains(t, session, `"counted":true`)
	table := fmt.Sprintf(`{"database":"default","table":"%s$f","count":10}`, name)
	code, text, _ := root.do(t, "POST", "api/partitions", table)
	require.Equal(t, 200, code, text)
	require.Contains(t, text, `"partitions":2`)
	require.Contains(t, text, `"may":{"split":true,"merge":false,"compact":true}`)
	require.Contains(t, text, `"comment":"on `)
	require.Eventually(t, func() bool { // the counters of region servers come with their reports
		s.exec(t, "REPLACE INTO "+name+"$f VALUES ('x1', 'q', 1700000000000, 'other')")
		_, text, _ = root.do(t, "POST", "api/keys", `{"from":0,"to":0}`)
		return strings.Contains(text, name)
	}, 90*time.Second, time.Second, text)
	require.Contains(t, text, `"sampled":false`)
	code, text, _ = root.do(t, "POST", "api/advise", fmt.Sprintf(`{"database":"default","table":"%s$f"}`, name))
	require.Equal(t, 200, code, text)
	code, text, _ = root.do(t, "POST", "api/now", `{}`)
	require.Equal(t, 200, code, text)
	require.Contains(t, text, "statements_total")
	require.Contains(t, root.query(t, "SELECT * FROM "+name+"$f FOR SYSTEM_TIME ALL"), "first")
	require.Contains(t, root.query(t, "SELECT requesting_trx_id FROM information_schema.INNODB_LOCK_WAITS"), `"count":0`)
}

// browsed looks at the pages.
func (s *served) browsed(t *testing.T, name string) {
	b := &seen{T: t, ctx: chromium(t)}
	b.listen()
	b.run(chromedp.Navigate(s.URL + console.Prefix))
	b.login("root", "")
	b.shown("#heat")
	b.text("section table tbody", name)
	b.text("section table tbody", "this store does not tell whose")
	b.picture("hbase-keys")
	b.open("tables?database=default&table=" + name + "$f")
	b.until("document.querySelectorAll('.split').length === 2 && !document.querySelector('.merge')")
	b.text("section p", "This store does not merge partitions")
	b.click("tr[data-partition] .split")
	b.enter("dialog input", "c")
	b.click("dialog button.main")
	b.text("dialog pre", "SPLIT TABLE")
	b.click("dialog button.main")
	b.until("document.querySelectorAll('tr[data-partition]').length === 3")
	b.click("#compact")
	b.text("dialog pre", "OPTIMIZE TABLE")
	b.click("dialog button.main")
	b.text("#status", "Done: OPTIMIZE TABLE")
	b.picture("hbase-tables")
	b.open("rows?database=default&table=" + name + "$f&key=k1&how=row")
	b.click("button.versions")
	b.click("#history .chip:first-child")
	b.text("#history pre", "first")
	b.click("#compare")
	b.shown("#beside tr.changed")
	b.open("sql?database=default")
	b.enter("#editor", "SELECT COUNT(*) FROM "+name+"$f")
	b.click("#explain")
	b.text(".step .figures", "requests")
	b.open("now")
	b.text("section p", "This store has no row locks")
	b.text("section p", "show their compactions, cache and disk themselves")
	b.picture("hbase-now")
	b.quiet()
}
