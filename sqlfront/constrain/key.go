package constrain

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// dimension is one of the ordered dimensions of a scan range.
type dimension uint8

const (
	dimensionK dimension = iota
	dimensionQ
	dimensionT
)

// key is an operand for which scan ranges can be derived: K, Q or T, or a function of K or Q whose arguments
// for a given value are at least partly known.
type key struct {
	dimension dimension
	// magnitude says that the operand is the absolute value of T.
	magnitude bool
	node      expr.Node
	// steps are the string functions applied to K or Q, the innermost first.
	steps []step
	// number is set if the operand is a number that is parsed from such a string.
	number *number
	// text says that the operand is compared as text, not as a binary string.
	text       bool
	comparison comparison
	// loose says that a scan range may contain rows for which the condition does not hold, and rows for which
	// the operand is NULL.
	loose bool
}

// plain reports whether the operand is the column itself.
func (k *key) plain() bool { return len(k.steps) == 0 && !k.loose }

// around adds a function around the operand.
func (k key) around(s step) key {
	k.steps = append(k.steps[:len(k.steps):len(k.steps)], s)
	_, exact := s.(firstBytes)
	k.loose = k.loose || !exact
	return k
}

// key recognizes an operand.
func (d *deriver) key(n expr.Node) (key, bool) {
	switch n := n.(type) {
	case *expr.Column:
		return d.columnKey(n)
	case *expr.Cast:
		return d.castKey(n)
	case *expr.Collate:
		return d.collatedKey(n)
	case *expr.Call:
		return d.callKey(n)
	}
	return key{}, false
}

// stringKey recognizes an operand that is a string.
func (d *deriver) stringKey(n expr.Node) (key, bool) {
	k, ok := d.key(n)
	return k, ok && k.dimension != dimensionT && k.number == nil
}

// bytesKey recognizes an operand that is a binary string.
func (d *deriver) bytesKey(n expr.Node) (key, bool) {
	k, ok := d.stringKey(n)
	return k, ok && !k.text
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
			k := key{dimension: dimensionK, node: c, steps: []step{firstBytes(p.Length)}}
			return k, c.T.Kind == value.Bytes
		}
	}
	return key{}, false
}

// castKey recognizes CAST, CONVERT and BINARY.
func (d *deriver) castKey(n *expr.Cast) (key, bool) {
	k, ok := d.stringKey(n.X)
	if !ok {
		return key{}, false
	}
	switch n.To {
	case expr.ToBinary:
		k.text, k.comparison = false, generalCI
		if n.Length >= 0 {
			k = k.around(resized(n.Length))
		}
	case expr.ToChar:
		if k.text {
			k = k.comparedBy(generalCI) // CAST drops the collation of its argument
		} else {
			k.text, k.comparison = true, generalCI
			k = k.around(characters{})
		}
		if n.Length >= 0 {
			k = k.around(firstCharacters(n.Length))
		}
	case expr.ToSigned, expr.ToUnsigned:
		k = k.counted(integerText(n.To == expr.ToUnsigned))
	default:
		return key{}, false
	}
	return k, true
}

// collatedKey recognizes text with a collation.
func (d *deriver) collatedKey(n *expr.Collate) (key, bool) {
	k, ok := d.stringKey(n.X)
	if !ok || !k.text {
		return key{}, false
	}
	c, ok := comparisonBy(n.By.Collation)
	return k.comparedBy(c), ok
}

// comparedBy is the text of k with another comparison.
func (k key) comparedBy(c comparison) key {
	if k.comparison != ownWeights || c != generalCI {
		k.comparison = c
	}
	return k
}

// length is a constant number of bytes or characters, at least 1.
func (d *deriver) length(n expr.Node) (int, bool) {
	i, ok := d.integer(n)
	return int(i), ok && i > 0
}

// integer is a constant integer.
func (d *deriver) integer(n expr.Node) (int64, bool) {
	v, ok := d.constant(n)
	if !ok || v.Kind() != value.Int && v.Kind() != value.Uint {
		return 0, false
	}
	return v.ToInt()
}

// PrefixLength is the number of leading bytes of K or Q that an operand consists of; 0 for any other operand,
// and for a whole K or Q.
func PrefixLength(n expr.Node, cols Columns, env *expr.Env) (length int) {
	d := deriver{cols: cols, env: env}
	k, _ := d.key(n)
	for _, s := range k.steps {
		first, ok := s.(firstBytes)
		if !ok {
			return 0
		}
		if length == 0 || int(first) < length {
			length = int(first)
		}
	}
	return length
}
