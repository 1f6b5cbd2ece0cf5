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

// Loaded is what a LOAD DATA did.
type Loaded struct {
	Result
	Records, Warnings int64
}

// LoadField is where a field of a line of LOAD DATA goes: to a variable or, where that is empty, to a
// column; the generated ones take nothing.
type LoadField struct {
	Variable string
	Column   int
}

// lookEvery is the number of lines between two looks at the context.
const lookEvery = 256

// ErrStop stops EachLine before the end of the file, once its line is done.
var ErrStop = errors.New("stop")

// EachLine calls line for the fields of each line of a file, to its end, an error that IGNORE does not skip,
// or ErrStop, which it returns. It complains of what a line has too much of behind that.
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

// CountWarnings is a context of which the warnings are counted.
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

// Variable is what the planner and the rows have for a variable that a field goes to.
func Variable(b []byte, binary bool) value.Value {
	if binary {
		return value.NewBytes(b)
	}
	return value.NewText(b)
}

// SetVariable gives a variable a field, nil for NULL: 1406 for more than so many bytes.
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

// Complain is an error or, where IGNORE holds or the session is not strict, a warning.
func (w *Writer) Complain(n mysqlerr.Number, format string, args ...any) error {
	if !w.Ignore && !Loose(w.Context) {
		return mysqlerr.New(n, format, args...)
	}
	w.Values.Session.AddWarning(uint16(n), fmt.Sprintf(format, args...))
	return nil
}

// NullGiven complains of a NULL for a column that takes none.
func (w *Writer) NullGiven(column string) error {
	return w.Complain(mysqlerr.WarnNullToNotNull, "Column set to default value; NULL supplied to NOT NULL column '%s' at row %d",
		column, w.Row)
}

// TooFewFields complains of a line that has not all fields, TooManyFields of one that has more.
func (w *Writer) TooFewFields() error {
	return w.Complain(mysqlerr.WarnTooFewRecords, "Row %d doesn't contain data for all columns", w.Row)
}

// TooManyFields is described with TooFewFields.
func (w *Writer) TooManyFields() error {
	return w.Complain(mysqlerr.WarnTooManyRecords, "Row %d was truncated; it contained more data than there were input columns", w.Row)
}

// RenewSubqueries forgets the results of subqueries, which may read what a row has set.
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
