package text

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/value/arithmetic"
)

// Functions between numbers, bytes and their written forms.
func init() {
	function.Register(map[string]*function.Function{
		"HEX":         {Min: 1, Max: 1, Type: function.Maybe(value.Text), Eval: evalHex, Bytes: 1},
		"UNHEX":       {Min: 1, Max: 1, Type: function.Maybe(value.Bytes), Eval: evalUnhex},
		"CHAR":        {Min: 1, Max: -1, Type: function.Maybe(value.Bytes), Nulls: true, Eval: evalChar, Numbers: function.AllArgs},
		"CONV":        {Min: 3, Max: 3, Type: function.Maybe(value.Text), Eval: evalConv},
		"BIN":         {Min: 1, Max: 1, Type: function.Maybe(value.Text), Eval: evalBase(2)},
		"OCT":         {Min: 1, Max: 1, Type: function.Maybe(value.Text), Eval: evalBase(8)},
		"TO_BASE64":   {Min: 1, Max: 1, Type: function.Maybe(value.Text), Eval: evalToBase64, Bytes: 1},
		"FROM_BASE64": {Min: 1, Max: 1, Type: function.Maybe(value.Bytes), Eval: evalFromBase64},
		"QUOTE":       {Min: 1, Max: 1, Type: function.Nullable(function.FirstString), Nulls: true, Eval: evalQuote},
	})
}

func evalHex(env *function.Env, args []value.Value) (value.Value, error) {
	v := args[0]
	if v.IsString() || v.Kind().IsTemporal() || v.Kind() == value.JSON {
		return hexOf(env, v.AsBytes())
	}
	return value.NewText([]byte(strings.ToUpper(strconv.FormatUint(hexNumber(v), 16)))), nil
}

func hexOf(env *function.Env, b []byte) (value.Value, error) {
	if 2*len(b) > env.MaxPacket() {
		return env.TooLong("hex")
	}
	out := make([]byte, 0, 2*len(b))
	err := env.Meter().Parts(b, func(part []byte) {
		for _, c := range part {
			out = append(out, upperHex[c>>4], upperHex[c&15])
		}
	})
	return value.NewText(out), err
}

const upperHex = "0123456789ABCDEF"

// hexNumber rounds a number to 64 bits; a number out of their range is all ones.
func hexNumber(v value.Value) uint64 {
	if kind := v.Kind(); kind != value.Float && kind != value.Decimal {
		return arithmetic.Bit(arithmetic.BitOr, v, v).Uint()
	}
	switch f := math.Round(v.AsFloat()); {
	case f >= 1<<64 || f <= -(1<<63):
		return 1<<64 - 1
	case f < 0:
		return uint64(int64(f))
	default:
		return uint64(f)
	}
}

// evalUnhex reads an odd number of digits as if a 0 preceded them.
func evalUnhex(env *function.Env, args []value.Value) (value.Value, error) {
	b := args[0].AsBytes()
	odd := len(b) % 2
	out := make([]byte, odd, odd+len(b)/2)
	if odd == 1 {
		if _, err := hex.Decode(out, []byte{'0', b[0]}); err != nil {
			return value.Value{}, nil
		}
	}
	valid := true
	err := env.Meter().Parts(b[odd:], func(part []byte) {
		var wrong error
		out, wrong = hex.AppendDecode(out, part)
		valid = valid && wrong == nil
	})
	if !valid || err != nil {
		return value.Value{}, err
	}
	return value.NewBytes(out), nil
}

// evalChar returns the bytes of each integer, limited to 32 bits, without leading zeros.
func evalChar(env *function.Env, args []value.Value) (value.Value, error) {
	var out []byte
	for _, a := range args {
		if a.IsNull() {
			continue
		}
		i, err := env.Integer(a)
		if err != nil {
			return value.Value{}, err
		}
		n := uint32(i)
		if a.Kind() == value.Uint {
			n = uint32(a.Uint())
		}
		for shift := 24; shift > 0; shift -= 8 {
			if n>>shift != 0 {
				out = append(out, byte(n>>shift))
			}
		}
		out = append(out, byte(n))
	}
	return value.NewBytes(out), nil
}

