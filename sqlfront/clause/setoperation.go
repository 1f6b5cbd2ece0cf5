package clause

import "strings"

// SetOperation is what is done to the rows of the queries before and those of the next one
// (https://dev.mysql.com/doc/refman/8.0/en/set-operations.html).
type SetOperation uint8

// The operations. UnionAll puts the rows together. Union, Intersect and Except leave each
// row once: that is in one of both sides, in both, or only on the left. Of a row that is m
// times on the left and n times on the right IntersectAll leaves the lesser of both,
// ExceptAll m-n or none.
const (
	UnionAll SetOperation = iota
	Union
	IntersectAll
	Intersect
	ExceptAll
	Except
)

// SetOperationOf is that of a word, and ALL behind it.
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

// ParseSetOperation is the operation that String gave the text of.
func ParseSetOperation(text string) SetOperation {
	word, behind, _ := strings.Cut(text, " ")
	return SetOperationOf(word, behind == "all")
}

// IsAll reports whether a row may come several times.
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
