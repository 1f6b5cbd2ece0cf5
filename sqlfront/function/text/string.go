package text

import (
	"bytes"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The string functions
// (https://dev.mysql.com/doc/refman/5.7/en/string-functions.html).
func init() {
	function.Register(map[string]*function.Function{
		"CONCAT":          {Min: 1, Max: -1, Type: function.Nullable(function.AllStrings), Eval: evalConcat, Joins: true},
		"CONCAT_WS":       {Min: 2, Max: -1, Type: function.Nullable(function.AllStrings), Nulls: true, Eval: evalConcatWS, Joins: true},
		"SUBSTRING":       {Min: 2, Max: 3, Type: function.Nullable(function.FirstString), Eval: evalSubstring, Numbers: function.AllArgs &^ 1},
		"LEFT":            {Min: 2, Max: 2, Type: function.Nullable(function.FirstString), Eval: evalLeft, Numbers: 2},
		"RIGHT":           {Min: 2, Max: 2, Type: function.Nullable(function.FirstString), Eval: evalRight, Numbers: 2},
		"LPAD":            {Min: 2, Max: 3, Type: function.Nullable(padType), Eval: evalLpad, Numbers: 2},
		"RPAD":            {Min: 2, Max: 3, Type: function.Nullable(padType), Eval: evalRpad, Numbers: 2},
		"REPLACE":         {Min: 3, Max: 3, Type: function.Nullable(function.AllStrings), Eval: evalReplace},
		"REPEAT":          {Min: 2, Max: 2, Type: function.Nullable(function.FirstString), Eval: evalRepeat, Numbers: 2},
		"REVERSE":         {Min: 1, Max: 1, Type: function.Nullable(function.FirstString), Eval: evalReverse},
		"SPACE":           {Min: 1, Max: 1, Type: function.Maybe(value.Text), Eval: evalSpace, Numbers: 1},
		"UPPER":           {Min: 1, Max: 1, Type: function.Nullable(function.FirstString), Eval: evalUpper},
		"LOWER":           {Min: 1, Max: 1, Type: function.Nullable(function.FirstString), Eval: evalLower},
		"INSERT":          {Min: 4, Max: 4, Type: function.Nullable(insertType), Eval: evalInsert, Numbers: 6},
		"SUBSTRING_INDEX": {Min: 3, Max: 3, Type: function.Nullable(TwoStrings), Eval: evalSubstringIndex, Numbers: 4},
		"LTRIM":           {Min: 1, Max: 1, Type: function.Nullable(function.FirstString), Eval: evalLtrim},
		"RTRIM":           {Min: 1, Max: 1, Type: function.Nullable(function.FirstString), Eval: evalRtrim},
		"TRIM":            {Min: 1, Max: 1, Type: function.Nullable(function.FirstString), Eval: evalTrimBoth},
		function.TrimBoth: {Min: 1, Max: 2, Type: function.Nullable(function.AllStrings), Eval: evalTrimBoth},

		function.TrimLeading:  {Min: 1, Max: 2, Type: function.Nullable(function.AllStrings), Eval: evalLtrim},
		function.TrimTrailing: {Min: 1, Max: 2, Type: function.Nullable(function.AllStrings), Eval: evalRtrim},
	})
	function.Alias(map[string]string{"SUBSTR": "SUBSTRING", "MID": "SUBSTRING", "UCASE": "UPPER", "LCASE": "LOWER"})
}

func padType(a function.Args) value.Type {
	if len(a.Types) == 2 {
		return value.JointString(a.Types[0])
	}
	return value.JointString(a.Types[0], a.Types[2])
}

// insertType is the type of strings inserted into the first argument.
func insertType(a function.Args) value.Type {
	t := value.JointString(a.Types[0], a.Types[len(a.Types)-1])
	t.Nullable = true
	return t
}

// TwoStrings is the type of a string made from the first two arguments.
func TwoStrings(a function.Args) value.Type { return value.JointString(a.Types[:2]...) }

func evalConcat(env *function.Env, args []value.Value) (value.Value, error) {
	var size int
	for _, a := range args {
		size += len(a.Raw())
	}
	if size > env.MaxPacket() {
		return env.TooLong("concat")
	}
	out := make([]byte, 0, size+16)
	for _, a := range args {
		out = a.AppendText(out)
	}
	return function.JointKind(out, args...), nil
}

func evalConcatWS(env *function.Env, args []value.Value) (value.Value, error) {
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
		if first = false; len(out) > env.MaxPacket() {
			return env.TooLong("concat_ws")
		}
	}
	return function.JointKind(out, args...), nil
}

func evalSubstring(env *function.Env, args []value.Value) (value.Value, error) {
	pos, err := env.Integer(args[1])
	if err != nil {
		return value.Value{}, err
	}
	length := int64(1<<63 - 1)
	if len(args) == 3 {
		if length, err = env.Integer(args[2]); err != nil {
			return value.Value{}, err
		}
	}
	c := charsOf(args[0])
	if pos < 0 {
		pos += c.Count()
	} else {
		pos--
	}
	return function.SameKind(args[0], c.slice(pos, length)), nil
}

