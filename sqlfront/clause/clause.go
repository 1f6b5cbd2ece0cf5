// Package clause is what of a statement is passed on as the text has it: what chooses
// versions (FOR SYSTEM_TIME, and the hints VERSIONS and TIMERANGE), the bounds of a
// window's frame, and the operations between queries.
package clause

import (
	"strconv"

	"github.com/xwb1989/sqlparser"
)

// PeriodKind is the form of a FOR SYSTEM_TIME clause.
type PeriodKind uint8

// The forms of FOR SYSTEM_TIME
// (https://mariadb.com/kb/en/system-versioned-tables/#querying-historical-data).
const (
	PeriodAll     PeriodKind = iota // every version
	PeriodAsOf                      // the newest version with T <= A
	PeriodFromTo                    // A <= T < B
	PeriodBetween                   // A <= T <= B
)

// Period is one FOR SYSTEM_TIME clause.
type Period struct {
	Kind PeriodKind
	A, B Operand
}

// IsAll reports whether p is FOR SYSTEM_TIME ALL; p may be nil.
func (p *Period) IsAll() bool { return p != nil && p.Kind == PeriodAll }

// Operand is an int64 constant, a placeholder or, in FOR SYSTEM_TIME, an expression.
type Operand struct {
	Param int // from 0, or -1 if it is not a placeholder
	Const int64
	Expr  sqlparser.Expr // or nil
}

// String is the clause after the words FOR SYSTEM_TIME.
func (p *Period) String() string {
	switch p.Kind {
	case PeriodAsOf:
		return "as of " + p.A.String()
	case PeriodFromTo:
		return "from " + p.A.String() + " to " + p.B.String()
	case PeriodBetween:
		return "between " + p.A.String() + " and " + p.B.String()
	}
	return "all"
}

// String is the number, the placeholder in the form :v1, or the expression.
func (o Operand) String() string {
	switch {
	case o.Param >= 0:
		return ":v" + strconv.Itoa(o.Param+1)
	case o.Expr != nil:
		return sqlparser.String(o.Expr)
	}
	return strconv.FormatInt(o.Const, 10)
}

// VersionsHint is VERSIONS(ALL) or VERSIONS(n).
type VersionsHint struct {
	All bool
	N   Operand
}

// TimeRangeHint is TIMERANGE(A, B): A <= T < B.
type TimeRangeHint struct{ A, B Operand }

// BoundKind is the kind of a window frame's bound. They are in the order of the rows.
type BoundKind uint8

// The kinds of bounds.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

func (k BoundKind) String() string {
	return [...]string{"unbounded preceding", "preceding", "current row", "following", "unbounded following"}[k]
}
