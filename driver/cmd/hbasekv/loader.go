package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/hbasekv/hbasekv/driver/cellio"
)

// loadOptions are the loader's switches.
type loadOptions struct {
	timestamp int64
	header    bool
	skipBad   bool
	skipEmpty bool
	batch     int  // lines to a transaction
	bulk      bool // all at once instead
}

// maxBatchBytes ends a batch of long lines early.
const maxBatchBytes = 8 << 20

// loader writes the lines of an input: all at once or, by run, in batches. There
// a line is written by one statement for each family, and by all of them or not
// at all.
type loader struct {
	db      *sql.DB
	spec    *cellio.Columns
	in      *input
	options loadOptions
	report  reporter

	total total // committed
	batch batch
	at    int // the number of the line at hand
}

// lineWriter writes lines, one after the other.
type lineWriter interface {
	// line writes one and counts its cells.
	line(ctx context.Context, key string, t int64, fields []string) (cells int, err error)
	// after is called behind each, be it bad.
	after() error
}

// batch is the open transaction.
type batch struct {
	total
	tx         *sql.Tx
	statements map[string]*sql.Stmt // by text
	bytes      int
}

// run loads all lines. What it has committed is in total, also after an error.
func (l *loader) run(ctx context.Context) error {
	if err := l.checkTables(ctx); err != nil {
		return err
	}
	if l.options.bulk {
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
	for _, f := range l.spec.Families {
		if _, err := l.db.ExecContext(ctx, "SELECT K, Q, T, V FROM "+cellio.QuoteTable(f.Table)+" LIMIT 0"); err != nil {
			return err
		}
	}
	return nil
}

// lines reads the lines and has them written.
func (l *loader) lines(ctx context.Context, w lineWriter) error {
	for header := l.options.header; ; header = false {
		fields, line, err := l.in.lines.Next()
		var unreadable *cellio.BadLine
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == io.EOF:
			return nil
		case err != nil && !errors.As(err, &unreadable):
			return fmt.Errorf("the file cannot be read behind line %d: %w", l.batch.last, err)
		case header:
			continue
		}
		l.at = line
		if err == nil {
			err = l.write(ctx, w, fields)
		}
		if err == errStopped {
			return err
		}
		l.batch.lines++
		l.batch.last = line
		if err := l.judge(ctx, line, err); err != nil {
			return err
		}
		if err := w.after(); err != nil {
			return err
		}
	}
}

// write has a line written, and counts it.
func (l *loader) write(ctx context.Context, w lineWriter, fields []string) error {
	key, t, err := l.spec.Row(fields, l.options.timestamp)
	if err != nil {
		return &cellio.BadLine{Reason: err.Error()}
	}
	cells, err := w.line(ctx, key, t, fields)
	if err == nil {
		l.batch.cells += cells
		l.batch.rows++
	}
	return err
}

// judge decides whether the load goes on after a line's error.
func (l *loader) judge(ctx context.Context, line int, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !aboutLine(err):
		return fmt.Errorf("line %d: %w", line, err)
	}
	l.batch.bad++
	l.report.bad(line, err)
	if l.options.skipBad {
		return nil
	}
	l.total.bad++
	return fmt.Errorf("line %d is bad", line)
}

// aboutLine reports whether the error is the line's own: what the command
// found, or a value that does not fit its column. Other errors of the store
// would meet every line.
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
func (l *loader) line(ctx context.Context, key string, t int64, fields []string) (cells int, err error) {
	if err := l.begin(ctx); err != nil {
		return 0, err
	}
	whole := len(l.spec.Families) > 1
	if whole {
		if _, err := l.batch.tx.ExecContext(ctx, "SAVEPOINT line"); err != nil {
			return 0, err
		}
	}
	for i := range l.spec.Families {
		n, err := l.put(ctx, &l.spec.Families[i], key, t, fields)
		if err != nil && whole {
			_, undo := l.batch.tx.ExecContext(ctx, "ROLLBACK TO SAVEPOINT line")
			return 0, errors.Join(err, undo)
		}
		if err != nil {
			return 0, err
		}
		cells += n
	}
	return cells, nil
}

// put writes the cells of one family and counts them.
func (l *loader) put(ctx context.Context, f *cellio.Family, key string, t int64, fields []string) (int, error) {
	args := make([]any, 0, 4*len(f.Fields))
	for i, field := range f.Fields {
		if v := fields[field]; v != "" || !l.options.skipEmpty {
			args = append(args, key, f.Qualifiers[i], t, v)
			l.batch.bytes += len(key) + len(v)
		}
	}
	n := len(args) / 4
	if n == 0 {
		return 0, nil
	}
	statement, err := l.statement(ctx, f.Table, n)
	if err != nil {
		return 0, err
	}
	_, err = statement.ExecContext(ctx, args...)
	return n, err
}

// statement is the batch's prepared statement that puts n cells.
func (l *loader) statement(ctx context.Context, table string, n int) (*sql.Stmt, error) {
	text := "REPLACE INTO " + cellio.QuoteTable(table) + " (K, Q, T, V) VALUES (?, ?, ?, ?)" + strings.Repeat(", (?, ?, ?, ?)", n-1)
	if s := l.batch.statements[text]; s != nil {
		return s, nil
	}
	s, err := l.batch.tx.PrepareContext(ctx, text)
	if err == nil {
		l.batch.statements[text] = s
	}
	return s, err
}

// begin opens the batch's transaction with its first line. The context is not
// the transaction's own: a cancelled load is rolled back by run.
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
	if l.batch.lines-l.total.lines < l.options.batch && l.batch.bytes < maxBatchBytes {
		return nil
	}
	return l.commit()
}

// commit makes the batch's lines count.
func (l *loader) commit() error {
	if l.batch.tx != nil {
		if err := l.batch.tx.Commit(); err != nil {
			return fmt.Errorf("line %d: %w", l.batch.last, err)
		}
	}
	l.batch = batch{total: l.batch.total}
	l.total = l.batch.total
	l.report.committed(l.total)
	return nil
}
