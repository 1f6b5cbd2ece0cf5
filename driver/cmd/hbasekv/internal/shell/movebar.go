package shell

import (
	"context"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/hbasekv/hbasekv/driver"
)

// withMoveBar shows a bar while a statement moves cells between partitions;
// done removes it.
func withMoveBar(ctx context.Context, out io.Writer) (moving context.Context, done func()) {
	var bar *progressbar.ProgressBar
	tell := func(p driver.MoveProgress) {
		if p.AllCells == 0 {
			return
		}
		if bar == nil {
			bar = progressbar.NewOptions64(p.AllCells, progressbar.OptionSetWriter(out), progressbar.OptionSetDescription("moving cells"),
				progressbar.OptionShowCount(), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish())
		}
		bar.ChangeMax64(p.AllCells)
		_ = bar.Set64(p.Cells) // a bar that cannot be drawn must not stop the statement
	}
	return driver.WithMoveProgress(ctx, tell), func() {
		if bar != nil {
			_ = bar.Clear()
		}
	}
}
