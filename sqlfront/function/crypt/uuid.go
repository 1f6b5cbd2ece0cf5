package crypt

import (
	"encoding/hex"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// UUIDs as bytes and as text
// (https://dev.mysql.com/doc/refman/8.0/en/miscellaneous-functions.html#function_uuid-to-bin).
func init() {
	function.Register(map[string]*function.Function{
		"UUID":        {Type: function.Fixed(value.Text), Eval: evalUUID, Volatile: true},
		"UUID_TO_BIN": {Min: 1, Max: 2, Type: function.Maybe(value.Bytes), Nulls: true, Eval: evalUUIDToBin, Numbers: 2},
		"BIN_TO_UUID": {Min: 1, Max: 2, Type: function.Maybe(value.Text), Nulls: true, Eval: evalBinToUUID, Numbers: 2},
		"IS_UUID":     {Min: 1, Max: 1, Type: function.Truth, Eval: evalIsUUID},
	})
}

// uuidSize is the number of bytes of a UUID.
const uuidSize = 16

// uuidHyphens are the positions of the hyphens in the text of a UUID.
var uuidHyphens = []int{8, 13, 18, 23}

// parseUUID reads 32 hex digits, with or without hyphens, possibly in braces.
func parseUUID(text []byte) (uuid []byte, ok bool) {
	const digits, hyphens, braces = 32, 36, 38
	if len(text) == braces && text[0] == '{' && text[braces-1] == '}' {
		text = text[1 : braces-1]
	}
	if len(text) == hyphens {
		plain := make([]byte, 0, digits)
		for i, c := range text {
			switch hyphen := slices.Contains(uuidHyphens, i); {
			case hyphen != (c == '-'):
				return nil, false
			case !hyphen:
				plain = append(plain, c)
			}
		}
		text = plain
	}
	if len(text) != digits {
		return nil, false
	}
	uuid, err := hex.AppendDecode(nil, text)
	return uuid, err == nil
}

// uuidText is a UUID in lower case with hyphens.
func uuidText(b []byte) value.Value {
	return value.NewString(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
}

// swapTime exchanges the first and the third part of a UUID, so that UUIDs made one after the other have a
// common beginning; unswapTime is its inverse.
func swapTime(uuid []byte) []byte {
	return slices.Concat(uuid[6:8], uuid[4:6], uuid[0:4], uuid[8:])
}

func unswapTime(uuid []byte) []byte {
	return slices.Concat(uuid[4:8], uuid[2:4], uuid[0:2], uuid[8:])
}

func evalUUIDToBin(env *function.Env, args []value.Value) (value.Value, error) {
	swap, null, err := swaps(env, args)
	if null || err != nil {
		return value.Value{}, err
	}
	uuid, ok := parseUUID(args[0].AsBytes())
	if !ok {
		return value.Value{}, wrongString(args[0], "uuid_to_bin")
	}
	if swap {
		uuid = swapTime(uuid)
	}
	return value.NewBytes(uuid), nil
}

func evalBinToUUID(env *function.Env, args []value.Value) (value.Value, error) {
	swap, null, err := swaps(env, args)
	if null || err != nil {
		return value.Value{}, err
	}
	uuid := args[0].AsBytes()
	if len(uuid) != uuidSize {
		return value.Value{}, wrongString(args[0], "bin_to_uuid")
	}
	if swap {
		uuid = unswapTime(uuid)
	}
	return uuidText(uuid), nil
}

// swaps is the second argument, in which NULL counts as 0, as in MySQL; null reports whether the first one is
// NULL.
func swaps(env *function.Env, args []value.Value) (swap, null bool, err error) {
	if args[0].IsNull() || len(args) == 1 || args[1].IsNull() {
		return false, args[0].IsNull(), nil
	}
	f, err := env.Float(args[1])
	return f != 0, false, err
}

// wrongString is error 1411.
func wrongString(v value.Value, function string) error {
	text := v.ShortString()
	if !utf8.ValidString(text) {
		text = value.Print(v.Short())
	}
	return mysqlerr.New(mysqlerr.WrongValueForType, "Incorrect string value: '%s' for function %s", text, function)
}

func evalIsUUID(_ *function.Env, args []value.Value) (value.Value, error) {
	_, ok := parseUUID(args[0].AsBytes())
	return value.NewBool(ok), nil
}

func evalUUID(*function.Env, []value.Value) (value.Value, error) {
	b := function.RandomBytes(uuidSize)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return uuidText(b), nil
}
