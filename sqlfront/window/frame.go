package window

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Frame is which rows of a partition an aggregate is of, for each row.
type Frame struct {
	// Range counts by the value of the order's only key, not by rows.
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

// streams reports whether the frame is the rows up to the present one, of which
// none has to be read again.
func (f *Frame) streams() bool {
	return !f.Range && f.Start.Kind == clause.UnboundedPreceding && f.End.Kind == clause.CurrentRow
}

// moves reports whether the end of the frame is another one for other rows.
func (b *Bound) moves() bool { return b.Kind != 0 }

func (f *Frame) illegal() error { return IllegalFrame(f.Window) }

// IllegalFrame is 3586.
func IllegalFrame(window string) error {
	return mysqlerr.New(mysqlerr.WindowFrameIllegal,
		"Window '%s': frame start or end is negative, NULL or of non-integral type", window)
}
