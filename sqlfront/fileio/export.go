package fileio

import (
	"errors"
	"io"

	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/textfile"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Export writes rows to the file of INTO OUTFILE or INTO DUMPFILE, and counts them. If it fails, it leaves no
// file. The error is 1290 if files is nil. The other errors are those of the file and of the rows, and 1172
// for several rows of INTO DUMPFILE.
func Export(files Files, rows answers.Rows, into *ast.Into, warn func(code uint16, message string)) (n int64, err error) {
	if files == nil {
		return 0, ErrSecured()
	}
	file, err := files.Create(into.File)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close(err == nil)) }()
	if into.Dump {
		return dump(file, rows)
	}
	return writeRows(file, rows, into, warn)
}

// dump writes the one row of DUMPFILE, only its values; NULL is a byte 0.
func dump(file io.Writer, rows answers.Rows) (int64, error) {
	row, err := answers.OnlyRow(rows, len(rows.Columns()))
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

func writeRows(file io.Writer, rows answers.Rows, into *ast.Into, warn func(uint16, string)) (n int64, err error) {
	out := textfile.NewWriter(file, into.Format, outColumns(rows.Columns()))
	if out.IsAmbiguous() {
		warn(uint16(mysqlerr.AmbiguousFieldTerminator), "First character of the FIELDS TERMINATED string is ambiguous; "+
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

func outColumns(columns []answers.Column) []textfile.Column {
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
