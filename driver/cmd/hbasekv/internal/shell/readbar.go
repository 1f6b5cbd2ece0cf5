package shell

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/hbasekv/hbasekv/driver"
)

// readBar is a bar that is shown while a statement reads, until its first rows
// are printed.
type readBar struct {
	out io.Writer

	mu   sync.Mutex
	bar  *progressbar.ProgressBar // nil before there is something to draw
	over bool
}

// draw shows the statement's progress.
func (b *readBar) draw(p driver.ReadProgress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over || p.AllCells == 0 {
		return
	}
	if b.bar == nil {
		b.bar = progressbar.NewOptions64(p.AllCells, progressbar.OptionSetWriter(b.out), progressbar.OptionSetDescription("reading cells"),
			progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
	}
	b.bar.ChangeMax64(max(p.AllCells, p.Cells+1))
	_ = b.bar.Set64(p.Cells) // a bar that cannot be drawn must not stop the statement
}

// wipe removes the bar for good.
func (b *readBar) wipe() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil && !b.over {
		_ = b.bar.Clear()
	}
	b.over = true
}

// within returns the context for a statement whose progress the bar shows.
func (b *readBar) within(ctx context.Context) context.Context {
	return driver.WithProgress(ctx, b.draw)
}

// before returns a writer that removes the bar before the first bytes.
func (b *readBar) before(w io.Writer) io.Writer { return &wiping{w, b} }

type wiping struct {
	io.Writer
	bar *readBar
}

func (w *wiping) Write(p []byte) (int, error) {
	w.bar.wipe()
	return w.Writer.Write(p)
}
