package text

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// WEIGHT_STRING has a syntax of its own for all arguments except the first: the length of AS CHAR or of AS
// BINARY, 0 for none, and the flags of LEVEL
// (https://dev.mysql.com/doc/refman/5.7/en/string-functions.html#function_weight-string).
func init() {
	function.Register(map[string]*function.Function{
		"WEIGHT_STRING": {Min: 1, Max: 4, Type: function.Maybe(value.Bytes), Nulls: true, Eval: evalWeightString, Check: checkWeights},
	})
}

// The flags for the first level in LEVEL, which is the only one: bits of the last argument.
const (
	WeightsDescend  = 1 << iota // DESC
	WeightsReversed             // REVERSE
)

// checkWeights refuses texts in character sets whose weights are unknown here.
func checkWeights(a function.Args) error {
	switch set := a.Types[0].Charset; set {
	case "", "utf8":
		return nil
	default:
		return mysqlerr.Unsupported("WEIGHT_STRING of a text of " + set)
	}
}

// evalWeightString is NULL for a number, unless its bytes are used.
func evalWeightString(env *function.Env, args []value.Value) (value.Value, error) {
	var options [3]int
	for i := range args[1:] {
		options[i] = int(args[i+1].Int())
	}
	characters, length, level := options[0], options[1], options[2]
	if max(characters, length) > env.MaxPacket() {
		return env.TooLong("weight_string")
	}
	v := withWeights(args[0], length > 0)
	switch {
	case v.IsNull():
		return v, nil
	case length > 0:
		v = value.NewBytes(resized(v.Raw(), length))
	case characters > 0:
		v = inCharacters(v, characters)
	}
	out, fits, err := weights(env, v)
	switch {
	case err != nil:
		return value.Value{}, err
	case !fits:
		return env.TooLong("weight_string")
	}
	return value.NewBytes(atLevel(out, level)), nil
}

// withWeights is a value as a string; a value without weights becomes its bytes.
func withWeights(v value.Value, asBytes bool) value.Value {
	switch kind := v.Kind(); {
	case v.IsString():
		return v
	case kind == value.JSON:
		return value.NewText(v.Raw()).WithBinaryCollation()
	case kind.IsTemporal() || asBytes && !v.IsNull():
		return value.NewBytes(v.AsBytes())
	}
	return value.Value{}
}

// inCharacters is a string cut or padded with spaces, or zero bytes, to n characters.
func inCharacters(v value.Value, n int) value.Value {
	if v.Kind() == value.Bytes {
		return value.NewBytes(resized(v.Raw(), n))
	}
	c := charsOf(v)
	b := c.slice(0, int64(n))
	if missing := int64(n) - c.Count(); missing > 0 && v.Collation().PadsSpaces() {
		b = append(slices.Clone(b), bytes.Repeat([]byte{' '}, int(missing))...)
	}
	return value.NewText(b).WithCollation(v.Collation())
}

// resized is b cut or padded with zero bytes.
func resized(b []byte, length int) []byte {
	out := make([]byte, length)
	copy(out, b)
	return out
}

// weights are the bytes by which a string compares, up to the first invalid character; fits is false if there
// are too many. Levels are separated by two zero bytes.
func weights(env *function.Env, v value.Value) (out []byte, fits bool, err error) {
	by := v.Collation()
	if v.Kind() == value.Bytes || by == collation.Bin0900 {
		return v.Raw(), true, nil
	}
	out = make([]byte, 0, 2*min(len(v.Raw()), cancelcheck.Stride))
	for level := range max(by.Levels(), 1) {
		if level > 0 {
			out = append(out, 0, 0)
		}
		for b := v.Raw(); len(b) > 0; {
			if len(out) > env.MaxPacket() {
				return nil, false, nil
			}
			r, size := value.NextRune(b)
			if r < 0 {
				break
			}
			out = appendWeights(out, by, b[:size], level)
			b = b[size:]
			if err := env.Step(size); err != nil {
				return nil, false, err
			}
		}
	}
	return out, true, nil
}

// appendWeights appends the weights of a character on a level.
func appendWeights(out []byte, by collation.Collation, character []byte, level int) []byte {
	if by.Levels() < 2 {
		return by.AppendWeights(out, character)
	}
	var buf [8]uint16
	weights, _ := by.AppendCharacter(buf[:0], character, level)
	for _, w := range weights {
		out = binary.BigEndian.AppendUint16(out, w)
	}
	return out
}

// atLevel applies the flags of LEVEL to weights.
func atLevel(weights []byte, level int) []byte {
	if level&(WeightsDescend|WeightsReversed) != 0 {
		weights = slices.Clone(weights)
	}
	if level&WeightsDescend != 0 {
		for i := range weights {
			weights[i] = ^weights[i]
		}
	}
	if level&WeightsReversed != 0 {
		slices.Reverse(weights)
	}
	return weights
}
