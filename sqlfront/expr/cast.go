package expr

import (
	"fmt"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// CastTo is the target of a Cast.
type CastTo uint8

// The targets of CAST and CONVERT.
const (
	ToSigned CastTo = iota
	ToUnsigned
	ToChar
	ToBinary
	ToDecimal
	ToDouble
	ToFloat
	ToDate
	ToTime
	ToDateTime
	ToYear
	ToJSON
)

var castNames = [...]string{"signed", "unsigned", "char", "binary", "decimal", "double", "float", "date", "time", "datetime", "year", "json"}

// Cast is CAST(X AS To), CONVERT(X, To), CONVERT(X USING utf8mb4) and BINARY X.
type Cast struct {
	X      Node
	To     CastTo
	Length int // characters of ToChar and ToBinary, digits of ToDecimal, fractional digits of times; -1: not given
	Scale  int // for ToDecimal
}

// Eval converts; NULL stays NULL.
func (c *Cast) Eval(env *Env) (value.Value, error) {
	mark := env.Held.Mark()
	v, err := c.X.Eval(env)
	if err != nil {
		return v, err
	}
	if v, err = c.of(env, v); err != nil {
		return v, err
	}
	return v, env.made(v, mark)
}

func (c *Cast) of(env *Env, v value.Value) (value.Value, error) {
	if v.IsNull() {
		return v, nil
	}
	switch c.To {
	case ToSigned:
		return castSigned(env, v)
	case ToUnsigned:
		return castUnsigned(env, v)
	case ToChar, ToBinary:
		return c.castString(env, v)
	case ToDecimal:
		return c.castDecimal(env, v)
	case ToDouble, ToFloat:
		f, err := env.Float(v)
		if c.To == ToFloat {
			f = float64(float32(f))
		}
		return value.NewFloat(f), err
	case ToJSON:
		return castJSON(env, v, c.X.Type().Bool)
	}
	return c.castTemporal(env, v)
}

func castSigned(env *Env, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Int:
		return v, nil
	case value.Uint:
		return value.NewInt(int64(v.Uint())), nil
	case value.Text, value.Bytes:
		u, _, whole := value.ParseInteger(v.Raw())
		if whole {
			return value.NewInt(int64(u)), nil
		}
		return value.NewInt(int64(u)), env.Truncated("INTEGER", v)
	}
	i, fits := v.ToInt()
	if fits {
		return value.NewInt(i), nil
	}
	return value.NewInt(i), env.Truncated("INTEGER", value.NewText(v.AsBytes()))
}

func castUnsigned(env *Env, v value.Value) (value.Value, error) {
	if v.IsString() {
		u, _, whole := value.ParseInteger(v.Raw())
		if whole {
			return value.NewUint(u), nil
		}
		return value.NewUint(u), env.Truncated("INTEGER", v)
	}
	if truth, _ := value.Compare(v, value.NewInt(0)); truth < 0 && v.Kind() != value.Int {
		return value.NewUint(0), env.Truncated("UNSIGNED INTEGER", value.NewText(v.AsBytes()))
	}
	return value.NewUint(v.AsUint()), nil
}

func (c *Cast) castString(env *Env, v value.Value) (value.Value, error) {
	b := v.AsBytes()
	if c.To == ToBinary {
		if c.Length > len(b) && c.Length > env.MaxPacket() {
			return env.TooLong("cast_as_binary")
		}
		if c.Length >= 0 && len(b) != c.Length {
			b = resizeBytes(b, c.Length)
		}
		return value.NewBytes(b), env.Made(len(b), env.Held.Mark())
	}
	if v.Kind() == value.Bytes && !utf8.Valid(b) {
		message := "Invalid utf8mb4 character string: " + value.Print(v.Short())
		if err := env.Warn(mysqlerr.InvalidCharacterString, message); err != nil {
			return v, err
		}
		var err error
		if b, err = env.replaceInvalid(b); err != nil {
			return v, err
		}
	}
	if c.Length >= 0 {
		cut := prefixChars(b, c.Length)
		if len(cut) < len(b) {
			return value.NewText(cut), env.Truncated(fmt.Sprintf("CHAR(%d)", c.Length), value.NewText(b))
		}
	}
	return value.NewText(b), nil
}

