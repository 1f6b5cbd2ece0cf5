package clause

// TextFormat is how a text file has rows, as FIELDS and LINES of LOAD DATA and
// SELECT ... INTO OUTFILE say
// (https://dev.mysql.com/doc/refman/5.7/en/load-data.html#load-data-field-line-handling).
type TextFormat struct {
	FieldsTerminated string
	// Enclosed and Escaped are one byte or nothing.
	Enclosed, Escaped string
	// Optionally encloses only texts and byte strings where rows are written.
	Optionally      bool
	LinesStarting   string
	LinesTerminated string
}

// DefaultTextFormat is that of a statement without the clauses.
func DefaultTextFormat() TextFormat {
	return TextFormat{FieldsTerminated: "\t", Escaped: `\`, LinesTerminated: "\n"}
}

// FixedWidth reports whether each field has the width of its column: nothing
// stands between fields nor around them.
func (f *TextFormat) FixedWidth() bool { return f.FieldsTerminated == "" && f.Enclosed == "" }
