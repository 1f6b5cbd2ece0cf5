package window

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Frame says, for each row, over which rows of its partition a call is computed.
type Frame struct {
	// Range measures distances by the value of the order's only key, instead of in rows.
	Range      bool
	Start, End Bound
	Window     string // its name in errors
}

// Bound is one end of a frame. N is constant; Unit is that of an INTERVAL.
type Bound struct {
	Kind clause.BoundKind
	N    expr.Node
	Unit string
}

// String returns the frame as EXPLAIN shows it.
func (f *Frame) String() string {
	unit := "rows"
	if f.Range {
		unit = "range"
	}
	return unit + " between " + f.Start.String() + " and " + f.End.String()
}

// String returns the bound as a statement has it.
func (b *Bound) String() string {
	switch {
	case b.N == nil:
		return b.Kind.String()
	case b.Unit != "":
		return "interval " + expr.Print(b.N) + " " + strings.ToLower(b.Unit) + " " + b.Kind.String()
	}
	return expr.Print(b.N) + " " + b.Kind.String()
}

// streams reports whether the frame starts with the partition and ends with the current row, so that no
// row is read again.
func (f *Frame) streams() bool {
	return !f.Range && f.Start.Kind == clause.UnboundedPreceding && f.End.Kind == clause.CurrentRow
}

// moves reports whether the bound differs between rows.
func (b *Bound) moves() bool { return b.Kind != 0 }

func (f *Frame) illegal() error { return IllegalFrame(f.Window) }

// IllegalFrame returns error 3586.
func IllegalFrame(window string) error {
	return mysqlerr.New(mysqlerr.WindowFrameIllegal,
		"Window '%s': frame start or end is negative, NULL or of non-integral type", window)
}
