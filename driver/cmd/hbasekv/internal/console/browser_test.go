package console_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/console"
)

var inBrowser = flag.Bool("browser", false, "drive the pages in a Chromium")

var screenshots = flag.String("screenshots", "", "a directory for the pictures of docs/console.md")

// chromium is a browser, or the test is skipped.
func chromium(t *testing.T) context.Context {
	if !*inBrowser {
		t.Skip("without -browser")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("there is no Chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.WindowSize(1280, 860))
	allocated, end := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(end)
	ctx, end := chromedp.NewContext(allocated)
	t.Cleanup(end)
	ctx, end = context.WithTimeout(ctx, 4*time.Minute)
	t.Cleanup(end)
	require.NoError(t, chromedp.Run(ctx)) // it lives as long as the context of the first run
	return ctx
}

// seen is what a browser has come to.
type seen struct {
	*testing.T
	ctx    context.Context
	mu     sync.Mutex // of what follows, which the browser's events read and change
	answer string     // to the next question of a page
	errors []string
}

func (s *seen) answerWith(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = text
}

func (s *seen) run(actions ...chromedp.Action) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, time.Minute)
	defer cancel()
	if err := chromedp.Run(ctx, actions...); err != nil {
		var body string
		_ = chromedp.Run(s.ctx, chromedp.Text("body", &body))
		require.NoError(s, err, "%s", body)
	}
}

// listen answers the questions of pages, and notes their errors.
func (s *seen) listen() {
	chromedp.ListenTarget(s.ctx, func(e any) {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch e := e.(type) {
		case *page.EventJavascriptDialogOpening:
			text := s.answer
			if e.Type == page.DialogTypePrompt && text == "" {
				text = e.DefaultPrompt
			}
			go chromedp.Run(s.ctx, page.HandleJavaScriptDialog(true).WithPromptText(text))
		case *runtime.EventExceptionThrown:
			s.errors = append(s.errors, e.ExceptionDetails.Error())
		}
	})
}

// shown waits until an element is on the page and has a size.
func (s *seen) shown(selector string) {
	s.Helper()
	s.until(fmt.Sprintf("!!document.querySelector(%[1]q) && document.querySelector(%[1]q).getClientRects().length > 0", selector))
}

// click waits for an element and clicks on it, behind this script: a question of the page's would hold it.
func (s *seen) click(selector string) {
	s.Helper()
	s.shown(selector)
	s.script(fmt.Sprintf("setTimeout(() => document.querySelector(%q).click())", selector))
}

// open goes to a page of the console by its address.
func (s *seen) open(address string) {
	s.Helper()
	s.script(fmt.Sprintf("location.hash = %q", address))
}

// enter writes into a field, as typing does.
func (s *seen) enter(selector, text string) {
	s.Helper()
	s.shown(selector)
	s.script(fmt.Sprintf("{ const e = document.querySelector(%q); e.value = %q; e.dispatchEvent(new Event('input', { bubbles: true })); }", selector, text))
}

func (s *seen) script(text string) {
	s.Helper()
	s.run(chromedp.Evaluate(text, nil))
}

func (s *seen) until(condition string) {
	s.Helper()
	s.run(chromedp.Poll(condition, nil, chromedp.WithPollingTimeout(time.Minute)))
}

// text waits until an element has a text that contains want.
func (s *seen) text(selector, want string) {
	s.Helper()
	s.until(fmt.Sprintf("[...document.querySelectorAll(%q)].some(e => e.textContent.includes(%q))", selector, want))
}

// picture looks at the page: there is something on it, and nothing is wider than the window, wide or narrow.
func (s *seen) picture(name string) {
	s.Helper()
	for _, width := range []int64{1280, 390} {
		var wide int64
		var shot []byte
		s.run(chromedp.EmulateViewport(width, 860), chromedp.Sleep(150*time.Millisecond), chromedp.Evaluate("document.documentElement.scrollWidth", &wide), chromedp.CaptureScreenshot(&shot))
		require.LessOrEqual(s, wide, width, "%s overflows", name)
		img, _, err := image.Decode(bytes.NewReader(shot))
		require.NoError(s, err)
		require.Greater(s, colours(img), 20, "%s is empty", name)
		if *screenshots != "" {
			file := fmt.Sprintf("console-%s.png", name)
			if width < 1000 {
				file = fmt.Sprintf("narrow-%s.png", name)
			}
			require.NoError(s, os.WriteFile(filepath.Join(*screenshots, file), shot, 0o644))
		}
	}
	s.run(chromedp.EmulateViewport(1280, 860))
	s.legible(name)
}

// legible looks at the texts of the page in light and dark colours: each differs from what is behind it by a ratio of
// 4.5 at least, as WCAG 2 has it at level AA, unless what it is on is disabled.
func (s *seen) legible(name string) {
	s.Helper()
	for _, scheme := range []string{"dark", "light"} {
		var faint []string
		s.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
			chromedp.Sleep(250*time.Millisecond), chromedp.Evaluate(faintTexts, &faint)) // colours change slowly
		require.Empty(s, faint, "%s, %s", name, scheme)
	}
}

const faintTexts = `(() => {
  const g = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const on = (layers) => { g.clearRect(0, 0, 1, 1); for (const c of layers) { g.fillStyle = c; g.fillRect(0, 0, 1, 1); } return [...g.getImageData(0, 0, 1, 1).data]; };
  const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const faint = new Set();
  for (const e of document.querySelectorAll("body *")) {
    if (!e.getClientRects().length || e.closest(":disabled") || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    const behind = [];
    for (let p = e; p; p = p.parentElement) behind.unshift(getComputedStyle(p).backgroundColor);
    const a = light(on(behind)), b = light(on([...behind, getComputedStyle(e).color]));
    if ((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5) faint.add(e.tagName + "." + e.className + ": " + e.textContent.slice(0, 40));
  }
  return [...faint];
})()`

