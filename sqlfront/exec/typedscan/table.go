package typedscan

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Table is a typed table of which some columns are read. It is immutable.
type Table struct {
	// Cells is the access to the cells of its rows: its condition is only on the row. Their columns of the
	// frame are not used otherwise.
	Cells *scan.Access
	Face  *typed.Table
	// First is the frame's column for the table's first one.
	First int

	keys    []int    // the columns read from the row key, by their positions in the table
	cells   []column // those read from cells
	virtual []virtual
	classes []class // the cells that are read, sorted
	names   [][]byte
	marker  int // the class of the cell that each row has, -1 for a mapped table
	// qualifiers are those that are read; for a mapped table those of all columns, because any of their cells
	// makes a row.
	qualifiers []kv.QualifierRange
	moments    bool // see NewHistory
}

// column is a column whose values are in cells.
type column struct {
	place, class int
	absent       bool // the absence of a cell matters
}

// virtual is a column computed from others.
type virtual struct {
	place int
	node  expr.Node // over the frame
}

// class identifies the cells of one qualifier in one family.
type class struct {
	family    int
	qualifier []byte
}

// New returns a table of which the columns at some positions are read, ascending. virtuals are the
// expressions of virtual columns over the frame, by their positions, needed for those that are read; what
// they read is read, too.
func New(cells *scan.Access, face *typed.Table, first int, read []int, virtuals []expr.Node) *Table {
	t := newTable(&Table{Cells: cells, Face: face, First: first}, read, virtuals)
	if face.Mapped {
		return t
	}
	for _, name := range t.names {
		t.qualifiers = append(t.qualifiers, kv.QualifierRange{Start: name, End: append(bytes.Clone(name), 0)})
	}
	return t
}

func newTable(t *Table, read []int, virtuals []expr.Node) *Table {
	t.marker, t.qualifiers = -1, t.Face.Cells().Qualifiers
	t.addColumns(read, virtuals)
	t.addClasses()
	return t
}

// addColumns finds what the columns are read from.
func (t *Table) addColumns(read []int, virtuals []expr.Node) {
	stored := slices.Clone(read)
	for _, at := range read {
		if !t.Face.IsVirtual(at) {
			continue
		}
		t.virtual = append(t.virtual, virtual{at, virtuals[at]})
		expr.Columns(virtuals[at], func(c *expr.Column) { stored = append(stored, c.Index-t.First) })
	}
	slices.Sort(stored)
	for _, at := range slices.Compact(stored) {
		switch {
		case t.Face.IsVirtual(at):
		case t.Face.HasCell(at):
			t.cells = append(t.cells, column{place: at, absent: t.Face.TellsAbsent(at)})
		default:
			t.keys = append(t.keys, at)
		}
	}
}

// addClasses finds the cells that are read: those of the columns, and those that show that a row exists.
func (t *Table) addClasses() {
	of := func(at int) class {
		return class{t.Face.FamilyOf(at), t.Face.CellName(at)}
	}
	all := t.Face.Mapped || t.moments
	for _, c := range t.cells {
		t.classes = append(t.classes, of(c.place))
	}
	if !t.Face.Mapped {
		t.classes = append(t.classes, class{0, []byte(typed.Marker)})
	}
	for at := range t.Face.Columns {
		if all && t.Face.HasCell(at) {
			t.classes = append(t.classes, of(at))
		}
	}
	slices.SortFunc(t.classes, class.compare)
	t.classes = slices.CompactFunc(t.classes, func(a, b class) bool { return a.compare(b) == 0 })
	for _, c := range t.classes {
		t.names = append(t.names, c.qualifier)
	}
	for i := range t.cells {
		t.cells[i].class = t.find(of(t.cells[i].place))
	}
	if !t.Face.Mapped {
		t.marker = t.find(class{0, []byte(typed.Marker)})
	}
}

func (c class) compare(o class) int {
	if c.family != o.family {
		return c.family - o.family
	}
	return bytes.Compare(c.qualifier, o.qualifier)
}

