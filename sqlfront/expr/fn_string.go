package expr

import (
	"bytes"
	"fmt"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// maxPacket bounds what string functions make, as max_allowed_packet does.
const maxPacket = 64 << 20

// The string functions
// (https://dev.mysql.com/doc/refman/5.7/en/string-functions.html).
func init() {
	register(map[string]*function{
		"CONCAT":          {min: 1, max: -1, typ: nullable(allStrings), eval: evalConcat},
		"CONCAT_WS":       {min: 2, max: -1, typ: nullable(allStrings), nulls: true, eval: evalConcatWS},
		"SUBSTRING":       {min: 2, max: 3, typ: nullable(firstString), eval: evalSubstring, numbers: allArgs &^ 1},
		"LEFT":            {min: 2, max: 2, typ: nullable(firstString), eval: evalLeft, numbers: 2},
		"RIGHT":           {min: 2, max: 2, typ: nullable(firstString), eval: evalRight, numbers: 2},
		"LPAD":            {min: 2, max: 3, typ: nullable(padType), eval: evalLpad, numbers: 2},
		"RPAD":            {min: 2, max: 3, typ: nullable(padType), eval: evalRpad, numbers: 2},
		"REPLACE":         {min: 3, max: 3, typ: nullable(allStrings), eval: evalReplace},
		"REPEAT":          {min: 2, max: 2, typ: nullable(firstString), eval: evalRepeat, numbers: 2},
		"REVERSE":         {min: 1, max: 1, typ: nullable(firstString), eval: evalReverse},
		"SPACE":           {min: 1, max: 1, typ: maybe(value.Text), eval: evalSpace, numbers: 1},
		"UPPER":           {min: 1, max: 1, typ: nullable(firstString), eval: evalUpper},
		"LOWER":           {min: 1, max: 1, typ: nullable(firstString), eval: evalLower},
		"INSERT":          {min: 4, max: 4, typ: nullable(insertType), eval: evalInsert, numbers: 6},
		"SUBSTRING_INDEX": {min: 3, max: 3, typ: nullable(twoStrings), eval: evalSubstringIndex, numbers: 4},
		"LTRIM":           {min: 1, max: 1, typ: nullable(firstString), eval: evalLtrim},
		"RTRIM":           {min: 1, max: 1, typ: nullable(firstString), eval: evalRtrim},
		"TRIM":            {min: 1, max: 1, typ: nullable(firstString), eval: evalTrimBoth},
		trimBoth:          {min: 1, max: 2, typ: nullable(allStrings), eval: evalTrimBoth},

		trimLeading:  {min: 1, max: 2, typ: nullable(allStrings), eval: evalLtrim},
		trimTrailing: {min: 1, max: 2, typ: nullable(allStrings), eval: evalRtrim},
	})
	alias(map[string]string{"SUBSTR": "SUBSTRING", "MID": "SUBSTRING", "UCASE": "UPPER", "LCASE": "LOWER"})
}

func padType(args []Node) value.Type {
	if len(args) == 2 {
		return stringOf(args[0])
	}
	return stringOf(args[0], args[2])
}

// insertType is the type of strings put into the first argument.
func insertType(args []Node) value.Type {
	t := stringOf(args[0], args[len(args)-1])
	t.Nullable = true
	return t
}

func twoStrings(args []Node) value.Type { return stringOf(args[0], args[1]) }

func evalConcat(env *Env, args []value.Value) (value.Value, error) {
	var size int
	for _, a := range args {
		size += len(a.Raw())
	}
	if size > maxPacket {
		return env.tooLong("concat")
	}
	out := make([]byte, 0, size+16)
	for _, a := range args {
		out = a.AppendText(out)
	}
	return jointKind(out, args...), nil
}

// tooLong is NULL with the warning about max_allowed_packet.
func (env *Env) tooLong(function string) (value.Value, error) {
	return value.Value{}, env.warn(mysqlerr.AllowedPacketOverflowed,
		fmt.Sprintf("Result of %s() was larger than max_allowed_packet (%d) - truncated", function, maxPacket))
}

func evalConcatWS(env *Env, args []value.Value) (value.Value, error) {
	if args[0].IsNull() {
		return value.Value{}, nil
	}
	var out []byte
	first := true
	for _, a := range args[1:] {
		if a.IsNull() {
			continue
		}
		if !first {
			out = args[0].AppendText(out)
		}
		out = a.AppendText(out)
		if first = false; len(out) > maxPacket {
			return env.tooLong("concat_ws")
		}
	}
	return jointKind(out, args...), nil
}

func evalSubstring(env *Env, args []value.Value) (value.Value, error) {
	pos, err := env.integer(args[1])
	if err != nil {
		return value.Value{}, err
	}
	length := int64(1<<63 - 1)
	if len(args) == 3 {
		if length, err = env.integer(args[2]); err != nil {
			return value.Value{}, err
		}
	}
	c := charsOf(args[0])
	if pos < 0 {
		pos += c.count()
	} else {
		pos--
	}
	return sameKind(args[0], c.slice(pos, length)), nil
}

func evalLeft(env *Env, args []value.Value) (value.Value, error) {
	n, err := env.integer(args[1])
	return sameKind(args[0], charsOf(args[0]).slice(0, n)), err
}

func evalRight(env *Env, args []value.Value) (value.Value, error) {
	n, err := env.integer(args[1])
	if err != nil || n <= 0 {
		return sameKind(args[0], nil), err
	}
	c := charsOf(args[0])
	return sameKind(args[0], c.b[c.offset(c.count()-n):]), nil
}

func evalLpad(env *Env, args []value.Value) (value.Value, error) {
	text, fill, err := env.pad(args)
	if err != nil || text == nil {
		return value.Value{}, err
	}
	return jointKind(append(fill, text...), args[0], padding(args)), nil
}

func evalRpad(env *Env, args []value.Value) (value.Value, error) {
	text, fill, err := env.pad(args)
	if err != nil || text == nil {
		return value.Value{}, err
	}
	return jointKind(append(text[:len(text):len(text)], fill...), args[0], padding(args)), nil
}

func padding(args []value.Value) value.Value {
	if len(args) == 3 {
		return args[2]
	}
	return value.NewString(" ")
}

// pad is the text cut to the length and what fills it up; a nil text is NULL.
func (env *Env) pad(args []value.Value) (text, fill []byte, err error) {
	length, err := env.integer(args[1])
	if err != nil || length < 0 {
		return nil, nil, err
	}
	with := padding(args)
	binary := args[0].Kind() == value.Bytes || with.Kind() == value.Bytes
	c, p := chars{args[0].AsBytes(), binary}, chars{with.AsBytes(), binary}
	count := c.count()
	if count >= length {
		return orEmpty(c.slice(0, length)), nil, nil
	}
	if len(p.b) == 0 {
		return nil, nil, nil
	}
	missing := length - count
	if missing > maxPacket {
		_, err := env.tooLong("pad")
		return nil, nil, err
	}
	rounds, rest := missing/p.count(), missing%p.count()
	fill = bytes.Repeat(p.b, int(rounds))
	return orEmpty(c.b), append(fill, p.slice(0, rest)...), nil
}

func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// evalReplace compares bytes: REPLACE minds case.
func evalReplace(env *Env, args []value.Value) (value.Value, error) {
	text, from, to := args[0].AsBytes(), args[1].AsBytes(), args[2].AsBytes()
	if len(from) == 0 {
		return jointKind(text, args...), nil
	}
	if n := bytes.Count(text, from); len(text)+n*(len(to)-len(from)) > maxPacket {
		return env.tooLong("replace")
	}
	return jointKind(bytes.ReplaceAll(text, from, to), args...), nil
}

func evalRepeat(env *Env, args []value.Value) (value.Value, error) {
	n, err := env.integer(args[1])
	if err != nil || n <= 0 {
		return sameKind(args[0], nil), err
	}
	text := args[0].AsBytes()
	if len(text) > 0 && n > int64(maxPacket/len(text)) {
		return env.tooLong("repeat")
	}
	if len(text) == 0 {
		return sameKind(args[0], nil), nil
	}
	return sameKind(args[0], bytes.Repeat(text, int(n))), nil
}

func evalReverse(_ *Env, args []value.Value) (value.Value, error) {
	c := charsOf(args[0])
	out := make([]byte, len(c.b))
	at := len(out)
	c.each(func(char []byte) {
		at -= len(char)
		copy(out[at:], char)
	})
	return sameKind(args[0], out), nil
}

func evalSpace(env *Env, args []value.Value) (value.Value, error) {
	n, err := env.integer(args[0])
	if err != nil || n > maxPacket {
		if err == nil {
			return env.tooLong("space")
		}
		return value.Value{}, err
	}
	return value.NewText(bytes.Repeat([]byte{' '}, int(max(n, 0)))), nil
}

// evalUpper and evalLower leave binary strings alone, which have no letters.
func evalUpper(_ *Env, args []value.Value) (value.Value, error) {
	return mapCase(args[0], value.ToUpper), nil
}

func evalLower(_ *Env, args []value.Value) (value.Value, error) {
	return mapCase(args[0], value.ToLower), nil
}

func mapCase(v value.Value, f func(dst, b []byte) []byte) value.Value {
	if v.Kind() == value.Bytes {
		return v
	}
	b := v.AsBytes()
	return value.NewText(f(make([]byte, 0, len(b)), b))
}

func evalInsert(env *Env, args []value.Value) (value.Value, error) {
	pos, err := env.integer(args[1])
	if err != nil {
		return value.Value{}, err
	}
	length, err := env.integer(args[2])
	if err != nil {
		return value.Value{}, err
	}
	binary := args[0].Kind() == value.Bytes || args[3].Kind() == value.Bytes
	c := chars{args[0].AsBytes(), binary}
	count := c.count()
	if pos < 1 || pos > count {
		return jointKind(c.b, args[0], args[3]), nil
	}
	if length < 0 || length > count-pos+1 {
		length = count - pos + 1
	}
	start, end := c.offset(pos-1), c.offset(pos-1+length)
	out := append(append(bytes.Clone(c.b[:start]), args[3].AsBytes()...), c.b[end:]...)
	return jointKind(out, args[0], args[3]), nil
}

// evalSubstringIndex compares bytes: SUBSTRING_INDEX minds case.
func evalSubstringIndex(env *Env, args []value.Value) (value.Value, error) {
	text, delim := args[0].AsBytes(), args[1].AsBytes()
	n, err := env.integer(args[2])
	if err != nil || n == 0 || len(delim) == 0 {
		return jointKind(nil, args[0], args[1]), err
	}
	parts := bytes.Split(text, delim)
	switch {
	case n > 0 && n < int64(len(parts)):
		parts = parts[:n]
	case n < 0 && -n < int64(len(parts)) && n != -n:
		parts = parts[int64(len(parts))+n:]
	}
	return jointKind(bytes.Join(parts, delim), args[0], args[1]), nil
}

func trimmed(args []value.Value) ([]byte, []byte) {
	if len(args) == 2 {
		return args[0].AsBytes(), args[1].AsBytes()
	}
	return args[0].AsBytes(), []byte{' '}
}

func evalLtrim(_ *Env, args []value.Value) (value.Value, error) {
	text, what := trimmed(args)
	return jointKind(trimLeft(text, what), args...), nil
}

func evalRtrim(_ *Env, args []value.Value) (value.Value, error) {
	text, what := trimmed(args)
	return jointKind(trimRight(text, what), args...), nil
}

func evalTrimBoth(_ *Env, args []value.Value) (value.Value, error) {
	text, what := trimmed(args)
	return jointKind(trimRight(trimLeft(text, what), what), args...), nil
}

func trimLeft(b, what []byte) []byte {
	for len(what) > 0 && bytes.HasPrefix(b, what) {
		b = b[len(what):]
	}
	return b
}

func trimRight(b, what []byte) []byte {
	for len(what) > 0 && bytes.HasSuffix(b, what) {
		b = b[:len(b)-len(what)]
	}
	return b
}
