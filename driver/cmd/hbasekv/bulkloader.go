package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/hbasekv/hbasekv/driver"
)

// bulkLoader writes the lines of an input all at once, or none of them.
type bulkLoader struct {
	*loader
	yield func(driver.Cell, error) bool
	buf   []byte // of the line's cells
	// stopped is true once the store takes no more cells.
	stopped bool
}

// errStopped ends the reading of lines; why is the store's to say.
var errStopped = errors.New("the load has been stopped")

func (b *bulkLoader) load(ctx context.Context) error {
	var tables []string
	for _, f := range b.spec.Families {
		tables = append(tables, f.Table)
	}
	_, err := driver.BulkLoad(ctx, b.db, tables, func(yield func(driver.Cell, error) bool) {
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
		b.report.bad(b.at, err)
		return fmt.Errorf("line %d is bad", b.at)
	case b.stopped && ctx.Err() == nil:
		return fmt.Errorf("line %d: %w", b.at, err)
	}
	return err
}

// line implements lineWriter.
func (b *bulkLoader) line(_ context.Context, key string, t int64, fields []string) (cells int, err error) {
	b.buf = append(b.buf[:0], key...)
	k := b.buf
	for i := range b.spec.Families {
		f := &b.spec.Families[i]
		for j, field := range f.Fields {
			v := fields[field]
			if v == "" && b.options.skipEmpty {
				continue
			}
			if !b.put(driver.Cell{Table: i, K: k, T: t}, f.Qualifiers[j], v) {
				b.stopped = true
				return cells, errStopped
			}
			cells++
		}
	}
	return cells, nil
}

// put hands a cell on.
func (b *bulkLoader) put(c driver.Cell, qualifier, value string) bool {
	n := len(c.K)
	b.buf = append(append(b.buf[:n], qualifier...), value...)
	c.K, c.Q, c.V = b.buf[:n], b.buf[n:n+len(qualifier)], b.buf[n+len(qualifier):]
	return b.yield(c, nil)
}

// after implements lineWriter.
func (b *bulkLoader) after() error {
	if b.batch.lines%progressLines == 0 {
		b.report.reading()
	}
	return nil
}

// progressLines is the number of lines between two looks at the progress.
const progressLines = 1000
