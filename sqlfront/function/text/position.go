package text

import (
	"bytes"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Functions that measure strings and find strings in strings.
func init() {
	function.Register(map[string]*function.Function{
		"LENGTH":      {Min: 1, Max: 1, Type: function.Small, Eval: evalLength, Bytes: 1},
		"CHAR_LENGTH": {Min: 1, Max: 1, Type: function.Small, Eval: evalCharLength},
		"BIT_LENGTH":  {Min: 1, Max: 1, Type: function.Fixed(value.Int), Eval: evalBitLength, Bytes: 1},
		"INSTR":       {Min: 2, Max: 2, Type: function.Small, Eval: evalInstr},
		"LOCATE":      {Min: 2, Max: 3, Type: function.Small, Eval: evalLocate, Numbers: 4},
		"ASCII":       {Min: 1, Max: 1, Type: function.Small, Eval: evalASCII, Bytes: 1},
		"ORD":         {Min: 1, Max: 1, Type: function.Small, Eval: evalOrd, Bytes: 1},
		"STRCMP":      {Min: 2, Max: 2, Type: function.Small, Eval: evalStrcmp},
		"FIELD":       {Min: 2, Max: -1, Type: function.SmallNotNull, Nulls: true, Eval: evalField, Comparing: true},
		"ELT":         {Min: 2, Max: -1, Type: eltType, Nulls: true, Eval: evalElt, Numbers: 1},
		"FIND_IN_SET": {Min: 2, Max: 2, Type: function.Small, Eval: evalFindInSet},
	})
	function.Alias(map[string]string{"OCTET_LENGTH": "LENGTH", "CHARACTER_LENGTH": "CHAR_LENGTH", "POSITION": "LOCATE"})
}

func evalLength(_ *function.Env, args []value.Value) (value.Value, error) {
	return value.NewInt(int64(len(args[0].AsBytes()))), nil
}

func evalCharLength(_ *function.Env, args []value.Value) (value.Value, error) {
	return value.NewInt(charsOf(args[0]).Count()), nil
}

func evalBitLength(_ *function.Env, args []value.Value) (value.Value, error) {
	return value.NewInt(8 * int64(len(args[0].AsBytes()))), nil
}

func evalInstr(env *function.Env, args []value.Value) (value.Value, error) {
	return locate(env, args[1], args[0], 0)
}

func evalLocate(env *function.Env, args []value.Value) (value.Value, error) {
	if len(args) == 2 {
		return locate(env, args[0], args[1], 0)
	}
	pos, err := env.Integer(args[2])
	if err != nil || pos < 1 || pos > charsOf(args[1]).Count() {
		return value.NewInt(0), err
	}
	return locate(env, args[0], args[1], pos-1)
}

// locate is the position in characters, from 1, of part in text at or after the character from, or 0.
func locate(env *function.Env, part, text value.Value, from int64) (value.Value, error) {
	c := Chars{text.AsBytes(), text.Kind() == value.Bytes || part.Kind() == value.Bytes}
	at, err := placeOf(env, part, text, c.Offset(from))
	if at < 0 || err != nil {
		return value.NewInt(0), err
	}
	return value.NewInt(Chars{c.B[:at], c.Binary}.Count() + 1), nil
}

// placeOf is the position in bytes of part in text at or after from, or -1.
func placeOf(env *function.Env, part, text value.Value, from int) (at int, err error) {
	s := search{part: part.AsBytes(), sameSize: true, meter: env.Meter()}
	if !binaryPair(part, text) {
		by := value.JointCollation(part, text)
		if !by.OneByOne() {
			return s.findWeighed(by, text.AsBytes(), from)
		}
		s.next = by.Characters()
	}
	at, _, err = s.find(text.AsBytes(), from)
	return at, err
}

func evalASCII(_ *function.Env, args []value.Value) (value.Value, error) {
	b := args[0].AsBytes()
	if len(b) == 0 {
		return value.NewInt(0), nil
	}
	return value.NewInt(int64(b[0])), nil
}

// evalOrd is the bytes of the first character as one big-endian number.
func evalOrd(_ *function.Env, args []value.Value) (value.Value, error) {
	c := charsOf(args[0])
	if len(c.B) == 0 {
		return value.NewInt(0), nil
	}
	size := 1
	if !c.Binary {
		_, size = utf8.DecodeRune(c.B)
	}
	code := int64(0)
	for _, b := range c.B[:size] {
		code = code<<8 | int64(b)
	}
	return value.NewInt(code), nil
}

func evalStrcmp(env *function.Env, args []value.Value) (value.Value, error) {
	order, _, err := env.Order(function.AsString(args[0]), function.AsString(args[1]))
	return value.NewInt(int64(order)), err
}

// evalField compares in the single class of all arguments.
func evalField(env *function.Env, args []value.Value) (value.Value, error) {
	if args[0].IsNull() {
		return value.NewInt(0), nil
	}
	class := value.Null
	for _, a := range args {
		class = function.FunctionClass(class, a.Kind())
	}
	for i, a := range args[1:] {
		if sameBits(args[0], a) && (class == value.Int || class == value.Uint) {
			return value.NewInt(int64(i) + 1), nil
		}
		if a.IsNull() {
			continue
		}
		order, err := env.OrderAs(class, args[0], a)
		if err != nil || order == 0 {
			return value.NewInt(int64(i) + 1), err
		}
	}
	return value.NewInt(0), nil
}

// sameBits: FIELD treats integers as signed, as MySQL does.
func sameBits(a, b value.Value) bool {
	return isInteger(a) && isInteger(b) && a.AsUint() == b.AsUint()
}

func isInteger(v value.Value) bool { return v.Kind() == value.Int || v.Kind() == value.Uint }

func eltType(a function.Args) value.Type {
	t := value.JointString(a.Types[1:]...)
	t.Nullable = true
	return t
}

func evalElt(env *function.Env, args []value.Value) (value.Value, error) {
	if args[0].IsNull() {
		return value.Value{}, nil
	}
	n, err := env.Integer(args[0])
	if err != nil || n < 1 || n >= int64(len(args)) || args[n].IsNull() {
		return value.Value{}, err
	}
	return function.JointKind(args[n].AsBytes(), args[1:]...), nil
}

func evalFindInSet(env *function.Env, args []value.Value) (value.Value, error) {
	part, set := args[0].AsBytes(), args[1].AsBytes()
	equal := equalItem(env, part, args)
	if len(set) == 0 || len(part) > len(set) { // as in MySQL, even if an item has the same weights
		return value.NewInt(0), nil
	}
	for i := int64(1); ; i++ {
		item, rest, more := bytes.Cut(set, comma)
		if equal(item) {
			return value.NewInt(i), nil
		}
		if err := env.Step(len(item) + 1); !more || err != nil {
			return value.NewInt(0), err
		}
		set = rest
	}
}

// equalItem compares a part with the items of a set, including trailing spaces.
func equalItem(env *function.Env, part []byte, args []value.Value) func(item []byte) bool {
	by := value.JointCollation(args[0], args[1])
	what := search{part: part, meter: env.Meter()}
	switch {
	case binaryPair(args[0], args[1]):
		what.next = nextByte
	case by.OneByOne():
		what.next = by.Characters()
	default:
		return func(item []byte) bool { return by.EqualUnpadded(item, part) }
	}
	return func(item []byte) bool {
		end, _, ok := what.compareAt(item, 0)
		return ok && end == len(item)
	}
}

var comma = []byte{','}