func evalLeft(env *function.Env, args []value.Value) (value.Value, error) {
	n, err := env.Integer(args[1])
	return function.SameKind(args[0], charsOf(args[0]).slice(0, n)), err
}

func evalRight(env *function.Env, args []value.Value) (value.Value, error) {
	n, err := env.Integer(args[1])
	if err != nil || n <= 0 {
		return function.SameKind(args[0], nil), err
	}
	c := charsOf(args[0])
	return function.SameKind(args[0], c.B[c.Offset(c.Count()-n):]), nil
}

func evalLpad(env *function.Env, args []value.Value) (value.Value, error) {
	text, fill, err := pad(env, args)
	if err != nil || text == nil {
		return value.Value{}, err
	}
	return function.JointKind(append(fill, text...), args[0], padding(args)), nil
}

func evalRpad(env *function.Env, args []value.Value) (value.Value, error) {
	text, fill, err := pad(env, args)
	if err != nil || text == nil {
		return value.Value{}, err
	}
	return function.JointKind(append(text[:len(text):len(text)], fill...), args[0], padding(args)), nil
}

func padding(args []value.Value) value.Value {
	if len(args) == 3 {
		return args[2]
	}
	return value.NewString(" ")
}

// pad is the text cut to the length, and what fills it up; a nil text is NULL.
func pad(env *function.Env, args []value.Value) (text, fill []byte, err error) {
	length, err := env.Integer(args[1])
	if err != nil || length < 0 {
		return nil, nil, err
	}
	with := padding(args)
	binary := args[0].Kind() == value.Bytes || with.Kind() == value.Bytes
	c, p := Chars{args[0].AsBytes(), binary}, Chars{with.AsBytes(), binary}
	count := c.Count()
	if count >= length {
		return orEmpty(c.slice(0, length)), nil, nil
	}
	if len(p.B) == 0 {
		return nil, nil, nil
	}
	missing := length - count
	if missing > int64(env.MaxPacket()) || missing/p.Count()*int64(len(p.B)) > int64(env.MaxPacket()) {
		_, err := env.TooLong("pad")
		return nil, nil, err
	}
	rounds, rest := missing/p.Count(), missing%p.Count()
	fill = bytes.Repeat(p.B, int(rounds))
	return orEmpty(c.B), append(fill, p.slice(0, rest)...), nil
}

func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// evalReplace compares bytes: REPLACE is case-sensitive.
func evalReplace(env *function.Env, args []value.Value) (value.Value, error) {
	text, from, to := args[0].AsBytes(), args[1].AsBytes(), args[2].AsBytes()
	if len(from) == 0 {
		return function.JointKind(text, args...), nil
	}
	n, err := countOf(env, text, from)
	if err != nil {
		return value.Value{}, err
	}
	if n == 0 {
		return function.JointKind(text, args...), nil
	}
	size := len(text) + n*(len(to)-len(from))
	if size > env.MaxPacket() {
		return env.TooLong("replace")
	}
	out := make([]byte, 0, size)
	s := search{part: from, meter: env.Meter()}
	for at := 0; n > 0; n-- {
		start, end, err := s.find(text, at)
		if err != nil {
			return value.Value{}, err
		}
		out, at = append(append(out, text[at:start]...), to...), end
		if n == 1 {
			out = append(out, text[end:]...)
		}
	}
	return function.JointKind(out, args...), nil
}

// countOf is the number of times that part is in text, without overlaps.
func countOf(env *function.Env, text, part []byte) (n int, err error) {
	s := search{part: part, meter: env.Meter()}
	for at := 0; err == nil; n++ {
		var start int
		if start, at, err = s.find(text, at); start < 0 {
			break
		}
	}
	return n, err
}

func evalRepeat(env *function.Env, args []value.Value) (value.Value, error) {
	n, err := env.Integer(args[1])
	if err != nil || n <= 0 {
		return function.SameKind(args[0], nil), err
	}
	text := args[0].AsBytes()
	if len(text) > 0 && n > int64(env.MaxPacket()/len(text)) {
		return env.TooLong("repeat")
	}
	if len(text) == 0 {
		return function.SameKind(args[0], nil), nil
	}
	return function.SameKind(args[0], bytes.Repeat(text, int(n))), nil
}

func evalReverse(env *function.Env, args []value.Value) (value.Value, error) {
	c := charsOf(args[0])
	out := make([]byte, len(c.B))
	at := len(out)
	err := c.parts(env.Meter(), func(part Chars) {
		part.each(func(char []byte) {
			at -= len(char)
			copy(out[at:], char)
		})
	})
	return function.SameKind(args[0], out), err
}

