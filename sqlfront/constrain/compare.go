package constrain

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// compare is the scan range of a comparison that is true, or false.
func (d *deriver) compare(op expr.CompareOp, l, r expr.Node, want bool) scanRange {
	if b, ok := d.compareColumns(op, l, r, want); ok {
		return b
	}
	return d.leaf(&expr.Compare{Op: op, L: l, R: r}, want)
}

// compareColumns is compare where one side is a key column, or both are tuples.
func (d *deriver) compareColumns(op expr.CompareOp, l, r expr.Node, want bool) (scanRange, bool) {
	if t, ok := l.(*expr.Tuple); ok {
		return d.compareTuples(op, t, r, want), true
	}
	if b, ok := d.compareKey(op, l, r, want); ok {
		return b, true
	}
	return d.compareKey(op.Swap(), r, l, want)
}

// compareKey is compare where l is a key column and r is constant.
func (d *deriver) compareKey(op expr.CompareOp, l, r expr.Node, want bool) (scanRange, bool) {
	k, ok := d.key(l)
	if !ok {
		return scanRange{}, false
	}
	v, ok := d.constant(r)
	if !ok {
		return scanRange{}, false
	}
	return d.compareValue(op, k, v, r, want), true
}

// compareValue compares a key column with the value v of the node r.
func (d *deriver) compareValue(op expr.CompareOp, k key, v value.Value, r expr.Node, want bool) scanRange {
	if v.IsNull() {
		d.nulls++
		// K <=> NULL is false; with any other operator it is NULL.
		return always(op == expr.NullSafeEq && !want)
	}
	if !want {
		op = negate(op)
	}
	if k.dimension == dimensionT {
		lo, hi, ok := d.timeCuts(k.node, v, r)
		if !ok {
			return unknown()
		}
		return ofTime(k, pick(op, lo, hi))
	}
	if !v.IsString() {
		return unknown()
	}
	lo, hi := textCuts(v.Raw(), k.prefix)
	if k.dimension == dimensionQ {
		return scanRange{quals: pick(op, lo, hi), exact: true}
	}
	return scanRange{spans: pick(op, rowPlace(lo), rowPlace(hi)), exact: true}
}

// negate is the operator that is true where op is false, NULLs apart.
func negate(op expr.CompareOp) expr.CompareOp {
	if op == expr.NullSafeEq {
		return expr.Ne
	}
	op, _ = op.Negate()
	return op
}

// pick is the points that compare with a value by op, where the points equal to
// it are between lo and hi.
func pick[C cut[C]](op expr.CompareOp, lo, hi C) set[C] {
	switch op {
	case expr.Ne:
		return unite(below(lo), above(hi))
	case expr.Lt:
		return below(lo)
	case expr.Le:
		return below(hi)
	case expr.Gt:
		return above(hi)
	case expr.Ge:
		return above(lo)
	}
	return between(lo, hi)
}

// maxKey is the length of the longest K and Q, in bytes. What is longer is cut, or
// each partition would have a copy of it.
const maxKey = 1<<16 - 1

// textCuts are the cuts around the strings whose first prefix bytes (all bytes
// where prefix is 0) equal b: before lo they compare below b, behind hi above.
func textCuts(b []byte, prefix int) (lo, hi text) {
	longest := maxKey
	if prefix > 0 {
		longest = prefix
	}
	switch {
	case len(b) < longest || prefix == 0 && len(b) == longest:
		return beforeText(b), afterText(b)
	case len(b) == prefix:
		return beforeText(b), successor(b)
	}
	// Nothing of that length equals b; it would come behind all that begin
	// with b's first bytes.
	c := successor(b[:longest])
	return c, c
}

func ofText(dim dimension, s set[text]) scanRange {
	if dim == dimensionQ {
		return scanRange{quals: s, exact: true}
	}
	return scanRange{spans: rowSpans(s), exact: true}
}

// ofTime is the timestamps of a set, or those whose absolute values are in it.
func ofTime(k key, s set[moment]) scanRange {
	if k.magnitude {
		s = mirrored(s)
	}
	return scanRange{times: s, exact: true}
}

// rowSpans is the set as rows of the table.
func rowSpans(s set[text]) set[place] {
	if s == nil {
		return nil
	}
	out := make(set[place], len(s))
	for i, each := range s {
		out[i] = span[place]{rowPlace(each.lo), rowPlace(each.hi)}
	}
	return out
}

func rowPlace(c text) place {
	switch {
	case c.end:
		return place{After: true}
	case c.after:
		return afterRow(c.b)
	case c.b == nil:
		return place{}
	}
	return beforeRow(c.b)
}

// timeCuts are the cuts around the timestamps that equal v, the value of the
// node r.
func (d *deriver) timeCuts(column expr.Node, v value.Value, r expr.Node) (lo, hi moment, ok bool) {
	switch v.Kind() {
	case value.Int:
		return beforeTime(v.Int()), afterTime(v.Int()), true
	case value.Uint:
		if v.Uint() > math.MaxInt64 {
			return moment{end: true}, moment{end: true}, true
		}
		return beforeTime(int64(v.Uint())), afterTime(int64(v.Uint())), true
	case value.Decimal, value.Float, value.Text, value.Bytes:
		if lo, ok = d.searchTime(expr.Ge, column, r); ok {
			hi, ok = d.searchTime(expr.Gt, column, r)
		}
		return lo, hi, ok
	}
	return lo, hi, false
}

// searchTime is the cut before the first timestamp for which `T op r` is true.
// It asks the comparison itself, so that the two cannot differ: converting an
// int64 to the kind that it is compared in (decimal, double) keeps the order.
func (d *deriver) searchTime(op expr.CompareOp, column, r expr.Node) (moment, bool) {
	c, ok := column.(*expr.Column)
	if !ok {
		return moment{}, false
	}
	env := d.quietEnv()
	env.Row = make([]value.Value, c.Index+1)
	condition := &expr.Compare{Op: op, L: c, R: r}
	holds := func(t int64) bool {
		env.Row[c.Index] = value.NewInt(t)
		holds, err := expr.Holds(condition, env)
		ok = ok && err == nil
		return holds
	}
	if !holds(math.MaxInt64) {
		return moment{end: true}, ok
	}
	// Shifted by half their range, the timestamps are unsigned in order.
	const sign = 1 << 63
	lo, hi := uint64(0), uint64(math.MaxUint64)
	for lo < hi && ok {
		mid := lo + (hi-lo)/2
		if holds(int64(mid ^ sign)) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return beforeTime(int64(lo ^ sign)), ok
}
