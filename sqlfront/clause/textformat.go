package clause

// TextFormat is the format of rows in a text file, as in FIELDS and LINES of LOAD DATA and SELECT ... INTO
// OUTFILE
// (https://dev.mysql.com/doc/refman/5.7/en/load-data.html#load-data-field-line-handling).
type TextFormat struct {
	FieldsTerminated string
	// Enclosed and Escaped are one byte or empty.
	Enclosed, Escaped string
	// Optionally encloses only texts and byte strings, when rows are written.
	Optionally      bool
	LinesStarting   string
	LinesTerminated string
}

// DefaultTextFormat is the format without these clauses.
func DefaultTextFormat() TextFormat {
	return TextFormat{FieldsTerminated: "\t", Escaped: `\`, LinesTerminated: "\n"}
}

// FixedWidth reports whether each field has the width of its column, without separators or quotes.
func (f *TextFormat) FixedWidth() bool { return f.FieldsTerminated == "" && f.Enclosed == "" }
