package text

import (
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/recode"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Texts are UTF-8 whatever their character set: only their type has it, and their bytes are converted when
// they are requested
// (https://dev.mysql.com/doc/refman/5.7/en/charset-convert.html).
const (
	CharsetText  = "$CHARSET_TEXT"  // (x, set): a text from bytes in a character set, or of the characters that it has
	CharsetBytes = "$CHARSET_BYTES" // (text, set): the bytes of a text in a character set
	BitBytes     = "$BIT_BYTES"     // (number, bits): the bytes of a BIT
)

func init() {
	function.Register(map[string]*function.Function{
		CharsetText:  {Min: 2, Max: 2, Type: charsetType, Eval: evalCharsetText},
		BitBytes:     {Min: 2, Max: 2, Type: function.Maybe(value.Bytes), Eval: evalBitBytes},
		CharsetBytes: {Min: 2, Max: 2, Type: function.Maybe(value.Bytes), Eval: evalCharsetBytes},
	})
}

func charsetType(a function.Args) value.Type {
	set, _ := a.Of.Literal(1)
	return value.Type{Kind: value.Text, Nullable: true, Charset: set.String()}
}

// evalCharsetText reads bytes in the character set; of a text it keeps the characters that the set has.
func evalCharsetText(env *function.Env, args []value.Value) (value.Value, error) {
	set, b := recode.Find(args[1].String()), args[0].AsBytes()
	switch {
	case set.ASCII && IsASCII(b):
		return value.NewText(b), env.Step(len(b))
	case args[0].Kind() != value.Bytes:
		return recoded(env, b, recode.Find("utf8mb4"), func(dst []byte, r rune, broken []byte) []byte {
			if r < 0 {
				return append(dst, broken...)
			}
			return set.AppendText(dst, r)
		})
	}
	wrong := false
	v, err := recoded(env, set.Whole(b), set, func(dst []byte, r rune, broken []byte) []byte {
		wrong = wrong || r < 0
		return set.AppendText(dst, r)
	})
	if err == nil && wrong && !set.Single() {
		err = env.Warn(mysqlerr.InvalidCharacterString, "Invalid "+set.Name+" character string: "+value.Print(args[0].Short()))
	}
	return v, err
}

func evalBitBytes(_ *function.Env, args []value.Value) (value.Value, error) {
	return value.NewBytes(value.AppendBits(nil, int(args[1].Int()), args[0].AsUint())), nil
}

// evalCharsetBytes keeps invalid UTF-8 if the character set's unit is one byte.
func evalCharsetBytes(env *function.Env, args []value.Value) (value.Value, error) {
	set, b := recode.Find(args[1].String()), args[0].AsBytes()
	if set.ASCII && IsASCII(b) {
		return value.NewBytes(b), env.Step(len(b))
	}
	v, err := recoded(env, b, recode.Find("utf8mb4"), func(dst []byte, r rune, broken []byte) []byte {
		if r < 0 && set.Unit == 1 {
			return append(dst, broken...)
		}
		return set.Append(dst, r)
	})
	return forceBytes(v), err
}

// Stored is what K, Q or V stores of a text: its bytes in its character set.
func Stored(env *function.Env, v value.Value, set string) (value.Value, error) {
	if v.Kind() != value.Text || set == "" {
		return v, nil
	}
	return evalCharsetBytes(env, []value.Value{v, value.NewString(set)})
}

func forceBytes(v value.Value) value.Value {
	if v.IsNull() {
		return v
	}
	return value.NewBytes(v.Raw())
}

// recoded reads b in a character set and calls add for each character, or for invalid bytes: NULL with a
// warning if the result gets too long.
func recoded(env *function.Env, b []byte, from *recode.Set, add func(dst []byte, r rune, broken []byte) []byte) (
	value.Value, error) {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		r, size := from.Next(b)
		if out = add(out, r, b[:size]); len(out) > env.MaxPacket() {
			return env.TooLong("convert")
		}
		b = b[size:]
		if err := env.Step(size); err != nil {
			return value.Value{}, err
		}
	}
	return value.NewText(out), nil
}
