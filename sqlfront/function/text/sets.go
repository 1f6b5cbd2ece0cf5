package text

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Functions of bit sets, and SOUNDEX.
func init() {
	function.Register(map[string]*function.Function{
		"MAKE_SET":   {Min: 2, Max: -1, Type: eltType, Nulls: true, Eval: evalMakeSet, Numbers: 1},
		"EXPORT_SET": {Min: 3, Max: 5, Type: function.Nullable(exportSetType), Eval: evalExportSet, Numbers: 1 | 1<<4},
		"SOUNDEX":    {Min: 1, Max: 1, Type: function.Nullable(function.FirstString), Eval: evalSoundex},
	})
}

func exportSetType(a function.Args) value.Type {
	return value.JointString(a.Types[1:min(len(a.Types), 4)]...)
}

// setBits are the bits of an integer of either sign.
func setBits(env *function.Env, v value.Value) (uint64, error) {
	if v.Kind() == value.Uint {
		return v.Uint(), nil
	}
	i, err := env.Integer(v)
	return uint64(i), err
}

// evalMakeSet joins the strings whose bits are set.
func evalMakeSet(env *function.Env, args []value.Value) (value.Value, error) {
	if args[0].IsNull() {
		return value.Value{}, nil
	}
	bits, err := setBits(env, args[0])
	if err != nil {
		return value.Value{}, err
	}
	var out []byte
	first := true
	for i, a := range args[1:] {
		if i > 63 || bits>>i&1 == 0 || a.IsNull() {
			continue
		}
		if !first {
			out = append(out, ',')
		}
		if out, first = a.AppendText(out), false; len(out) > env.MaxPacket() {
			return env.TooLong("make_set")
		}
	}
	return function.JointKind(out, args[1:]...), nil
}

// evalExportSet writes each bit, the lowest first, as one of two strings.
func evalExportSet(env *function.Env, args []value.Value) (value.Value, error) {
	bits, err := setBits(env, args[0])
	if err != nil {
		return value.Value{}, err
	}
	sep, count := value.NewString(","), int64(64)
	if len(args) > 3 {
		sep = args[3]
	}
	if len(args) > 4 {
		if count, err = env.Integer(args[4]); err != nil {
			return value.Value{}, err
		}
		if count < 0 || count > 64 {
			count = 64
		}
	}
	if int(count)*(len(args[1].Raw())+len(args[2].Raw())+len(sep.Raw())) > env.MaxPacket() {
		return env.TooLong("export_set")
	}
	var out []byte
	for i := range count {
		if i > 0 {
			out = sep.AppendText(out)
		}
		out = args[2-bits>>i&1].AppendText(out)
	}
	return function.JointKind(out, args[1], args[2], sep), nil
}

// soundexCodes are the digits of the letters A to Z; 0 is omitted.
const soundexCodes = "01230120022455012623010202"

// evalSoundex is MySQL's original, not the enhanced, Soundex: all letters count and the result has at least
// four characters.
func evalSoundex(env *function.Env, args []value.Value) (value.Value, error) {
	var out strings.Builder
	letters, last := 0, byte('0')
	for _, r := range string(args[0].AsBytes()) {
		if err := env.Step(1); err != nil {
			return value.Value{}, err
		}
		if r >= 'a' && r <= 'z' {
			r += 'A' - 'a'
		}
		code := byte('0')
		switch {
		case r >= 'A' && r <= 'Z':
			code = soundexCodes[r-'A']
		case r < 0xC0 || args[0].Kind() == value.Bytes:
			continue // not a letter
		}
		switch {
		case letters == 0:
			out.WriteRune(r)
			last = code
			letters++
		case code != '0' && code != last:
			out.WriteByte(code)
			last = code
			letters++
		}
	}
	if out.Len() == 0 {
		return function.SameKind(args[0], nil), nil
	}
	for ; letters < 4; letters++ {
		out.WriteByte('0')
	}
	return function.SameKind(args[0], []byte(out.String())), nil
}
