package rowkeys

import (
	"errors"
	"fmt"
	"math"

	"github.com/hbasekv/hbasekv/partition/rowkey"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The patterns of HBase's row keys, with the bytes of package rowkey. Bytes that an inverse function cannot
// read are NULL with a warning, as in BYTES_TO_LONG.
func init() {
	bytesOf := func(n int, eval function.Eval) *function.Function {
		return &function.Function{Min: n, Max: n, Type: function.Fixed(value.Bytes), Eval: eval, Numbers: function.AllArgs &^ 1}
	}
	function.Register(map[string]*function.Function{
		"SALT":        bytesOf(2, spread("SALT", rowkey.Salt)),
		"HASH_PREFIX": bytesOf(2, spread("HASH_PREFIX", rowkey.HashPrefix)),
		"UNSALT":      bytesOf(1, evalUnsalt),
		"MOD_PREFIX":  {Min: 2, Max: 2, Type: function.Fixed(value.Bytes), Eval: evalModPrefix, Numbers: function.AllArgs},
		"FIXED_WIDTH": {Min: 2, Max: 2, Type: function.Fixed(value.Bytes), Eval: evalFixedWidth, Numbers: function.AllArgs},

		"REVERSE_TS":         {Min: 1, Max: 1, Type: function.Fixed(value.Bytes), Eval: longBytes("REVERSE_TS", rowkey.ReverseTimestamp), Numbers: function.AllArgs},
		"LONG_TO_SORTABLE":   {Min: 1, Max: 1, Type: function.Fixed(value.Bytes), Eval: longBytes("LONG_TO_SORTABLE", rowkey.SortableLong), Numbers: function.AllArgs},
		"REVERSE_TS_TO_LONG": {Min: 1, Max: 1, Type: function.Maybe(value.Int), Eval: bytesLong(rowkey.FromReverseTimestamp)},
		"SORTABLE_TO_LONG":   {Min: 1, Max: 1, Type: function.Maybe(value.Int), Eval: bytesLong(rowkey.FromSortableLong)},

		"ROWKEY":      {Min: 2, Max: -1, Type: function.Fixed(value.Bytes), Eval: evalRowkey},
		"ROWKEY_PART": {Min: 3, Max: 3, Type: function.Maybe(value.Bytes), Eval: evalRowkeyPart, Numbers: 1 << 2},
	})
}

// keyBytes is a key, or error 1210 with the package's message.
func keyBytes(name string, key []byte, err error) (value.Value, error) {
	if err != nil {
		return value.Value{}, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to %s: %v", name, err)
	}
	return value.NewBytes(key), nil
}

// spread is a function of a row and a count.
func spread(name string, make func(row []byte, n int) ([]byte, error)) function.Eval {
	return func(env *function.Env, args []value.Value) (value.Value, error) {
		n, err := smallOf(env, name, args[1])
		if err != nil {
			return value.Value{}, err
		}
		key, err := make(args[0].AsBytes(), n)
		return keyBytes(name, key, err)
	}
}

// smallOf is an argument that counts something; a number that does not fit into an int32 becomes one that no
// function accepts.
func smallOf(env *function.Env, name string, v value.Value) (int, error) {
	i, err := longOf(env, "BIGINT", name, v)
	if i > math.MaxInt32 || i < math.MinInt32 {
		i = math.MinInt32
	}
	return int(i), err
}

func evalUnsalt(_ *function.Env, args []value.Value) (value.Value, error) {
	return value.NewBytes(rowkey.Unsalt(args[0].AsBytes())), nil
}

func evalModPrefix(env *function.Env, args []value.Value) (value.Value, error) {
	number, err := longOf(env, "BIGINT", "MOD_PREFIX", args[0])
	modulus, err2 := longOf(env, "BIGINT", "MOD_PREFIX", args[1])
	if err := errors.Join(err, err2); err != nil {
		return value.Value{}, err
	}
	key, err := rowkey.ModPrefix(number, modulus)
	return keyBytes("MOD_PREFIX", key, err)
}

// maxWidth is more than the maximum length of a row.
const maxWidth = 65_535

func evalFixedWidth(env *function.Env, args []value.Value) (value.Value, error) {
	number, err := longOf(env, "BIGINT", "FIXED_WIDTH", args[0])
	width, err2 := smallOf(env, "FIXED_WIDTH", args[1])
	if err := errors.Join(err, err2); err != nil {
		return value.Value{}, err
	}
	if width > maxWidth {
		return keyBytes("FIXED_WIDTH", nil, fmt.Errorf("a width of %d is more than the longest row key", width))
	}
	key, err := rowkey.FixedWidth(number, width)
	return keyBytes("FIXED_WIDTH", key, err)
}

func longBytes(name string, encode func(int64) []byte) function.Eval {
	return ofLong("BIGINT", name, func(i int64, _ value.Value) (value.Value, error) { return value.NewBytes(encode(i)), nil })
}

func bytesLong(decode func([]byte) (int64, error)) function.Eval {
	return func(env *function.Env, args []value.Value) (value.Value, error) {
		i, err := decode(args[0].AsBytes())
		if err != nil {
			return wrongBytes(env, "LONG", args[0].AsBytes())
		}
		return value.NewInt(i), nil
	}
}

func evalRowkey(_ *function.Env, args []value.Value) (value.Value, error) {
	parts := make([][]byte, len(args)-1)
	for i, arg := range args[1:] {
		parts[i] = arg.AsBytes()
	}
	key, err := rowkey.Join(string(args[0].AsBytes()), parts...)
	return keyBytes("ROWKEY", key, err)
}

// evalRowkeyPart counts parts from 1; it is NULL if the part does not exist.
func evalRowkeyPart(env *function.Env, args []value.Value) (value.Value, error) {
	n, err := smallOf(env, "ROWKEY_PART", args[2])
	if err != nil {
		return value.Value{}, err
	}
	separator := string(args[1].AsBytes())
	if n < 1 || separator == "" {
		return keyBytes("ROWKEY_PART", nil, errors.New("parts are counted from 1, and a separator is needed"))
	}
	parts := rowkey.Split(separator, args[0].AsBytes(), n+1)
	if n > len(parts) {
		return value.Value{}, nil
	}
	return value.NewBytes(parts[n-1]), nil
}
