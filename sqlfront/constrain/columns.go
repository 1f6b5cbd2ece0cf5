package constrain

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Columns says which columns of a row are the cell's coordinates; -1 is none.
type Columns struct {
	K, Q, T, V int
	// F is the family's column of a table group's virtual table.
	F int
	// Families are the families' names in the order of their tables, where F
	// is a column: conditions on F alone are tried on each of them.
	Families []string
	// G is the generated column that holds the absolute value of T; a table
	// with it has no T without one.
	G int
	// Sliced asks for Constraint.Times.
	Sliced bool
	// Prefixes are the generated columns that hold the first bytes of K.
	Prefixes []Prefix
}

// Prefix is a generated column that holds the first Length bytes of K.
type Prefix struct{ Index, Length int }

// OfRow reports whether the row's column of that index is K or computed from K.
func (c *Columns) OfRow(index int) bool {
	return index == c.K || slices.ContainsFunc(c.Prefixes, func(p Prefix) bool { return p.Index == index })
}

// dimension is one of the ordered dimensions of a scan range.
type dimension uint8

const (
	dimensionK dimension = iota
	dimensionQ
	dimensionT
)

// key is an operand that a scan range can be made for: K, Q or T, or the first prefix
// bytes of K or Q.
type key struct {
	dimension dimension
	prefix    int // 0: all of it
	// magnitude is true where the operand is the absolute value of T.
	magnitude bool
	node      expr.Node
}

// key recognizes an operand.
func (d *deriver) key(n expr.Node) (key, bool) {
	switch n := n.(type) {
	case *expr.Column:
		return d.columnKey(n)
	case *expr.Const, *expr.Param:
		return key{}, false
	case *expr.Cast:
		if n.To == expr.ToBinary && n.Length < 0 {
			k, ok := d.key(n.X)
			return k, ok && k.dimension != dimensionT
		}
	case *expr.Call:
		return d.prefixKey(n)
	}
	return key{}, false
}

// PrefixLength is how many bytes an operand has of the beginning of K or Q; 0 is of another, and
// of one that has them all.
func PrefixLength(n expr.Node, cols Columns, env *expr.Env) int {
	d := deriver{cols: cols, env: env}
	k, _ := d.key(n)
	return k.prefix
}

// prefixKey recognizes LEFT(K, n) and SUBSTRING(K, 1[, n]) by their names.
func (d *deriver) prefixKey(c *expr.Call) (key, bool) {
	var length expr.Node
	switch c.Name {
	case "LEFT":
		length = c.Args[1]
	case "SUBSTRING", "SUBSTR", "MID":
		if from, ok := d.length(c.Args[1]); !ok || from != 1 {
			return key{}, false
		}
		if len(c.Args) > 2 {
			length = c.Args[2]
		}
	default:
		return key{}, false
	}
	k, ok := d.key(c.Args[0])
	if !ok || k.dimension == dimensionT || length == nil {
		return k, ok && k.dimension != dimensionT
	}
	n, ok := d.length(length)
	if k.prefix == 0 || n < k.prefix {
		k.prefix = n
	}
	return k, ok
}

// length is a constant number of bytes, at least 1.
func (d *deriver) length(n expr.Node) (int, bool) {
	v, ok := d.constant(n)
	if !ok || v.Kind() != value.Int && v.Kind() != value.Uint {
		return 0, false
	}
	i, ok := v.ToInt()
	return int(i), ok && i > 0
}

func (d *deriver) columnKey(c *expr.Column) (key, bool) {
	switch c.Index {
	case d.cols.K:
		return key{dimension: dimensionK, node: c}, c.T.Kind == value.Bytes
	case d.cols.Q:
		return key{dimension: dimensionQ, node: c}, c.T.Kind == value.Bytes
	case d.cols.T:
		return key{dimension: dimensionT, node: c}, c.T.Kind == value.Int
	case d.cols.G:
		return key{dimension: dimensionT, magnitude: true, node: c}, c.T.Kind == value.Int && d.cols.G >= 0
	}
	for _, p := range d.cols.Prefixes {
		if p.Index == c.Index && p.Length > 0 {
			return key{dimension: dimensionK, prefix: p.Length, node: c}, c.T.Kind == value.Bytes
		}
	}
	return key{}, false
}
