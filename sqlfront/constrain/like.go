package constrain

import (
	"github.com/hbasekv/hbasekv/sqlfront/constrain/interval"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// like is the scan range of X LIKE pattern, or of NOT LIKE where want is false: what
// begins with the pattern's bytes before its first wildcard.
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
	head, rest := likeHead(pattern.AsBytes(), escape)
	if k.text && pattern.Kind() != value.Bytes {
		c, known := k.comparison.with(pattern)
		if !known || !want {
			return unknown()
		}
		return ofText(&k, k.sources(c.like(head, rest == exactly, maxSpellings)))
	}
	if rest == exactly {
		return d.compareValue(expr.Eq, k, value.NewBytes(head), n.Pattern, want)
	}
	b := ofText(&k, k.sources(startingWith(head)))
	b.exact = b.exact && rest == anything
	if !want {
		return b.complement()
	}
	return b
}

// head is what stands in a pattern before its first % or _.
func (d *deriver) head(n *expr.Like) (value.Value, bool) {
	pattern, ok := d.constant(n.Pattern)
	escape, known := d.escape(n)
	if !ok || !known || !pattern.IsString() {
		return value.Value{}, false
	}
	head, _ := likeHead(pattern.Raw(), escape)
	if pattern.Kind() == value.Bytes {
		return value.NewBytes(head), true
	}
	return value.NewText(head).WithCollation(pattern.Collation()), true
}

// startingWith is the strings that begin with head.
func startingWith(head []byte) interval.Texts {
	switch {
	case len(head) == 0:
		return nil
	case len(head) > maxKey:
		return interval.None[interval.Text]()
	}
	return interval.Between(interval.BeforeText(head), interval.Successor(head))
}

// escape is the byte that takes the meaning of a wildcard away, -1 for none.
// Characters of several bytes, and a percent sign, are left to the filter.
func (d *deriver) escape(n *expr.Like) (int, bool) {
	if n.Escape != nil && !expr.IsConst(n.Escape) {
		return 0, false
	}
	r, err := n.EscapeByte(d.quietEnv())
	return int(r), err == nil && r < 0x80 && r != '%'
}

// tail is what follows the fixed start of a pattern.
type tail uint8

const (
	exactly  tail = iota // nothing
	anything             // percent signs alone
	further              // more of a pattern
)

// likeHead is the pattern's start without wildcards, escapes resolved.
func likeHead(p []byte, escape int) (head []byte, rest tail) {
	head = make([]byte, 0, min(len(p), maxKey+1))
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] == '%':
			return head, tailOf(p[i:])
		case int(p[i]) == escape && i+1 < len(p):
			i++
		case p[i] == '_':
			return head, further
		}
		if head = append(head, p[i]); len(head) > maxKey {
			return head, exactly // longer than all keys
		}
	}
	return head, exactly
}

func tailOf(p []byte) tail {
	for _, c := range p {
		if c != '%' {
			return further
		}
	}
	return anything
}
