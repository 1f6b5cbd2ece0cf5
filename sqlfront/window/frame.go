package window

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Frame says, for each row, over which rows of its partition an aggregate is computed.
type Frame struct {
	// Range measures distances by the value of the only key of the order, and not in rows.
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

// String is the frame as EXPLAIN shows it.
func (f *Frame) String() string {
	unit := "rows"
	if f.Range {
		unit = "range"
	}
	return unit + " between " + f.Start.String() + " and " + f.End.String()
}

// String is the bound as a statement has it.
func (b *Bound) String() string {
	switch {
	case b.N == nil:
		return b.Kind.String()
	case b.Unit != "":
		return "interval " + expr.Print(b.N) + " " + strings.ToLower(b.Unit) + " " + b.Kind.String()
	}
	return expr.Print(b.N) + " " + b.Kind.String()
}

// streams reports whether the frame ends with the present row and begins with the partition, so that no
// row is read again.
func (f *Frame) streams() bool {
	return !f.Range && f.Start.Kind == clause.UnboundedPreceding && f.End.Kind == clause.CurrentRow
}

// moves reports whether the bound differs between rows.
func (b *Bound) moves() bool { return b.Kind != 0 }

func (f *Frame) illegal() error { return IllegalFrame(f.Window) }

// IllegalFrame is error 3586.
func IllegalFrame(window string) error {
	return mysqlerr.New(mysqlerr.WindowFrameIllegal,
		"Window '%s': frame start or end is negative, NULL or of non-integral type", window)
}
