package load

import (
	"context"
	"errors"
	"fmt"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

// bulkLoader writes all lines of an input, or none of them.
type bulkLoader struct {
	*loader
	yield func(driver.Cell, error) bool
	// stopped is true when the store accepts no more cells.
	stopped bool
}

// errStopped ends the reading of lines; the store reports the reason.
var errStopped = errors.New("the load has been stopped")

func (b *bulkLoader) load(ctx context.Context) error {
	err := b.bulk(ctx, func(yield func(driver.Cell, error) bool) {
		b.yield = yield
		if err := b.lines(ctx, b); err != nil && err != errStopped {
			yield(driver.Cell{}, err)
		}
	})
	switch {
	case err == nil:
		return b.commit()
	case b.stopped && ctx.Err() == nil && aboutLine(err):
		b.total.bad = b.batch.bad + 1
		b.report.bad(b.source.at(), err)
		return fmt.Errorf("%s is bad", b.source.at())
	case b.stopped && ctx.Err() == nil:
		return fmt.Errorf("%s: %w", b.source.at(), err)
	}
	return err
}

// line implements lineWriter.
func (b *bulkLoader) line(_ context.Context, cells []driver.Cell) error {
	for i := range cells {
		if !b.yield(cells[i], nil) {
			b.stopped = true
			return errStopped
		}
	}
	return nil
}

// after implements lineWriter.
func (b *bulkLoader) after() error {
	if b.batch.lines%cli.ProgressLines == 0 {
		b.report.reading()
	}
	return nil
}
