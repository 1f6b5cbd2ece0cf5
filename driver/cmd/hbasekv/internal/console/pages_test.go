//go:build browser

package console_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/console"
)

// TestBrowser goes through the pages in a real browser.
func TestBrowser(t *testing.T) {
	ctx := chromium(t)
	s := serve(t, console.Options{Writes: true, Slow: &console.SlowStatements{}})
	s.fill(t)
	b := &seen{T: t, ctx: ctx}
	b.listen()
	stop := s.load(t)
	b.run(chromedp.Navigate(s.URL + console.Prefix))
	b.shown("input[name=user]")
	b.picture("login")
	b.login("root", "")
	b.keysOverTime()
	b.tables(s)
	stop()
	b.history()
	b.wideRow(s)
	b.cancelled(s)
	b.files()
	b.plan()
	b.waits(s)
	b.keyboard()
	b.click("#logout")
	b.fewRights()
	b.quiet()
}

// fill makes what the pages show.
func (s *served) fill(t *testing.T) {
	s.exec(t, "CREATE TABLE orders"+cells+" PARTITION BY RANGE COLUMNS(K) (PARTITION north VALUES LESS THAN ('h'), PARTITION east VALUES LESS THAN ('p'), PARTITION south VALUES LESS THAN (MAXVALUE))",
		"CREATE TABLE people (id bigint NOT NULL AUTO_INCREMENT, name varchar(100), PRIMARY KEY (id))", "INSERT INTO people (name) VALUES ('Ann'), ('<b>Bob</b>')",
		"CREATE USER ann@localhost IDENTIFIED BY 'x'", "GRANT SELECT ON `default`.people TO ann@localhost")
	for i := range 400 {
		s.exec(t, fmt.Sprintf("INSERT INTO orders VALUES ('%c%04d', 'status', 1700000000000, 'new'), ('%[1]c%04[2]d', 'total', 1700000000000, '%d')", 'a'+rune(i%26), i, i))
	}
	for i, state := range []string{"paid", "sent", `<img src=x onerror="document.title='hacked'">`} {
		s.exec(t, fmt.Sprintf("INSERT INTO orders VALUES ('a0000', 'status', %d, '%s')", 1700000000000+(i+1)*3600_000, strings.ReplaceAll(state, "'", "''")))
	}
}

// load makes one partition hot, until it is stopped.
func (s *served) load(t *testing.T) (stop context.CancelFunc) {
	load, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	go func() {
		for i := 0; load.Err() == nil; i++ {
			_, _ = s.db.ExecContext(load, fmt.Sprintf("REPLACE INTO orders (K, Q, V) VALUES ('m%04d', 'status', 'hot')", i%500))
			if i%10 == 0 {
				_, _ = s.db.ExecContext(load, "DO (SELECT COUNT(*) FROM orders WHERE K = 'b0001')")
			}
		}
	}()
	return stop
}

// keysOverTime finds the hot range and who makes it so.
func (b *seen) keysOverTime() {
	b.shown("#heat")
	b.text("section table tbody tr:first-child", "orders · east")
	b.text(".askers b", "REPLACE")
	b.text(".askers code", "REPLACE INTO orders")
	b.open("keys?span=900000")
	b.text("section table tbody tr:first-child", "orders · east")
	b.picture("keys")
}

// tables splits a partition, merges it again and compacts the table.
func (b *seen) tables(s *served) {
	partitions := func(want int) {
		b.until(fmt.Sprintf("document.querySelectorAll('tr[data-partition]').length === %d", want))
	}
	b.open("tables?database=default&table=orders")
	b.shown("tr[data-partition=east] .split")
	b.picture("tables")
	b.click("tr[data-partition=east] .split")
	b.enter("dialog input", "m0200")
	b.click("dialog button.main")
	b.text("dialog pre", "SPLIT TABLE `default`.`orders` BY (x'6d30323030')")
	b.picture("dialog")
	b.click("dialog button.main")
	partitions(4)
	b.text("tr[data-partition] td:nth-child(2)", "m0200")
	b.until("!document.querySelector('tr:last-child .merge')")
	b.click("tr[data-partition]:nth-child(2) .merge")
	b.text("dialog pre", "REORGANIZE PARTITION")
	b.click("dialog button.main")
	partitions(3)
	b.until("![...document.querySelectorAll('tr[data-partition] td:nth-child(2)')].some(e => e.textContent.includes('m0200'))")
	var n int
	require.NoError(b, s.db.QueryRow("SELECT COUNT(*) FROM information_schema.PARTITIONS WHERE TABLE_NAME = 'orders'").Scan(&n))
	require.Equal(b, 3, n)
	b.click("#compact")
	b.text("dialog pre", "OPTIMIZE TABLE `default`.`orders`")
	b.click("dialog button.main")
	b.text("#status", "Done: OPTIMIZE TABLE")

	// The key of a typed table is a number, and its bytes are no number.
	b.open("tables?database=default&table=people")
	b.text("#table h1", "default.people")
	b.click(".split")
	b.enter("dialog input", "2")
	b.click("dialog button.main")
	b.text("dialog pre", "SPLIT TABLE `default`.`people` BY (2)")
	b.click("dialog button.main")
	partitions(2)
}

