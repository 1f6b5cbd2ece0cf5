package ast

import "github.com/xwb1989/sqlparser"

// MemberOf is value MEMBER OF (array); ValTuple is its operands.
type MemberOf struct{ sqlparser.ValTuple }

// Format prints the operands.
func (m *MemberOf) Format(buf *sqlparser.TrackedBuffer) {
	buf.Myprintf("%v member of(%v)", m.ValTuple[0], m.ValTuple[1])
}

// JSONResponse is what JSON_VALUE returns if there is no value, or none of its type.
type JSONResponse uint8

// The responses.
const (
	JSONNull JSONResponse = iota
	JSONError
	JSONDefault
)

// JSONValue is JSON_VALUE(document, path [RETURNING type] [response ON EMPTY] [response ON ERROR]). Its
// operands are the document, the path, and the values after DEFAULT in that order.
type JSONValue struct {
	sqlparser.ValTuple
	Returning        *sqlparser.ConvertType // nil if none is given
	OnEmpty, OnError JSONResponse
}

// Format prints the call.
func (v *JSONValue) Format(buf *sqlparser.TrackedBuffer) {
	buf.Myprintf("json_value(%v, %v", v.ValTuple[0], v.ValTuple[1])
	if v.Returning != nil {
		buf.Myprintf(" returning %v", v.Returning)
	}
	defaults := v.ValTuple[2:]
	for _, r := range []struct {
		response JSONResponse
		on       string
	}{{v.OnEmpty, "empty"}, {v.OnError, "error"}} {
		switch r.response {
		case JSONNull:
			continue
		case JSONError:
			buf.WriteString(" error on " + r.on)
		case JSONDefault:
			buf.Myprintf(" default %v on "+r.on, defaults[0])
			defaults = defaults[1:]
		}
	}
	buf.WriteString(")")
}

// JSONTable is JSON_TABLE(document, path COLUMNS (...)) in FROM
// (https://dev.mysql.com/doc/refman/8.0/en/json-table-functions.html). Its document, which may refer to the
// tables before it, is a query of one row.
type JSONTable struct {
	*Lateral
	Rows JSONRows
}

// JSONRows are rows of a document: one for each part that a path leads to.
type JSONRows struct {
	Path    string
	Columns []JSONColumn
	Nested  []JSONRows
}

// JSONColumn is a column of such rows.
type JSONColumn struct {
	Name string
	// Number is the column's position in the table; nested columns count where they are written.
	Number             int
	Ordinality, Exists bool
	Type               *sqlparser.ConvertType // nil for ORDINALITY
	Path               string
	OnEmpty, OnError   JSONInstead
}

// JSONInstead is what a column has instead of a value: NULL, unless Default or Error is set.
type JSONInstead struct {
	Default *Literal
	Error   bool
}

// Format prints the call; the columns are not printed.
func (t *JSONTable) Format(buf *sqlparser.TrackedBuffer) {
	buf.Myprintf("json_table(%v, %v columns ...)", t.Subquery, sqlparser.NewStrVal([]byte(t.Rows.Path)))
}