func colours(img image.Image) int {
	all := map[[3]uint32]bool{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y += 3 {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			all[[3]uint32{r, g, b}] = true
		}
	}
	return len(all)
}

// TestBrowser goes through the pages in a real browser: it logs in, finds the range that a load makes hot, splits it,
// walks a row's history, cancels a statement and downloads a file.
func TestBrowser(t *testing.T) {
	ctx := chromium(t)
	s := serve(t, console.Options{Writes: true, Slow: &console.SlowStatements{}})
	s.exec(t, "CREATE TABLE orders"+cells+" PARTITION BY RANGE COLUMNS(K) (PARTITION north VALUES LESS THAN ('h'), PARTITION east VALUES LESS THAN ('p'), PARTITION south VALUES LESS THAN (MAXVALUE))",
		"CREATE TABLE people (id bigint NOT NULL AUTO_INCREMENT, name varchar(100), PRIMARY KEY (id))", "INSERT INTO people (name) VALUES ('Ann'), ('<b>Bob</b>')",
		"CREATE USER ann@localhost IDENTIFIED BY 'x'", "GRANT SELECT ON `default`.people TO ann@localhost")
	for i := range 400 {
		s.exec(t, fmt.Sprintf("INSERT INTO orders VALUES ('%c%04d', 'status', 1700000000000, 'new'), ('%[1]c%04[2]d', 'total', 1700000000000, '%d')", 'a'+rune(i%26), i, i))
	}
	for i, state := range []string{"paid", "sent", `<img src=x onerror="document.title='hacked'">`} {
		s.exec(t, fmt.Sprintf("INSERT INTO orders VALUES ('a0000', 'status', %d, '%s')", 1700000000000+(i+1)*3600_000, strings.ReplaceAll(state, "'", "''")))
	}
	b := &seen{T: t, ctx: ctx}
	b.listen()
	load, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for i := 0; load.Err() == nil; i++ {
			s.db.ExecContext(load, fmt.Sprintf("REPLACE INTO orders (K, Q, V) VALUES ('m%04d', 'status', 'hot')", i%500))
			if i%10 == 0 {
				s.db.ExecContext(load, "DO (SELECT COUNT(*) FROM orders WHERE K = 'b0001')")
			}
		}
	}()

	b.run(chromedp.Navigate(s.URL + console.Prefix))
	b.shown("input[name=user]")
	b.picture("login")
	b.enter("input[name=user]", "root")
	b.click("button.main")
	b.shown("#heat")
	b.text("section table tbody tr:first-child", "orders · east")
	b.text(".askers b", "REPLACE")
	b.text(".askers code", "REPLACE INTO orders")
	b.picture("keys")

	b.open("tables?database=default&table=orders")
	b.shown("tr[data-partition=east] .split")
	b.picture("tables")
	b.answerWith("m0200")
	b.click("tr[data-partition=east] .split")
	b.until("document.querySelectorAll('tr[data-partition]').length === 4")
	b.text("tr[data-partition] td:nth-child(2)", "m0200")
	stop()

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

	b.open("sql?database=default")
	b.enter("#editor", "SELECT SLEEP(600)")
	b.click("#run")
	running := func() (n int) {
		require.NoError(t, s.db.QueryRow("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO = 'SELECT SLEEP(600)'").Scan(&n))
		return n
	}
	require.Eventually(t, func() bool { return running() == 1 }, 30*time.Second, 50*time.Millisecond)
	b.click("#cancel")
	b.text("#progress", "Cancelled")
	require.Eventually(t, func() bool { return running() == 0 }, 30*time.Second, 50*time.Millisecond)

	dir := t.TempDir()
	b.enter("#editor", "SELECT LEFT(K, 1) AS region, COUNT(*) AS n, SUM(IF(Q = 'total', V, 0)) AS total FROM orders GROUP BY LEFT(K, 1) ORDER BY region")
	b.click("#run")
	b.text("#progress", "26 rows")
	b.click("#chart")
	b.picture("sql")
	b.run(browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(dir))
	b.click("#csv")
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(filepath.Join(dir, "result.csv"))
		return err == nil && strings.HasPrefix(string(text), "region,n,total\na,")
	}, 30*time.Second, 50*time.Millisecond)
	b.click("#explain")
	b.shown(".step")
	b.picture("explain")

	b.script("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '5', altKey: true, bubbles: true }))")
	b.shown(".tile")
	b.text("td", "root")
	b.picture("now")

	var title string
	b.run(chromedp.Title(&title))
	require.Equal(t, "Now · hbasekv", title)
	b.click("#logout")

	// An account that may read one table sees no other, and nothing of other sessions.
	b.enter("input[name=user]", "ann")
	b.enter("input[name=password]", "x")
	b.click("button.main")
	b.text("p", "to accounts with the privilege PROCESS")
	b.open("tables")
	b.text(".list a", "people")
	b.until("!document.body.textContent.includes('orders')")
	b.open("sql?database=default")
	b.enter("#editor", "SELECT * FROM orders")
	b.click("#run")
	b.text("[role=alert]", "1142")
	b.picture("refused")
	b.click("#logout")
	b.shown("input[name=password]")
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Empty(t, b.errors)
}
