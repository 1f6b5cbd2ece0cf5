package clause

import "strings"

// SetOperation is how the rows of earlier queries are combined with those of the next one
// (https://dev.mysql.com/doc/refman/8.0/en/set-operations.html).
type SetOperation uint8

// The operations. UnionAll concatenates the rows. Union, Intersect and Except return each distinct row once:
// that is on either side, on both, or only on the left. For a row that occurs m times on the left and n times
// on the right, IntersectAll returns the smaller number, ExceptAll m-n or none.
const (
	UnionAll SetOperation = iota
	Union
	IntersectAll
	Intersect
	ExceptAll
	Except
)

// SetOperationOf is the operation of a word, with or without ALL.
func SetOperationOf(word string, all bool) SetOperation {
	out := Union
	switch strings.ToUpper(word) {
	case "INTERSECT":
		out = Intersect
	case "EXCEPT":
		out = Except
	}
	if all {
		out-- // they come in pairs
	}
	return out
}

// ParseSetOperation is the inverse of String.
func ParseSetOperation(text string) SetOperation {
	word, behind, _ := strings.Cut(text, " ")
	return SetOperationOf(word, behind == "all")
}

// IsAll reports whether rows may be repeated.
func (o SetOperation) IsAll() bool { return o == UnionAll || o == IntersectAll || o == ExceptAll }

// Word is UNION, INTERSECT or EXCEPT.
func (o SetOperation) Word() string { return [...]string{"UNION", "INTERSECT", "EXCEPT"}[o/2] }

// String is the operation as in a text.
func (o SetOperation) String() string {
	if o.IsAll() {
		return strings.ToLower(o.Word()) + " all"
	}
	return strings.ToLower(o.Word())
}