// history walks the versions of a cell, and compares two moments of its row.
func (b *seen) history() {
	b.open("rows?database=default&table=orders&key=a0000&how=row")
	b.click("button.versions")
	b.text("#history .chip", "2023-11-14 22:13:20")
	b.click("#history .chip:nth-child(2)")
	b.text("#history pre", "paid")
	b.click("#history .chip:last-child")
	b.text("#history pre", "<img src=x")
	b.click("#compare")
	b.shown("#beside tr.changed")
	b.picture("rows")
}

// wideRow goes through a row of many columns: by pages, and to a qualifier.
func (b *seen) wideRow(s *served) {
	s.wide(b.T, *wideColumns)
	b.script("performance.setResourceTimingBufferSize(5000); performance.clearResourceTimings()")
	first := func(n int) {
		b.Helper()
		b.text("[aria-label=Cells] tbody tr:first-child td:first-child", fmt.Sprintf("q%07d", n))
	}
	b.open("rows?database=default&table=wide&key=w&how=prefix")
	first(0)
	b.until("document.querySelectorAll('[aria-label=Cells] tbody tr').length === 200")
	b.click("#next")
	first(200)
	b.enter("#qualifier", fmt.Sprintf("q%07d", *wideColumns-100))
	b.with("#qualifier", "e.form.requestSubmit()")
	first(*wideColumns - 100)
	b.until("document.querySelectorAll('[aria-label=Cells] tbody tr').length === 100")
	b.click("#compare")
	b.shown("#beside tbody tr")
	b.click("#first")
	first(0)
	b.picture("wide")
	var largest int
	b.run(chromedp.Evaluate("Math.max(...performance.getEntriesByType('resource').map(e => e.decodedBodySize))", &largest))
	require.Positive(b, largest)
	require.Less(b, largest, maxAnswer)
}

// cancelled runs a statement and cancels it.
func (b *seen) cancelled(s *served) {
	b.open("sql?database=default")
	b.enter("#editor", "SELECT SLEEP(600)")
	b.click("#run")
	running := func() (n int) {
		require.NoError(b, s.db.QueryRow("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO = 'SELECT SLEEP(600)'").Scan(&n))
		return n
	}
	require.Eventually(b, func() bool { return running() == 1 }, 30*time.Second, 50*time.Millisecond)
	b.click("#cancel")
	b.text("#progress", "Cancelled")
	require.Eventually(b, func() bool { return running() == 0 }, 30*time.Second, 50*time.Millisecond)
}

// files downloads a result.
func (b *seen) files() {
	dir := b.TempDir()
	b.enter("#editor", "SELECT LEFT(K, 1) AS region, COUNT(*) AS n, SUM(IF(Q = 'total', V, 0)) AS total FROM orders GROUP BY LEFT(K, 1) ORDER BY region")
	b.click("#run")
	b.text("#progress", "26 rows")
	b.click("#chart")
	b.picture("sql")
	b.run(browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(dir))
	downloaded := func(button, name, begin, end string) {
		b.click(button)
		require.Eventually(b, func() bool {
			text, err := os.ReadFile(filepath.Join(dir, name))
			return err == nil && len(text) > len(begin) && strings.HasPrefix(string(text), begin) && strings.HasSuffix(string(text), end)
		}, 30*time.Second, 50*time.Millisecond, name)
	}
	downloaded("#csv", "result.csv", "region,n,total\na,", "\n")
	downloaded("#parquet", "result.parquet", "PAR1", "PAR1")
}

