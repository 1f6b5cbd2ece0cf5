package sqlfront

import (
	"context"
	"errors"
	"io"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/textfile"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// selectInto is SELECT ... INTO. Of no row INTO @a, @b sets nothing and warns, a
// second one is 1172
// (https://dev.mysql.com/doc/refman/5.7/en/select-into.html).
func (s *Session) selectInto(ctx context.Context, st *Statement, into *parse.Into, args []value.Value) (Result, error) {
	if into.Variables == nil {
		return s.selectIntoFile(ctx, st, into, args)
	}
	names := into.Variables
	rows, err := s.query(ctx, st, args)
	if err != nil {
		return Result{}, err
	}
	values, err := onlyRow(rows, len(names))
	if closing := rows.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return Result{}, err
	}
	if values == nil {
		s.warn(uint16(mysqlerr.NoData), "No data - zero rows fetched, selected, or processed")
		return Result{}, nil
	}
	for i, name := range names {
		if err := s.user.Set(name, values[i]); err != nil {
			return Result{}, err
		}
	}
	return Result{RowsAffected: 1}, nil
}

// onlyRow is the one row of a result with so many columns, nil for none.
func onlyRow(rows Rows, columns int) ([]value.Value, error) {
	if len(rows.Columns()) != columns {
		return nil, mysqlerr.New(mysqlerr.WrongNumberOfColumns, "The used SELECT statements have a different number of "+
			"columns")
	}
	row, err := rows.Next()
	if err == io.EOF {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	values := make([]value.Value, len(row))
	for i, v := range row {
		values[i] = v.Clone()
	}
	switch _, err = rows.Next(); err {
	case io.EOF:
		return values, nil
	case nil:
		return nil, mysqlerr.New(mysqlerr.TooManyRows, "Result consisted of more than one row")
	}
	return nil, err
}

// selectIntoFile is SELECT ... INTO OUTFILE and INTO DUMPFILE. A statement that
// fails leaves no file
// (https://dev.mysql.com/doc/refman/5.7/en/select-into.html).
func (s *Session) selectIntoFile(ctx context.Context, st *Statement, into *parse.Into,
	args []value.Value) (result Result, err error) {
	if _, err := fileCharset(into.Charset, true); err != nil {
		return Result{}, err
	}
	rows, err := s.query(ctx, st, args)
	if err != nil {
		return Result{}, err
	}
	defer func() {
		if closing := rows.Close(); err == nil {
			err = closing
		}
	}()
	if s.options.Files == nil {
		return Result{}, secured()
	}
	file, err := s.options.Files.Create(into.File)
	if err != nil {
		return Result{}, err
	}
	defer func() { err = errors.Join(err, file.Close(err == nil)) }()
	if into.Dump {
		result.RowsAffected, err = dump(file, rows)
	} else {
		result.RowsAffected, err = s.writeRows(file, rows, into)
	}
	return result, err
}

// dump writes the one row of DUMPFILE, its values and nothing else; NULL is a
// byte 0.
func dump(file io.Writer, rows Rows) (int64, error) {
	row, err := onlyRow(rows, len(rows.Columns()))
	if row == nil || err != nil {
		return 0, err
	}
	for _, v := range row {
		b := v.AsBytes()
		if v.IsNull() {
			b = []byte{0}
		}
		if _, err := file.Write(b); err != nil {
			return 0, err
		}
	}
	return 1, nil
}

func (s *Session) writeRows(file io.Writer, rows Rows, into *parse.Into) (n int64, err error) {
	out := textfile.NewWriter(file, into.Format, outColumns(rows.Columns()))
	if out.IsAmbiguous() {
		s.warn(uint16(mysqlerr.AmbiguousFieldTerminator), "First character of the FIELDS TERMINATED string is ambiguous; "+
			"please use non-optional and non-empty FIELDS ENCLOSED BY")
	}
	var text []byte
	for ; ; n++ {
		row, err := rows.Next()
		if err == io.EOF {
			return n, out.Flush()
		}
		if err != nil {
			return n, err
		}
		out.Begin()
		for i, v := range row {
			b := v.Raw()
			if !v.IsString() {
				text = v.AppendText(text[:0])
				b = text
			}
			out.Field(i, b, v.IsNull())
		}
		if err := out.End(); err != nil {
			return n, err
		}
	}
}

// integerWidth is the width of a number in a file of fixed widths.
const integerWidth = 20

func outColumns(columns []Column) []textfile.Column {
	out := make([]textfile.Column, len(columns))
	for i, c := range columns {
		out[i] = textfile.Column{Text: true, Width: c.Type.Length}
		switch c.Type.Kind {
		case value.Int, value.Uint, value.Float, value.Decimal:
			out[i] = textfile.Column{Width: integerWidth}
		}
	}
	return out
}