func evalConv(env *function.Env, args []value.Value) (value.Value, error) {
	n, err := env.Integers(args[1:])
	if err != nil {
		return value.Value{}, err
	}
	return convertBase(args[0].AsBytes(), n[0], n[1]), nil
}

func evalBase(to int64) function.Eval {
	return func(_ *function.Env, args []value.Value) (value.Value, error) {
		return convertBase(args[0].AsBytes(), 10, to), nil
	}
}

// convertBase rewrites the number that text starts with. A negative base means signed numbers.
func convertBase(text []byte, from, to int64) value.Value {
	if function.Abs(from) < 2 || function.Abs(from) > 36 || function.Abs(to) < 2 || function.Abs(to) > 36 || len(text) == 0 {
		return value.Value{}
	}
	n := parseBase(text, uint64(function.Abs(from)), from < 0)
	if to < 0 {
		return value.NewString(strings.ToUpper(strconv.FormatInt(int64(n), int(-to))))
	}
	return value.NewString(strings.ToUpper(strconv.FormatUint(n, int(to))))
}

func parseBase(text []byte, base uint64, signed bool) uint64 {
	s := bytes.TrimLeft(text, " \t\n\v\f\r")
	negative := bytes.HasPrefix(s, []byte("-"))
	s = bytes.TrimPrefix(bytes.TrimPrefix(s, []byte("-")), []byte("+"))
	var n uint64
	for i := range len(s) {
		d := digitOf(s[i])
		if d >= base {
			break
		}
		if n > (1<<64-1-d)/base {
			return overflowed(negative, signed)
		}
		n = n*base + d
	}
	if signed && (n > 1<<63 || n == 1<<63 && !negative) {
		return overflowed(negative, signed)
	}
	if negative {
		return -n
	}
	return n
}

func overflowed(negative, signed bool) uint64 {
	switch {
	case signed && negative:
		return 1 << 63
	case signed:
		return 1<<63 - 1
	}
	return 1<<64 - 1
}

func digitOf(c byte) uint64 {
	switch {
	case c >= '0' && c <= '9':
		return uint64(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		return uint64(c|0x20-'a') + 10
	}
	return 1 << 63
}

// base64Line is the number of bytes in a line of 76 characters, the length of MySQL's lines.
const base64Line = 57

func evalToBase64(env *function.Env, args []value.Value) (value.Value, error) {
	b := args[0].AsBytes()
	size := base64.StdEncoding.EncodedLen(len(b)) + max(len(b)-1, 0)/base64Line
	if size > env.MaxPacket() {
		return env.TooLong("to_base64")
	}
	out := make([]byte, 0, size)
	for len(b) > base64Line {
		out = append(base64.StdEncoding.AppendEncode(out, b[:base64Line]), '\n')
		b = b[base64Line:]
		if err := env.Step(base64Line); err != nil {
			return value.Value{}, err
		}
	}
	return value.NewText(base64.StdEncoding.AppendEncode(out, b)), nil
}

func evalFromBase64(env *function.Env, args []value.Value) (value.Value, error) {
	b := args[0].AsBytes()
	text := make([]byte, 0, len(b))
	err := env.Meter().Parts(b, func(part []byte) {
		for _, c := range part {
			if c != ' ' && (c < '\t' || c > '\r') {
				text = append(text, c)
			}
		}
	})
	if err != nil {
		return value.Value{}, err
	}
	n, err := base64.StdEncoding.Decode(text, text)
	if err != nil {
		return value.Value{}, nil
	}
	return value.NewBytes(text[:n]), nil
}

func evalQuote(env *function.Env, args []value.Value) (value.Value, error) {
	if args[0].IsNull() {
		return value.NewString("NULL"), nil
	}
	b := args[0].AsBytes()
	out := append(make([]byte, 0, len(b)+2), '\'')
	err := env.Meter().Parts(b, func(part []byte) {
		for _, c := range part {
			if len(out) <= env.MaxPacket() {
				out = appendQuoted(out, c)
			}
		}
	})
	return function.SameKind(args[0], append(out, '\'')), err
}

func appendQuoted(out []byte, c byte) []byte {
	switch c {
	case 0:
		return append(out, '\\', '0')
	case 0x1a:
		return append(out, '\\', 'Z')
	case '\'', '\\':
		return append(out, '\\', c)
	}
	return append(out, c)
}