// replaceInvalid replaces each byte of invalid UTF-8 by a question mark.
func (env *Env) replaceInvalid(b []byte) ([]byte, error) {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		r, size := value.NextRune(b)
		if r < 0 {
			out = append(out, '?')
		} else {
			out = append(out, b[:size]...)
		}
		b = b[size:]
		if err := env.Step(size); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// resizeBytes cuts b or pads it with zero bytes.
func resizeBytes(b []byte, n int) []byte {
	if len(b) > n {
		return b[:n]
	}
	out := make([]byte, n)
	copy(out, b)
	return out
}

// prefixChars is the first n characters of b.
func prefixChars(b []byte, n int) []byte {
	at := 0
	for ; n > 0 && at < len(b); n-- {
		_, size := value.NextRune(b[at:])
		at += size
	}
	return b[:at]
}

func (c *Cast) castDecimal(env *Env, v value.Value) (value.Value, error) {
	d, err := env.Exact(v)
	if err != nil {
		return v, err
	}
	digits := c.Length
	if digits <= 0 {
		digits = 10
	}
	if d = d.Round(int32(c.Scale)); d.NumDigits() > digits {
		limit := decimal.New(1, int32(digits-c.Scale))
		top := limit.Sub(decimal.New(1, int32(-c.Scale)))
		if d.Decimal().Sign() < 0 {
			top = top.Neg()
		}
		return value.NewDecimalScale(top, c.Scale), env.Warn(mysqlerr.WarnDataOutOfRange, "Out of range value for column '"+Print(c)+"' at row 1")
	}
	return d, nil
}

// Type is the target's.
func (c *Cast) Type() value.Type {
	of := c.X.Type()
	t := value.Type{Nullable: of.Nullable}
	switch c.To {
	case ToSigned, ToYear:
		t.Kind = value.Int
	case ToUnsigned:
		t.Kind = value.Uint
	case ToChar:
		t.Kind, t.Nullable, t.Length, t.Derivation = value.Text, true, c.stringLength(of), value.Implicit
	case ToBinary:
		t.Kind, t.Nullable, t.Length = value.Bytes, true, c.stringLength(of)
	case ToDecimal:
		t.Kind, t.Decimals, t.Length = value.Decimal, c.Scale, c.decimalLength()
	case ToDouble:
		t.Kind, t.Nullable = value.Float, true
	case ToFloat:
		t.Kind, t.Name = value.Float, "FLOAT"
	case ToJSON:
		t.Kind, t.Nullable = value.JSON, true
	default:
		t.Kind = map[CastTo]value.Kind{ToDate: value.Date, ToTime: value.Time, ToDateTime: value.DateTime}[c.To]
		t.Nullable, t.Decimals = true, max(c.Length, 0)
	}
	return t
}

// stringLength is the given length, or that of a string that is cast; 0 is unknown.
func (c *Cast) stringLength(of value.Type) int {
	if c.Length < 0 && of.Kind.IsString() {
		return of.Length
	}
	return max(c.Length, 0)
}

// decimalLength counts the digits, the sign and the point.
func (c *Cast) decimalLength() int {
	const digits = 10 // if none are given
	n := 1 + digits
	if c.Length > 0 {
		n = 1 + c.Length
	}
	if c.Scale > 0 {
		n++
	}
	return n
}

func (c *Cast) AppendTo(dst []byte) []byte {
	return append(c.appendType(append(c.X.AppendTo(append(dst, "cast("...)), " as "...)), ')')
}

func (c *Cast) appendType(dst []byte) []byte {
	to := castNames[c.To]
	switch {
	case c.To == ToDecimal && c.Length > 0:
		to += fmt.Sprintf("(%d,%d)", c.Length, c.Scale)
	case c.Length >= 0 && c.To != ToDecimal:
		to += fmt.Sprintf("(%d)", c.Length)
	}
	return append(dst, to...)
}

func (c *Cast) Children() []Node   { return []Node{c.X} }
func (c *Cast) With(n []Node) Node { return &Cast{n[0], c.To, c.Length, c.Scale} }
