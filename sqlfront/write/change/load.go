package change

import (
	"errors"
	"fmt"
	"io"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/textfile"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Loaded is what LOAD DATA did.
type Loaded struct {
	Result
	Records, Warnings int64
}

// LoadField is the target of a field of LOAD DATA: a variable or, if that is empty, a column. Fields for
// generated columns are skipped.
type LoadField struct {
	Variable string
	Column   int
}

// lookEvery is the number of lines after which the context is checked.
const lookEvery = 256

// ErrStop ends EachLine early, after the current line.
var ErrStop = errors.New("stop")

// EachLine calls line with the fields of each line of a file. It stops at the end of the file, at an error
// that IGNORE does not skip, or at ErrStop, which it returns. Excess fields of a line are reported after the
// line.
func (w *Writer) EachLine(in *textfile.Reader, loaded *Loaded, line func([]textfile.Field) error) error {
	for {
		fields, more, err := in.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil && w.Row%lookEvery == 0 {
			err = w.Ctx.Err()
		}
		if err != nil {
			return err
		}
		w.Row++
		loaded.Records++
		err = line(fields)
		stop := err == ErrStop
		if err = w.Skip(err); err != nil && !stop {
			return err
		}
		if more {
			if err := w.TooManyFields(); err != nil {
				return err
			}
		}
		if stop {
			return ErrStop
		}
	}
}

// CountWarnings returns a context that counts warnings in n.
func CountWarnings(ctx *exec.Context, n *int64) *exec.Context {
	counted, env, session := *ctx, *ctx.Env, *ctx.Env.Session
	add := session.AddWarning
	session.AddWarning = func(code uint16, message string) {
		*n++
		add(code, message)
	}
	env.Session, counted.Env = &session, &env
	return &counted
}

// Variable returns the value that a variable gets from a field.
func Variable(b []byte, binary bool) value.Value {
	if binary {
		return value.NewBytes(b)
	}
	return value.NewText(b)
}

// SetVariable sets a variable to a field, nil for NULL. The error is 1406 for more than most bytes.
func (w *Writer) SetVariable(name string, field []byte, most int, binary bool) error {
	v := value.Value{}
	switch {
	case len(field) > most:
		return mysqlerr.New(mysqlerr.DataTooLong, "Data too long for column '@%s' at row %d", name, w.Row)
	case field != nil:
		v = Variable(field, binary)
	}
	return w.Values.Session.SetUserVariable(name, v)
}

// Complain returns an error or, with IGNORE or if the session is not strict, adds a warning.
func (w *Writer) Complain(n mysqlerr.Number, format string, args ...any) error {
	if !w.Ignore && !Loose(w.Context) {
		return mysqlerr.New(n, format, args...)
	}
	w.Values.Session.AddWarning(uint16(n), fmt.Sprintf(format, args...))
	return nil
}

// NullGiven reports a NULL for a column that is NOT NULL.
func (w *Writer) NullGiven(column string) error {
	return w.Complain(mysqlerr.WarnNullToNotNull, "Column set to default value; NULL supplied to NOT NULL column '%s' at row %d",
		column, w.Row)
}

// TooFewFields reports a line that lacks fields.
func (w *Writer) TooFewFields() error {
	return w.Complain(mysqlerr.WarnTooFewRecords, "Row %d doesn't contain data for all columns", w.Row)
}

// TooManyFields reports a line with excess fields.
func (w *Writer) TooManyFields() error {
	return w.Complain(mysqlerr.WarnTooManyRecords, "Row %d was truncated; it contained more data than there were input columns", w.Row)
}

// RenewSubqueries drops the results of subqueries, because they may depend on what a row has set.
func (w *Writer) RenewSubqueries() error {
	if w.Done == nil {
		return nil
	}
	if err := w.Done(); err != nil {
		return err
	}
	row := w.Values.Row
	w.Values, w.Done = exec.RowEnv(w.Context)
	w.Values.Row = row
	return nil
}