// plan explains a statement of which two steps sleep, the first as long as the second: the boxes of steps are as wide
// as their times.
func (b *seen) plan() {
	b.enter("#editor", "SELECT region FROM (SELECT LEFT(K, 1) AS region, COUNT(*) AS n FROM orders WHERE K < 'a0030' AND SLEEP(0.05) = 0 GROUP BY LEFT(K, 1) LIMIT 10) g WHERE SLEEP(0.2) = 0 ORDER BY n")
	b.click("#explain")
	b.shown(".took")
	b.picture("explain")
	var steps []struct{ Ms, Left, Width, Lane float64 }
	b.run(chromedp.Evaluate(`[...document.querySelectorAll(".took")].map((e) => { const box = e.getBoundingClientRect(), lane = e.parentElement.getBoundingClientRect();
		return { ms: Number(e.dataset.ms), left: box.left - lane.left, width: box.width, lane: lane.width }; })`, &steps))
	require.Greater(b, len(steps), 2)
	all, scan := steps[0], steps[len(steps)-1]
	require.Greater(b, all.Ms, 400.0)
	require.GreaterOrEqual(b, scan.Ms, 200.0)
	require.GreaterOrEqual(b, all.Ms-scan.Ms, 200.0)
	require.InDelta(b, all.Lane, all.Width, 1)
	for _, step := range steps {
		require.InDelta(b, all.Width*step.Ms/all.Ms, step.Width, 1, "%v of %v", step, all)
		require.LessOrEqual(b, step.Left+step.Width, step.Lane+1)
	}
	b.text(".step .figures", "7 cells")
	b.text(".step .figures", "1 seek")
	b.text(".step .figures", "4 rows")
}

// waits shows that one session waits for a second one, which waits for a third.
func (b *seen) waits(s *served) {
	ids := map[string]string{}
	session := func(name string) *sql.Conn {
		c, err := s.db.Conn(b.Context())
		require.NoError(b, err)
		b.Cleanup(func() { c.Close() })
		var id string
		require.NoError(b, c.QueryRowContext(b.Context(), "SELECT CONNECTION_ID()").Scan(&id))
		ids[name] = id
		must(b, c, "SET innodb_lock_wait_timeout = 120", "BEGIN")
		return c
	}
	first, second, third := session("first"), session("second"), session("third")
	must(b, first, "UPDATE orders SET V = 'first' WHERE K = 'a0000' AND Q = 'status'")
	must(b, second, "UPDATE orders SET V = 'second' WHERE K = 'b0001' AND Q = 'status'")
	done := make(chan error, 2)
	wait := func(c *sql.Conn, key string) {
		go func() {
			_, err := c.ExecContext(b.Context(), "UPDATE orders SET V = 'waited' WHERE K = '"+key+"' AND Q = 'status'")
			done <- err
		}()
	}
	wait(second, "a0000")
	wait(third, "b0001")
	b.open("now")
	b.until("document.querySelectorAll('svg.locks path.wait').length === 2")
	node := func(name string) string { return fmt.Sprintf("document.querySelector('[data-session=%q]')", ids[name]) }
	b.until(node("first") + ".classList.contains('holds') && " + node("second") + ".classList.contains('waits') && " + node("third") + ".classList.contains('waits')")
	left := func(name string) string { return node(name) + ".getBoundingClientRect().left" }
	b.until(left("first") + " < " + left("second") + " && " + left("second") + " < " + left("third"))
	b.until(fmt.Sprintf("document.querySelector('svg.locks').getAttribute('aria-label').includes('session %s waits for session %s')", ids["third"], ids["second"]))
	b.until(fmt.Sprintf(`[...document.querySelectorAll("[aria-label='Who waits for whom'] tbody tr")].some(r => r.cells[0].textContent === %q && r.cells[1].textContent === %q)`, ids["second"], ids["first"]))
	b.shown(".tile")
	b.with("svg.locks", "e.scrollIntoView({ block: 'center' })")
	b.picture("now")
	must(b, first, "ROLLBACK")
	require.NoError(b, <-done)
	must(b, second, "ROLLBACK")
	require.NoError(b, <-done)
	must(b, third, "ROLLBACK")
	b.until("!document.querySelector('svg.locks')")
}

func must(t testing.TB, c *sql.Conn, statements ...string) {
	t.Helper()
	for _, text := range statements {
		_, err := c.ExecContext(t.Context(), text)
		require.NoError(t, err, text)
	}
}

// fewRights: an account that may read one table sees no other, nothing of other sessions, and no button that it may not use.
func (b *seen) fewRights() {
	b.login("ann", "x")
	b.open("now")
	b.text("p", "to accounts with the privilege PROCESS")
	b.open("tables?database=default&table=people")
	b.text(".list a", "people")
	b.shown("tr[data-partition]")
	b.until("!document.querySelector('#compact, .split, .merge') && !document.body.textContent.includes('orders')")
	b.open("sql?database=default")
	b.enter("#editor", "SELECT * FROM orders")
	b.click("#run")
	b.text("[role=alert]", "1142")
	b.picture("refused")
	b.click("#logout")
	b.shown("input[name=password]")
}
