package constrain

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// compare is the scan range of the rows for which a comparison is true or, if want is false, false.
func (d *deriver) compare(op expr.CompareOp, l, r expr.Node, want bool) scanRange {
	if b, ok := d.compareColumns(op, l, r, want); ok {
		return b
	}
	return d.leaf(&expr.Compare{Op: op, L: l, R: r}, want)
}

// compareColumns is compare for a comparison with a key column on one side, or of two tuples.
func (d *deriver) compareColumns(op expr.CompareOp, l, r expr.Node, want bool) (scanRange, bool) {
	if t, ok := l.(*expr.Tuple); ok {
		return d.compareTuples(op, t, r, want), true
	}
	if b, ok := d.compareKey(op, l, r, want); ok {
		return b, true
	}
	return d.compareKey(op.Swap(), r, l, want)
}

// compareKey is compare for a key column l and a constant r.
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
	if k.loose && op == expr.NullSafeEq && (v.IsNull() || !want) {
		return unknown() // it includes rows for which the function is NULL
	}
	if v.IsNull() {
		d.nulls++
		// K <=> NULL is false; with any other operator it is NULL.
		return always(op == expr.NullSafeEq && !want)
	}
	if !want {
		op = op.Negate()
	}
	if k.dimension == dimensionT {
		lo, hi, ok := d.timeCuts(k.node, v, r)
		if !ok {
			return unknown()
		}
		return ofTime(k, pick(op, lo, hi))
	}
	if k.plain() {
		if !v.IsString() {
			return unknown()
		}
		lo, hi := textCuts(v.Raw())
		if k.dimension == dimensionQ {
			return scanRange{quals: pick(op, lo, hi), exact: true}
		}
		return scanRange{spans: pick(op, rowPlace(lo), rowPlace(hi)), exact: true}
	}
	s, ok := d.strings(op, &k, v, r, maxSpellings)
	if !ok {
		return unknown()
	}
	return ofText(&k, s)
}

// strings are spans with all K or Q for which `key op v` holds, where v is the value of r; ok is false if
// these might be most of all strings. For text, about this many equal spellings are tried.
func (d *deriver) strings(
	op expr.CompareOp, k *key, v value.Value, r expr.Node, spellings int,
) (s interval.Texts, ok bool) {
	switch kind := v.Kind(); {
	case k.number != nil:
		s, ok = d.numbers(op, k.number, v, r)
	case kind == value.Bytes || !k.text && v.IsString():
		lo, hi := textCuts(v.Raw())
		s, ok = pick(op, lo, hi), true
	case v.IsString():
		c, known := k.comparison.with(v)
		if ok = known; ok {
			s, ok = c.texts(op, v.Raw(), spellings)
		}
	case k.loose && (kind == value.Int || kind == value.Uint) && (op == expr.Eq || op == expr.NullSafeEq):
		s, ok = textsOfInteger(v)
	}
	return k.sources(s), ok
}

// pick is the set of points for which `point op value` holds. The points equal to the value are those between
// lo and hi.
func pick[C interval.Cut[C]](op expr.CompareOp, lo, hi C) interval.Set[C] {
	switch op {
	case expr.Ne:
		return interval.Unite(interval.Below(lo), interval.Above(hi))
	case expr.Lt:
		return interval.Below(lo)
	case expr.Le:
		return interval.Below(hi)
	case expr.Gt:
		return interval.Above(hi)
	case expr.Ge:
		return interval.Above(lo)
	}
	return interval.Between(lo, hi)
}

// maxKey is the greatest length of K and Q, in bytes. Longer constants are cut, since each partition would
// get a copy.
const maxKey = 1<<16 - 1

// textCuts are the cuts around the strings equal to b: those before lo are less, those after hi greater.
func textCuts(b []byte) (lo, hi interval.Text) {
	if len(b) <= maxKey {
		return interval.BeforeText(b), interval.AfterText(b)
	}
	// No key equals b; it would be after all keys that begin with b's first bytes.
	c := interval.Successor(b[:maxKey])
	return c, c
}

// maxQualifiers bounds the spans of qualifiers for a function of Q: each costs a seek in each row.
const maxQualifiers = 16

// ofText is the scan range for a set of a key's strings.
func ofText(k *key, s interval.Texts) scanRange {
	if k.dimension == dimensionQ {
		if k.loose && len(s) > maxQualifiers {
			s = s.Hull()
		}
		return scanRange{quals: s, exact: !k.loose}
	}
	return scanRange{spans: rowSpans(s), exact: !k.loose}
}

// ofTime is the scan range for a set of timestamps, or of absolute values.
func ofTime(k key, s interval.Moments) scanRange {
	if k.magnitude {
		s = interval.Mirrored(s)
	}
	return scanRange{times: s, exact: true}
}

// rowSpans is a set of strings as spans of rows.
func rowSpans(s interval.Texts) interval.Places {
	if s == nil {
		return nil
	}
	out := make(interval.Places, len(s))
	for i, each := range s {
		out[i] = interval.PlaceSpan{Lo: rowPlace(each.Lo), Hi: rowPlace(each.Hi)}
	}
	return out
}

func rowPlace(c interval.Text) interval.Place {
	switch {
	case c.End:
		return interval.Place{After: true}
	case c.After:
		return interval.AfterRow(c.Bytes)
	case c.Bytes == nil:
		return interval.Place{}
	}
	return interval.BeforeRow(c.Bytes)
}

// timeCuts are the cuts around the timestamps that equal v, the value of r.
func (d *deriver) timeCuts(column expr.Node, v value.Value, r expr.Node) (lo, hi interval.Moment, ok bool) {
	switch v.Kind() {
	case value.Int:
		return interval.BeforeTime(v.Int()), interval.AfterTime(v.Int()), true
	case value.Uint:
		if v.Uint() > math.MaxInt64 {
			return interval.Moment{End: true}, interval.Moment{End: true}, true
		}
		return interval.BeforeTime(int64(v.Uint())), interval.AfterTime(int64(v.Uint())), true
	case value.Decimal, value.Float, value.Text, value.Bytes:
		if lo, ok = d.searchTime(expr.Ge, column, r); ok {
			hi, ok = d.searchTime(expr.Gt, column, r)
		}
		return lo, hi, ok
	}
	return lo, hi, false
}

// searchTime finds the cut before the first timestamp for which `T op r` is true by a binary search
// that evaluates the comparison itself, so that both agree: the conversion of int64 to the kind of the
// comparison (decimal, double) is monotonic.
func (d *deriver) searchTime(op expr.CompareOp, column, r expr.Node) (interval.Moment, bool) {
	c, ok := column.(*expr.Column)
	if !ok {
		return interval.Moment{}, false
	}
	env := d.quietEnv()
	env.Row = make([]value.Value, c.Index+1)
	condition := &expr.Compare{Op: op, L: c, R: r}
	return search(math.MinInt64, math.MaxInt64, func(t int64) (bool, error) {
		env.Row[c.Index] = value.NewInt(t)
		return expr.Holds(condition, env)
	})
}
