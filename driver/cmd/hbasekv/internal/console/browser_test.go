//go:build browser

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

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

var screenshots = flag.String("screenshots", "", "a directory for the pictures of docs/console.md")

// chromium is a browser, or the test is skipped. Its tests have a build tag, because what speaks to it takes long to
// compile.
func chromium(t *testing.T) context.Context {
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
	// What it says of events that the library does not know yet is no error of a page.
	ctx, end := chromedp.NewContext(allocated, chromedp.WithErrorf(func(string, ...any) {}))
	t.Cleanup(end)
	ctx, end = context.WithTimeout(ctx, 8*time.Minute)
	t.Cleanup(end)
	require.NoError(t, chromedp.Run(ctx)) // it lives as long as the context of the first run
	return ctx
}

// seen is what a browser has come to.
type seen struct {
	*testing.T
	ctx    context.Context
	mu     sync.Mutex // of what follows, which the browser's events change
	errors []string
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

// listen notes the errors of pages. A dialog of the browser's own is one: pages have their own ones.
func (s *seen) listen() {
	chromedp.ListenTarget(s.ctx, func(e any) {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch e := e.(type) {
		case *page.EventJavascriptDialogOpening:
			s.errors = append(s.errors, "a dialog: "+e.Message)
			go chromedp.Run(s.ctx, page.HandleJavaScriptDialog(false))
		case *runtime.EventExceptionThrown:
			s.errors = append(s.errors, e.ExceptionDetails.Error())
		}
	})
}

// quiet requires that pages have had no errors.
func (s *seen) quiet() {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	require.Empty(s, s.errors)
}

// shown waits until an element is on the page and has a size.
func (s *seen) shown(selector string) {
	s.Helper()
	s.with(selector, "")
}

// with runs a script with the element e, once it is on the page and has a size: pages replace theirs at any time.
func (s *seen) with(selector, script string) {
	s.Helper()
	s.until(fmt.Sprintf("(() => { const e = document.querySelector(%q); if (!e || !e.getClientRects().length) return false; %s; return true; })()", selector, script))
}

// click waits for an element and clicks on it.
func (s *seen) click(selector string) {
	s.Helper()
	s.with(selector, "e.click()")
}

// press presses a key, as "Tab" or "Alt+4", with what has the focus.
func (s *seen) press(key string) {
	s.Helper()
	var options []chromedp.KeyOption
	for name, modifier := range map[string]input.Modifier{"Alt+": input.ModifierAlt, "Ctrl+": input.ModifierCtrl} {
		if rest, ok := strings.CutPrefix(key, name); ok {
			key, options = rest, append(options, chromedp.KeyModifiers(modifier))
		}
	}
	if named, ok := keys[key]; ok {
		key = named
	}
	s.run(chromedp.KeyEvent(key, options...))
}

var keys = map[string]string{"Tab": kb.Tab, "Enter": kb.Enter, "Escape": kb.Escape, "Space": " ", "Down": kb.ArrowDown, "Up": kb.ArrowUp}

// login logs in from the page that asks for it.
func (s *seen) login(user, password string) {
	s.Helper()
	s.enter("input[name=user]", user)
	s.enter("input[name=password]", password)
	s.click("button.main")
	s.shown("#logout")
}

// open goes to a page of the console by its address.
func (s *seen) open(address string) {
	s.Helper()
	s.script(fmt.Sprintf("location.hash = %q", address))
}

// enter writes into a field, as typing does.
func (s *seen) enter(selector, text string) {
	s.Helper()
	s.with(selector, fmt.Sprintf("e.value = %q; e.dispatchEvent(new Event('input', { bubbles: true }))", text))
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
		s.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: "reduce"}}), // else colours change slowly
			chromedp.Sleep(50*time.Millisecond), chromedp.Evaluate(faintTexts, &faint))
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
