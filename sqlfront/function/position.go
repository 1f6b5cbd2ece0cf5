package function

import (
	"bytes"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Functions that measure strings and find strings in strings.
func init() {
	register(map[string]*Function{
		"LENGTH":      {Min: 1, Max: 1, Type: small, Eval: evalLength, Bytes: 1},
		"CHAR_LENGTH": {Min: 1, Max: 1, Type: small, Eval: evalCharLength},
		"BIT_LENGTH":  {Min: 1, Max: 1, Type: fixed(value.Int), Eval: evalBitLength, Bytes: 1},
		"INSTR":       {Min: 2, Max: 2, Type: small, Eval: evalInstr},
		"LOCATE":      {Min: 2, Max: 3, Type: small, Eval: evalLocate, Numbers: 4},
		"ASCII":       {Min: 1, Max: 1, Type: small, Eval: evalASCII, Bytes: 1},
		"ORD":         {Min: 1, Max: 1, Type: small, Eval: evalOrd, Bytes: 1},
		"STRCMP":      {Min: 2, Max: 2, Type: small, Eval: evalStrcmp},
		"FIELD":       {Min: 2, Max: -1, Type: smallNotNull, Nulls: true, Eval: evalField, Comparing: true},
		"ELT":         {Min: 2, Max: -1, Type: eltType, Nulls: true, Eval: evalElt, Numbers: 1},
		"FIND_IN_SET": {Min: 2, Max: 2, Type: small, Eval: evalFindInSet},
	})
	alias(map[string]string{"OCTET_LENGTH": "LENGTH", "CHARACTER_LENGTH": "CHAR_LENGTH", "POSITION": "LOCATE"})
}

func evalLength(_ *Env, args []value.Value) (value.Value, error) {
	return value.NewInt(int64(len(args[0].AsBytes()))), nil
}

func evalCharLength(_ *Env, args []value.Value) (value.Value, error) {
	return value.NewInt(charsOf(args[0]).count()), nil
}

func evalBitLength(_ *Env, args []value.Value) (value.Value, error) {
	return value.NewInt(8 * int64(len(args[0].AsBytes()))), nil
}

func evalInstr(env *Env, args []value.Value) (value.Value, error) {
	return env.locate(args[1], args[0], 0)
}

func evalLocate(env *Env, args []value.Value) (value.Value, error) {
	if len(args) == 2 {
		return env.locate(args[0], args[1], 0)
	}
	pos, err := env.Integer(args[2])
	if err != nil || pos < 1 || pos > charsOf(args[1]).count() {
		return value.NewInt(0), err
	}
	return env.locate(args[0], args[1], pos-1)
}

// locate is the position in characters, from 1, of part in text at or behind
// the character from, or 0.
func (env *Env) locate(part, text value.Value, from int64) (value.Value, error) {
	c := chars{text.AsBytes(), text.Kind() == value.Bytes || part.Kind() == value.Bytes}
	at, err := env.place(part, text, c.offset(from))
	if at < 0 || err != nil {
		return value.NewInt(0), err
	}
	return value.NewInt(chars{c.b[:at], c.binary}.count() + 1), nil
}

// place is the byte of text at or behind one where part is, or -1.
func (env *Env) place(part, text value.Value, from int) (at int, err error) {
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

func evalASCII(_ *Env, args []value.Value) (value.Value, error) {
	b := args[0].AsBytes()
	if len(b) == 0 {
		return value.NewInt(0), nil
	}
	return value.NewInt(int64(b[0])), nil
}

// evalOrd is the bytes of the first character as one big-endian number.
func evalOrd(_ *Env, args []value.Value) (value.Value, error) {
	c := charsOf(args[0])
	if len(c.b) == 0 {
		return value.NewInt(0), nil
	}
	size := 1
	if !c.binary {
		_, size = utf8.DecodeRune(c.b)
	}
	code := int64(0)
	for _, b := range c.b[:size] {
		code = code<<8 | int64(b)
	}
	return value.NewInt(code), nil
}

func evalStrcmp(env *Env, args []value.Value) (value.Value, error) {
	order, _, err := env.Order(asString(args[0]), asString(args[1]))
	return value.NewInt(int64(order)), err
}

// asString is v as a string: itself, or the text of a number or date.
func asString(v value.Value) value.Value {
	if v.IsString() || v.IsNull() {
		return v
	}
	return value.NewText(v.AsBytes())
}

// evalField compares in the one class that all arguments give.
func evalField(env *Env, args []value.Value) (value.Value, error) {
	if args[0].IsNull() {
		return value.NewInt(0), nil
	}
	class := value.Null
	for _, a := range args {
		class = functionClass(class, a.Kind())
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

// sameBits: FIELD takes integers for signed, as MySQL does.
func sameBits(a, b value.Value) bool {
	return isInteger(a) && isInteger(b) && a.AsUint() == b.AsUint()
}

func isInteger(v value.Value) bool { return v.Kind() == value.Int || v.Kind() == value.Uint }

// functionClass is the class of FIELD, GREATEST and LEAST, which compare
// numbers and strings as doubles.
func functionClass(a, b value.Kind) value.Kind {
	if a.IsNumber() && b.IsString() || a.IsString() && b.IsNumber() {
		return value.Float
	}
	return value.ClassOf(a, b)
}

func eltType(a Args) value.Type {
	t := value.JointString(a.Types[1:]...)
	t.Nullable = true
	return t
}

func evalElt(env *Env, args []value.Value) (value.Value, error) {
	if args[0].IsNull() {
		return value.Value{}, nil
	}
	n, err := env.Integer(args[0])
	if err != nil || n < 1 || n >= int64(len(args)) || args[n].IsNull() {
		return value.Value{}, err
	}
	return jointKind(args[n].AsBytes(), args[1:]...), nil
}

func evalFindInSet(env *Env, args []value.Value) (value.Value, error) {
	part, set := args[0].AsBytes(), args[1].AsBytes()
	equal := env.equalItem(part, args)
	if len(set) == 0 || len(part) > len(set) { // as in MySQL, also where an item has its weights
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

// equalItem compares a part with the items of a set, with the spaces at their ends.
func (env *Env) equalItem(part []byte, args []value.Value) func(item []byte) bool {
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