func evalSpace(env *function.Env, args []value.Value) (value.Value, error) {
	n, err := env.Integer(args[0])
	if err != nil || n > int64(env.MaxPacket()) {
		if err == nil {
			return env.TooLong("space")
		}
		return value.Value{}, err
	}
	return value.NewText(bytes.Repeat([]byte{' '}, int(max(n, 0)))), nil
}

// evalUpper and evalLower do not change binary strings, which have no letters.
func evalUpper(env *function.Env, args []value.Value) (value.Value, error) {
	return mapCase(env, args[0], value.ToUpper)
}

func evalLower(env *function.Env, args []value.Value) (value.Value, error) {
	return mapCase(env, args[0], value.ToLower)
}

func mapCase(env *function.Env, v value.Value, f func(dst, b []byte) []byte) (value.Value, error) {
	if v.Kind() == value.Bytes {
		return v, nil
	}
	c := charsOf(v)
	out := make([]byte, 0, len(c.B))
	err := c.parts(env.Meter(), func(part Chars) { out = f(out, part.B) })
	return value.NewText(out), err
}

func evalInsert(env *function.Env, args []value.Value) (value.Value, error) {
	pos, err := env.Integer(args[1])
	if err != nil {
		return value.Value{}, err
	}
	length, err := env.Integer(args[2])
	if err != nil {
		return value.Value{}, err
	}
	binary := args[0].Kind() == value.Bytes || args[3].Kind() == value.Bytes
	c := Chars{args[0].AsBytes(), binary}
	count := c.Count()
	if pos < 1 || pos > count {
		return function.JointKind(c.B, args[0], args[3]), nil
	}
	if length < 0 || length > count-pos+1 {
		length = count - pos + 1
	}
	start, end := c.Offset(pos-1), c.Offset(pos-1+length)
	with := args[3].AsBytes()
	size := len(c.B) - (end - start) + len(with)
	if size > env.MaxPacket() {
		return env.TooLong("insert")
	}
	out := append(append(append(make([]byte, 0, size), c.B[:start]...), with...), c.B[end:]...)
	return function.JointKind(out, args[0], args[3]), nil
}

// evalSubstringIndex compares bytes: SUBSTRING_INDEX is case-sensitive.
func evalSubstringIndex(env *function.Env, args []value.Value) (value.Value, error) {
	text, delim := args[0].AsBytes(), args[1].AsBytes()
	n, err := env.Integer(args[2])
	if err != nil || n == 0 || len(delim) == 0 {
		return function.JointKind(nil, args[0], args[1]), err
	}
	if n < 0 {
		parts, err := countOf(env, text, delim)
		if n += int64(parts) + 1; n <= 0 || err != nil {
			return function.JointKind(text, args[0], args[1]), err
		}
		end, err := nth(env, text, delim, n)
		return function.JointKind(text[end:], args[0], args[1]), err
	}
	end, err := nth(env, text, delim, n)
	if end > 0 {
		text = text[:end-len(delim)]
	}
	return function.JointKind(text, args[0], args[1]), err
}

// nth is the end of the n-th occurrence of part in text, 0 if there are fewer.
func nth(env *function.Env, text, part []byte, n int64) (end int, err error) {
	s := search{part: part, meter: env.Meter()}
	for ; n > 0 && err == nil; n-- {
		var start int
		if start, end, err = s.find(text, end); start < 0 {
			return 0, err
		}
	}
	return end, err
}

func trimmed(args []value.Value) ([]byte, []byte) {
	if len(args) == 2 {
		return args[0].AsBytes(), args[1].AsBytes()
	}
	return args[0].AsBytes(), []byte{' '}
}

func evalLtrim(env *function.Env, args []value.Value) (value.Value, error) {
	text, what := trimmed(args)
	text, err := trimLeft(env, text, what)
	return function.JointKind(text, args...), err
}

func evalRtrim(env *function.Env, args []value.Value) (value.Value, error) {
	text, what := trimmed(args)
	text, err := trimRight(env, text, what)
	return function.JointKind(text, args...), err
}

func evalTrimBoth(env *function.Env, args []value.Value) (value.Value, error) {
	text, what := trimmed(args)
	text, err := trimLeft(env, text, what)
	if err == nil {
		text, err = trimRight(env, text, what)
	}
	return function.JointKind(text, args...), err
}

func trimLeft(env *function.Env, b, what []byte) (rest []byte, err error) {
	for len(what) > 0 && bytes.HasPrefix(b, what) && err == nil {
		b = b[len(what):]
		err = env.Step(len(what))
	}
	return b, err
}

func trimRight(env *function.Env, b, what []byte) (rest []byte, err error) {
	for len(what) > 0 && bytes.HasSuffix(b, what) && err == nil {
		b = b[:len(b)-len(what)]
		err = env.Step(len(what))
	}
	return b, err
}
