package constrain

import (
	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// like is the scan range of X LIKE pattern, or of NOT LIKE if want is false: the strings that begin with the
// bytes of the pattern before its first wildcard.
func (d *deriver) like(n *expr.Like, want bool) scanRange {
	k, ok := d.key(n.X)
	if !ok || k.dimension == dimensionT || k.number != nil {
		return d.leaf(&expr.Like{X: n.X, Pattern: n.Pattern, Escape: n.Escape}, want)
	}
	pattern, ok := d.constant(n.Pattern)
	if !ok {
		return unknown()
	}
	if pattern.IsNull() {
		d.nulls++
		return nothing()
	}
	escape, ok := d.escape(n)
	if !ok {
		return unknown()
	}
	head, rest := interval.LikeHead(pattern.AsBytes(), escape, maxKey)
	if k.text && pattern.Kind() != value.Bytes {
		c, known := k.comparison.with(pattern)
		if !known || !want {
			return unknown()
		}
		return ofText(&k, k.sources(c.like(head, rest == interval.Exactly, maxSpellings)))
	}
	if rest == interval.Exactly {
		return d.compareValue(expr.Eq, k, value.NewBytes(head), n.Pattern, want)
	}
	b := ofText(&k, k.sources(startingWith(head)))
	b.exact = b.exact && rest == interval.Anything
	if !want {
		return b.complement()
	}
	return b
}

// head is the part of a pattern before its first % or _.
func (d *deriver) head(n *expr.Like) (value.Value, bool) {
	pattern, ok := d.constant(n.Pattern)
	escape, known := d.escape(n)
	if !ok || !known || !pattern.IsString() {
		return value.Value{}, false
	}
	head, _ := interval.LikeHead(pattern.Raw(), escape, maxKey)
	if pattern.Kind() == value.Bytes {
		return value.NewBytes(head), true
	}
	return value.NewText(head).WithCollation(pattern.Collation()), true
}

// startingWith are the strings that begin with head.
func startingWith(head []byte) interval.Texts {
	switch {
	case len(head) == 0:
		return nil
	case len(head) > maxKey:
		return interval.None[interval.Text]()
	}
	return interval.Between(interval.BeforeText(head), interval.Successor(head))
}

// escape is the escape character, -1 for none. Escape characters of several bytes, and a percent sign, are
// left to the filter.
func (d *deriver) escape(n *expr.Like) (int, bool) {
	if n.Escape != nil && !expr.IsConst(n.Escape) {
		return 0, false
	}
	r, err := n.EscapeByte(d.quietEnv())
	return int(r), err == nil && r < 0x80 && r != '%'
}
