package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cellio"
	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/cli"
)

// Options are the loader's options.
type Options struct {
	skipBad bool
	Batch   int  // lines per transaction
	Bulk    bool // all at once instead
}

// maxBatchBytes ends a batch of long lines early.
const maxBatchBytes = 8 << 20

// loader writes the lines of a source: all at once or, with run, in batches. In
// a batch, a line is written with one statement per family, all of them or none.
type loader struct {
	db      *sql.DB
	server  *mysql.Config // if db is a server
	source  source
	tables  []string // the source's
	options Options
	report  reporter
	guard   *ageGuard // nil if no table has a TTL

	total total // committed
	batch batch
}

// lineWriter writes lines one by one.
type lineWriter interface {
	line(ctx context.Context, cells []driver.Cell) error
	// after is called after each line, including bad ones.
	after() error
}

// batch is the open transaction.
type batch struct {
	total
	tx         *sql.Tx
	statements map[string]*sql.Stmt // by text
	bytes      int
}

// run loads all lines. total has what was committed, also after an error.
func (l *loader) run(ctx context.Context) error {
	if err := l.checkTables(ctx); err != nil {
		return err
	}
	if l.options.Bulk {
		return (&bulkLoader{loader: l}).load(ctx)
	}
	err := l.lines(ctx, l)
	if err == nil {
		return l.commit()
	}
	if l.batch.tx != nil {
		_ = l.batch.tx.Rollback() // the first error says more
	}
	return err
}

// checkTables finds a missing table before anything is read.
func (l *loader) checkTables(ctx context.Context) error {
	for _, table := range l.tables {
		if _, err := l.db.ExecContext(ctx, "SELECT K, Q, T, V FROM "+cli.QuoteName(table)+" LIMIT 0"); err != nil {
			return err
		}
	}
	return nil
}

// lines reads the lines and passes them to w.
func (l *loader) lines(ctx context.Context, w lineWriter) error {
	for {
		cells, err := l.source.next()
		var unreadable *cellio.BadLine
		var refused *refusal
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == io.EOF:
			return l.guard.check()
		case errors.As(err, &refused):
			return err
		case err != nil && !errors.As(err, &unreadable):
			return fmt.Errorf("the file cannot be read after %s: %w", l.source.at(), err)
		case err == nil:
			err = l.write(ctx, w, cells)
		}
		if err == errStopped {
			return err
		}
		l.batch.lines++
		l.batch.last = l.source.at()
		if err := l.judge(ctx, err); err != nil {
			return err
		}
		if err := w.after(); err != nil {
			return err
		}
	}
}

// write passes a line to w, and counts it.
func (l *loader) write(ctx context.Context, w lineWriter, cells []driver.Cell) error {
	if err := l.guard.see(cells); err != nil {
		return err
	}
	err := w.line(ctx, cells)
	if err == nil {
		l.batch.cells += len(cells)
		l.batch.rows++
	}
	return err
}

// judge decides whether the load continues after a line's error.
func (l *loader) judge(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !aboutLine(err):
		return fmt.Errorf("%s: %w", l.source.at(), err)
	}
	l.batch.bad++
	l.report.bad(l.source.at(), err)
	if l.options.skipBad {
		return nil
	}
	l.total.bad++
	return fmt.Errorf("%s is bad", l.source.at())
}

// aboutLine reports whether the error is the line's own: found by the command,
// or of a value that does not fit its column. Other errors of the store would
// recur on every line.
func aboutLine(err error) bool {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		var unreadable *cellio.BadLine
		return errors.As(err, &unreadable)
	}
	switch e.Number {
	case 1048, 1264, 1366, 1406, 1526: // NULL, out of range, incorrect, too long, no partition
		return true
	}
	return false
}

// line implements lineWriter.
func (l *loader) line(ctx context.Context, cells []driver.Cell) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	whole := len(cells) > 1 && cells[0].Table != cells[len(cells)-1].Table
	if whole {
		if _, err := l.batch.tx.ExecContext(ctx, "SAVEPOINT line"); err != nil {
			return err
		}
	}
	for len(cells) > 0 {
		n := 1
		for n < len(cells) && cells[n].Table == cells[0].Table {
			n++
		}
		if err := l.put(ctx, cells[:n]); err != nil && whole {
			_, undo := l.batch.tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT line")
			return errors.Join(err, undo)
		} else if err != nil {
			return err
		}
		cells = cells[n:]
	}
	return nil
}

// put writes cells of one table.
func (l *loader) put(ctx context.Context, cells []driver.Cell) error {
	args := make([]any, 0, 4*len(cells))
	for i := range cells {
		c := &cells[i]
		args = append(args, c.K, c.Q, c.T, c.V)
		l.batch.bytes += len(c.K) + len(c.V)
	}
	statement, err := l.statement(ctx, l.tables[cells[0].Table], len(cells))
	if err != nil {
		return err
	}
	_, err = statement.ExecContext(ctx, args...)
	return err
}

// statement is the batch's prepared statement that puts n cells.
func (l *loader) statement(ctx context.Context, table string, n int) (*sql.Stmt, error) {
	text := "REPLACE INTO " + cli.QuoteName(table) + " (K, Q, T, V) VALUES (?, ?, ?, ?)" + strings.Repeat(", (?, ?, ?, ?)", n-1)
	if s := l.batch.statements[text]; s != nil {
		return s, nil
	}
	s, err := l.batch.tx.PrepareContext(ctx, text)
	if err == nil {
		l.batch.statements[text] = s
	}
	return s, err
}

// begin opens the batch's transaction at its first line. The transaction does
// not end with the context: run rolls a cancelled load back.
func (l *loader) begin(ctx context.Context) error {
	if l.batch.tx != nil {
		return nil
	}
	tx, err := l.db.BeginTx(context.WithoutCancel(ctx), nil)
	l.batch.tx, l.batch.statements = tx, map[string]*sql.Stmt{}
	return err
}

// after implements lineWriter.
func (l *loader) after() error {
	if l.batch.lines-l.total.lines < l.options.Batch && l.batch.bytes < maxBatchBytes {
		return nil
	}
	return l.commit()
}

// commit commits the batch's lines.
func (l *loader) commit() error {
	if err := l.guard.check(); err != nil {
		return err
	}
	if l.batch.tx != nil {
		if err := l.batch.tx.Commit(); err != nil {
			return fmt.Errorf("%s: %w", l.batch.last, err)
		}
	}
	l.batch = batch{total: l.batch.total}
	l.total = l.batch.total
	l.report.committed(l.total)
	return nil
}
