package kernel

import (
	"bytes"
	"math"
	"strconv"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function/text"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// call returns the kernel of a function that has a loop, or nil.
func (c *Compiler) call(n *expr.Call) Kernel {
	switch n.Name {
	case "LEFT", "SUBSTRING", "SUBSTR", "MID":
		return c.substring(n)
	case "CONCAT":
		return c.concat(n)
	case "LENGTH", "OCTET_LENGTH":
		if x := c.node(n.Args[0]); x.Kind() == value.Bytes {
			return &length{unaryOf(x, value.Int)}
		}
	case "FLOOR":
		return c.floor(n.Args[0])
	case "COALESCE", "IFNULL":
		return c.coalesce(n)
	case "NULLIF":
		return c.nullIf(n)
	case "ISNULL":
		return &isNull{unaryOf(c.node(n.Args[0]), value.Int), false}
	case "UPPER", "LOWER":
		if x := c.node(n.Args[0]); x.Kind() == value.Bytes && n.Type().Kind == value.Bytes {
			return x // a binary string has no case
		}
	}
	return nil
}

// substring is LEFT and SUBSTRING of a binary string, from a position counted from its start: 3 ns
// a row instead of 40.
type substring struct {
	unary
	from, to int64
}

func (c *Compiler) substring(n *expr.Call) Kernel {
	k := &substring{unary: unaryOf(c.node(n.Args[0]), value.Bytes), to: math.MaxInt64}
	if k.x.Kind() != value.Bytes {
		return nil
	}
	var at []int64
	for _, arg := range n.Args[1:] {
		v, ok := c.constant(arg)
		if !ok || v.Kind() != value.Int || v.Int() < 0 || v.Int() > math.MaxInt32 {
			return nil
		}
		at = append(at, v.Int())
	}
	switch {
	case n.Name == "LEFT":
		k.to = at[0]
	case at[0] < 1:
		return nil
	default:
		if k.from = at[0] - 1; len(at) > 1 {
			k.to = k.from + at[1]
		}
	}
	return k
}

func (k *substring) Eval(b *Batch, rows []int32) (*value.Vector, bool) {
	x, ok := k.start(b, rows)
	if !ok {
		return nil, false
	}
	out := k.out.Bytes
	for _, i := range rows {
		s := x.Bytes[i]
		n := int64(len(s))
		out[i] = s[min(k.from, n):min(k.to, n)]
	}
	return &k.out, true
}

// concat is CONCAT of strings and integers, if one is binary: 14 ns a row instead of 77.
type concat struct {
	parts []Kernel
	most  int // limit of a result, in bytes
	out   value.Vector
	made  []byte
}

func (c *Compiler) concat(n *expr.Call) Kernel {
	k := &concat{most: c.Env.MaxPacket(), out: value.Vector{Kind: value.Bytes}, made: []byte{}} // nil is NULL
	if n.Type().Kind != value.Bytes {
		return nil
	}
	for _, arg := range n.Args {
		part := c.result(arg, value.Type{Kind: value.Bytes})
		if part == nil || part.Kind() != value.Bytes && part.Kind() != value.Int {
			return nil
		}
		k.parts = append(k.parts, part)
	}
	return k
}

func (k *concat) Kind() value.Kind { return value.Bytes }

func (k *concat) Eval(b *Batch, rows []int32) (*value.Vector, bool) {
	k.out.Start(value.Bytes, b.N)
	vectors := make([]*value.Vector, len(k.parts))
	for at, part := range k.parts {
		var ok bool
		if vectors[at], ok = part.Eval(b, rows); !ok {
			return nil, false
		}
	}
	k.made = k.made[:0]
	for _, i := range rows {
		start := len(k.made)
		if !k.join(vectors, i) {
			k.made = k.made[:start]
			k.out.SetNull(i)
			continue
		}
		if n := len(k.made); n-start > k.most || n > maxMade {
			return nil, false
		}
		k.out.Bytes[i] = k.made[start:len(k.made):len(k.made)]
	}
	return &k.out, true
}

// join appends the parts of a row, or reports false if one is NULL.
func (k *concat) join(parts []*value.Vector, i int32) bool {
	for _, part := range parts {
		switch {
		case part.IsNull(i):
			return false
		case part.Kind == value.Int:
			k.made = strconv.AppendInt(k.made, part.Ints[i], 10)
		default:
			k.made = append(k.made, part.Bytes[i]...)
		}
	}
	return true
}

// length is LENGTH of a binary string: 2 ns a row instead of 27.
type length struct{ unary }

func (k *length) Eval(b *Batch, rows []int32) (*value.Vector, bool) {
	x, ok := k.start(b, rows)
	if !ok {
		return nil, false
	}
	for _, i := range rows {
		if k.out.Ints[i] = int64(len(x.Bytes[i])); x.Bytes[i] == nil {
			k.out.SetNull(i)
		}
	}
	return &k.out, true
}

// like is LIKE of a binary string and a constant pattern: 4 ns a row instead of 37 for a prefix.
type like struct {
	unary
	pattern value.Value
	// prefix is the pattern without its percent sign, if it has only one, at the end.
	prefix []byte
	starts bool
	escape rune
	not    bool
	c      *Compiler
}

func (c *Compiler) like(n *expr.Like) Kernel {
	k := &like{unary: unaryOf(c.node(n.X), value.Int), escape: '\\', not: n.Not, c: c}
	var ok bool
	if k.pattern, ok = c.constant(n.Pattern); !ok || !k.pattern.IsString() || k.x.Kind() != value.Bytes {
		return nil
	}
	if n.Escape != nil {
		var err error
		if k.escape, err = n.EscapeByte(c.quietEnv()); err != nil || !expr.IsConst(n.Escape) {
			return nil
		}
	}
	text := k.pattern.Raw()
	if last := len(text) - 1; last >= 0 && text[last] == '%' && !bytes.ContainsAny(text[:last], `%_\`) && k.escape == '\\' {
		k.prefix, k.starts = text[:last], true
	}
	return k
}

func (k *like) Eval(b *Batch, rows []int32) (*value.Vector, bool) {
	x, ok := k.start(b, rows)
	if !ok {
		return nil, false
	}
	for _, i := range rows {
		s := x.Bytes[i]
		switch {
		case s == nil:
			k.out.SetNull(i)
		case k.starts:
			set(k.out.Ints, i, bytes.HasPrefix(s, k.prefix) != k.not)
		default:
			matches, err := text.LikeMatch(value.NewBytes(s), k.pattern, k.escape, k.c.Env.Meter())
			if err != nil {
				return nil, false
			}
			set(k.out.Ints, i, matches != k.not)
		}
	}
	return &k.out, true
}
