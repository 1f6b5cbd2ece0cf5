package constrain_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/bind"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// writtenText is a key as users and programs write it: a name, a number, or a number's bytes.
func (g *generator) writtenText() string {
	s := pickOne(g, "", "a", "A", "ab", "Ab", "abc", "5", "50", "500", "05", "005", "12", "120", "9", "10", "1", "-5", "é",
		"É", "e", "E", "ß", "s", "д", "Д", "k\xe2\x84\xaa", "𝄞", "a?", "?", "a\xff", "\xff", "a\x80b", "a#b", "A#b#c", "#",
		"00", "0", "18446744073709551615", "9223372036854775808", "18446744073709551611", "99999999999999999999", "4.9", "1.2",
		"4."+strings.Repeat("9", 35), "49"+strings.Repeat("9", 33)+"e-34", "0.5e1", "5e0", "50e-1", "12000000000000000000", "zz",
		"[", "`", "{", "_")
	switch g.n(8) {
	case 0:
		return pickOne(g, " ", "\t", "+", "-", "0", "00", "\x00", "\x01", "9") + s
	case 1, 2:
		return s + pickOne(g, " ", "  ", "x", "\x00", "\x01", "0", ".", "e1", "!", " x", "\xff", "?", "é", "#", " \x01")
	case 3:
		return string(g.encoded())
	}
	return s
}

// encoded is the bytes of a number, or a part of them.
func (g *generator) encoded() []byte {
	n := pickOne[uint64](g, 0, 1, 5, 1<<63, 1<<63+5, math.MaxUint64, math.MaxInt64, math.MaxInt64-5,
		math.Float64bits(1.5), math.Float64bits(-1.5), math.Float64bits(math.Inf(1)), 1<<63-2)
	b := binary.BigEndian.AppendUint64(nil, n)
	switch g.n(6) {
	case 0:
		return b[4:]
	case 1:
		return b[6:]
	case 2:
		return binary.BigEndian.AppendUint32(nil, math.Float32bits(pickOne[float32](g, 1.5, -1.5, 0, 2)))
	case 3:
		return append(b, pickOne[byte](g, 0, 5))
	case 4:
		return b[7:]
	}
	return b
}

// function is a function of K or Q, or a function of one.
func (g *generator) function(x expr.Node) expr.Node {
	if g.n(4) == 3 {
		x = g.function(x)
	}
	number := func(n int) expr.Node { return &expr.Const{V: value.NewInt(int64(n))} }
	text := func(s string) expr.Node { return g.constant(g.stringOf(s)) }
	call := func(name string, args ...expr.Node) expr.Node {
		n, err := bind.NewCall(name, args...)
		if err != nil {
			panic(err)
		}
		return n
	}
	length := 1 + g.n(4)
	switch g.n(30) {
	case 0, 1, 2:
		return &expr.Cast{X: x, To: expr.ToChar, Length: -1}
	case 3, 4:
		return &expr.Cast{X: x, To: expr.ToChar, Length: g.n(4)}
	case 5, 6:
		return &expr.Cast{X: x, To: expr.ToUnsigned, Length: -1}
	case 7, 8:
		return &expr.Cast{X: x, To: expr.ToSigned, Length: -1}
	case 9:
		return &expr.Cast{X: x, To: expr.ToBinary, Length: g.n(4) - 1}
	case 10, 11:
		if g.n(2) == 0 {
			x = &expr.Cast{X: x, To: expr.ToChar, Length: g.n(6) - 1}
		}
		if c, ok := x.(*expr.Cast); ok && c.To == expr.ToChar {
			by := pickOne(g, collation.Bin, collation.General, collation.Bin0900, collation.AccentsNot)
			return &expr.Collate{X: x, By: value.Collated{Collation: by, Derivation: value.Explicit}}
		}
	case 12, 13:
		return call("HEX", x)
	case 14:
		return call("REVERSE", x)
	case 15:
		return call("UNSALT", x)
	case 16:
		return call("SALT", x, number(1+g.n(4)))
	case 17:
		return call("HASH_PREFIX", x, number(length))
	case 18:
		return call("ROWKEY_PART", x, text("#"), number(1+g.n(2)))
	case 19:
		return call("SUBSTRING_INDEX", x, text("#"), number(g.n(3)))
	case 20:
		return call("CONCAT", text(pickOne(g, "", "a", "a#")), x, text(pickOne(g, "", "", "b")))
	case 21:
		return call("LEFT", x, number(length))
	case 22:
		return call("SUBSTRING", x, number(1+g.n(3)), number(length))
	case 23:
		return call("SUBSTRING", x, number(1+g.n(3)))
	case 24:
		return call(pickOne(g, "LOWER", "UPPER"), x)
	case 25, 26:
		return call(pickOne(g, "BYTES_TO_LONG", "SORTABLE_TO_LONG", "REVERSE_TS_TO_LONG"), x)
	case 27:
		return call(pickOne(g, "BYTES_TO_INT", "BYTES_TO_SHORT", "BYTES_TO_BOOLEAN"), x)
	case 28:
		return call(pickOne(g, "BYTES_TO_DOUBLE", "BYTES_TO_FLOAT"), x)
	}
	return x
}

// stringOf is a text or a binary string.
func (g *generator) stringOf(s string) value.Value {
	if g.n(4) == 0 {
		return value.NewBytes([]byte(s))
	}
	return value.NewString(s)
}

// valueOf is the value of x in one of the rows.
func (g *generator) valueOf(x expr.Node) value.Value {
	env := &expr.Env{Row: pickOne(g, g.made...).values(), Params: g.params}
	v, err := x.Eval(env)
	if err != nil {
		return value.Value{}
	}
	return v.Clone()
}

// near is a constant that x equals in one of the rows, or a neighbour of it.
func (g *generator) near(x expr.Node) expr.Node {
	v := g.valueOf(x)
	switch {
	case v.IsString():
		return g.constant(g.stringOf(g.altered(v.Raw())))
	case v.Kind() == value.Int && g.n(3) == 0:
		v = value.NewInt(v.Int() + int64(g.n(3)) - 1)
	case v.Kind() == value.Uint && g.n(3) == 0:
		v = value.NewUint(v.Uint() + uint64(g.n(3)) - 1)
	}
	if !v.IsNull() && g.n(6) == 0 {
		v = value.NewString(string(v.AsBytes()))
	}
	return g.constant(v)
}

// altered is the string, sometimes in another spelling.
func (g *generator) altered(b []byte) string {
	switch g.n(8) {
	case 0:
		return strings.ToUpper(string(b))
	case 1:
		return strings.ToLower(string(b))
	case 2:
		return string(b) + pickOne(g, " ", "  ", "\x01", "!", "a")
	case 3:
		return string(bytes.TrimRight(b, " "))
	case 4:
		return string(b[:len(b)/2])
	}
	return string(b)
}

// startOf is the beginning of x in one of the rows.
func (g *generator) startOf(x expr.Node) string {
	v := g.valueOf(x)
	if !v.IsString() {
		return ""
	}
	s := g.altered(v.Raw())
	return s[:min(len(s), g.n(4))]
}
