//go:build browser

package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// chromium starts a browser; without one, the test is skipped. Its tests have a build tag, because what speaks to it
// takes long to compile.
func chromium(t *testing.T) context.Context {
	t.Helper()
	program := ""
	for _, name := range []string{"google-chrome", "chromium-browser", "chromium"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
		}
	}
	if program == "" {
		t.Skip("there is no Chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU)
	ctx, end := context.WithTimeout(t.Context(), 4*time.Minute)
	t.Cleanup(end)
	ctx, end = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx)
	t.Cleanup(end)
	require.NoError(t, chromedp.Run(ctx))
	return ctx
}

// TestBrowser opens each page on a narrow screen, requires that none is wider, and finds a page with the
// search.
func TestBrowser(t *testing.T) {
	ctx, dir := chromium(t), site(t)
	failures := failuresOf(ctx)
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	require.NoError(t, err)
	require.NoError(t, chromedp.Run(ctx, emulation.SetDeviceMetricsOverride(390, 800, 1, false)))
	for _, name := range pages {
		var width int
		require.NoError(t, chromedp.Run(ctx, chromedp.Navigate("file://"+name),
			chromedp.Evaluate("document.documentElement.scrollWidth", &width)))
		require.LessOrEqual(t, width, 390, "%s is wider than the screen", filepath.Base(name))
	}
	var first, title string
	require.NoError(t, chromedp.Run(ctx, chromedp.Navigate("file://"+filepath.Join(dir, "index.html")),
		chromedp.SendKeys("#search", "MIN_VERSIONS expire"),
		chromedp.Text("#results li a", &first, chromedp.ByQuery),
		chromedp.Click("#results li a", chromedp.ByQuery),
		chromedp.WaitVisible("h2#options"),
		chromedp.Title(&title)))
	require.Contains(t, first, "How long versions are kept")
	require.Contains(t, title, "How long versions are kept")
	require.Empty(t, failures(), "what the pages had the browser log")
}

// failuresOf collects exceptions, and what the browser logs as an error, such as a missing file.
func failuresOf(ctx context.Context) func() []string {
	var mu sync.Mutex
	var all []string
	add := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, text)
	}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			add(e.ExceptionDetails.Error())
		case *cdplog.EventEntryAdded:
			if e.Entry.Level == cdplog.LevelError {
				add(e.Entry.Text + " " + e.Entry.URL)
			}
		}
	})
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}