// find returns the position of a class, or -1 if it is not read.
func (t *Table) find(c class) int {
	at, ok := slices.BinarySearchFunc(t.classes, c, class.compare)
	if !ok {
		return -1
	}
	return at
}

// Reads returns the access to the cells.
func (t *Table) Reads() *scan.Access { return t.Cells }

// Open implements op.Node.
func (t *Table) Open(x *op.Frame, want op.Desired) (op.Operator, op.Provided, error) {
	below := t.below(want)
	s, g, err := t.Cells.Start(x, below)
	if err != nil {
		return nil, op.Provided{}, err
	}
	if want.Limit > 0 {
		s.StoreScan.Parallel = 0
	}
	if s.StoreScan.Qualifiers == nil {
		s.StoreScan.Qualifiers = t.qualifiers
	}
	r := t.rows(x, s)
	if t.moments {
		r.least = startMoments(s)
	}
	if x.Lock == nil || t.moments { // to evaluate them once per row instead of once per cell
		r.conditions = slices.Concat(s.Keys, s.Values)
		s.Keys, s.Values = nil, nil
	}
	if 0 < want.Limit && want.Limit < op.BatchCells {
		r.wants = 1 // a few rows may be enough
	}
	g.OrderOf(below, want)
	if n := len(below.Order); 0 < n && n == g.Leading && t.byMoment(want.Order[:n], want.Order[n]) {
		g.Ordered, g.Leading = true, 0
	}
	return r, op.Provided{Ordered: g.Ordered, Leading: g.Leading, Together: !t.moments && t.holdsKey(want.Together)}, nil
}

// below converts the desired properties of rows to those of their cells.
func (t *Table) below(want op.Desired) op.Desired {
	out := op.Desired{Leading: want.Leading.OfSome()}
	for i, k := range want.Order {
		if t.byMoment(want.Order[:i], k) {
			break
		}
		e := t.OfRow(k.Expr)
		if e != nil && !expr.IsVolatile(e) {
			out.Order = append(out.Order, ordering.Key{Expr: e, Desc: k.Desc})
			continue
		}
		if out.Leading == op.NotLeading {
			out.Order = nil
		}
		break
	}
	return out
}

// OfRow converts an expression over columns of the key to one over the row key K; it returns nil if it reads
// other columns of the table, or of another one.
func (t *Table) OfRow(n expr.Node) expr.Node {
	return OfRow(n, t.Face, t.First, t.K(), func(int) bool { return false })
}

// K returns the row key as an expression.
func (t *Table) K() *expr.Column { return RowColumn(t.Cells.Columns.K, t.Cells.Tables[0]) }

// RowColumn returns the row key of a family's cells as an expression: a column of the frame.
func RowColumn(index int, family *kv.Table) *expr.Column {
	return &expr.Column{Index: index, Name: "K", T: value.Type{Kind: value.Bytes, Length: family.MaxRow}}
}

// OfRow converts an expression over columns of the key of a table, whose first column is at first, to one
// over the row key k; it returns nil if it reads other columns, except for those that are given.
func OfRow(n expr.Node, face *typed.Table, first int, k expr.Node, given func(index int) bool) expr.Node {
	other := false
	out := expr.Rewrite(n, func(n expr.Node) expr.Node {
		c, ok := n.(*expr.Column)
		if !ok {
			return n
		}
		at := c.Index - first
		if at < 0 || at >= len(face.Columns) {
			other = other || !given(c.Index)
			return n
		}
		part := face.KeyPart(at)
		if part < 0 || face.HasCell(at) {
			other = true
			return n
		}
		return face.PartOf(k, part)
	})
	if other {
		return nil
	}
	return out
}

// holdsKey reports whether expressions include all columns of the key, so that no two rows are equal.
func (t *Table) holdsKey(nodes []expr.Node) bool {
	for _, at := range t.Face.Key {
		if !slices.ContainsFunc(nodes, func(n expr.Node) bool { return op.IsAt(n, t.First+at) }) {
			return false
		}
	}
	return true
}
