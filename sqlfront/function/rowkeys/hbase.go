package rowkeys

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// HBase's own encodings of numbers as cell values, those of its Bytes class: big-endian, two's complement,
// IEEE 754 (https://hbase.apache.org/apidocs/org/apache/hadoop/hbase/util/Bytes.html). Bytes of the wrong
// length for the type are NULL with a warning; a number that does not fit the type is error 1690.
func init() {
	function.Register(map[string]*function.Function{
		"BYTES_TO_LONG":    fromBytes("LONG", 8, value.Int, func(b []byte) value.Value { return value.NewInt(int64(binary.BigEndian.Uint64(b))) }),
		"BYTES_TO_INT":     fromBytes("INT", 4, value.Int, func(b []byte) value.Value { return value.NewInt(int64(int32(binary.BigEndian.Uint32(b)))) }),
		"BYTES_TO_SHORT":   fromBytes("SHORT", 2, value.Int, func(b []byte) value.Value { return value.NewInt(int64(int16(binary.BigEndian.Uint16(b)))) }),
		"BYTES_TO_BOOLEAN": fromBytes("BOOLEAN", 1, value.Int, func(b []byte) value.Value { return value.NewBool(b[0] != 0) }),
		"BYTES_TO_DOUBLE":  {Min: 1, Max: 1, Type: function.Maybe(value.Float), Eval: evalBytesToDouble},
		"BYTES_TO_FLOAT":   {Min: 1, Max: 1, Type: function.Maybe(value.Float), Eval: evalBytesToFloat},
		"BYTES_TO_DECIMAL": {Min: 1, Max: 1, Type: bytesToDecimalType, Eval: evalBytesToDecimal},

		"LONG_TO_BYTES":    toBytes("LONG", 8),
		"INT_TO_BYTES":     toBytes("INT", 4),
		"SHORT_TO_BYTES":   toBytes("SHORT", 2),
		"BOOLEAN_TO_BYTES": {Min: 1, Max: 1, Type: function.Fixed(value.Bytes), Eval: evalBooleanToBytes, Numbers: function.AllArgs},
		"DOUBLE_TO_BYTES":  {Min: 1, Max: 1, Type: function.Fixed(value.Bytes), Eval: evalDoubleToBytes, Numbers: function.AllArgs},
		"FLOAT_TO_BYTES":   {Min: 1, Max: 1, Type: function.Fixed(value.Bytes), Eval: evalFloatToBytes, Numbers: function.AllArgs},
		"DECIMAL_TO_BYTES": {Min: 1, Max: 1, Type: function.Fixed(value.Bytes), Eval: evalDecimalToBytes, Numbers: function.AllArgs},
	})
}

func fromBytes(name string, size int, kind value.Kind, decode func([]byte) value.Value) *function.Function {
	return &function.Function{Min: 1, Max: 1, Type: function.Maybe(kind), Eval: func(env *function.Env, args []value.Value) (value.Value, error) {
		b := args[0].AsBytes()
		if len(b) != size {
			return wrongBytes(env, name, b)
		}
		return decode(b), nil
	}}
}

func wrongBytes(env *function.Env, name string, b []byte) (value.Value, error) {
	return value.Value{}, env.Warn(mysqlerr.TruncatedWrongValue, fmt.Sprintf("Incorrect %s value: %d byte(s) %s", name, len(b), value.Print(value.NewBytes(b[:min(len(b), 32)]))))
}

func evalBytesToDouble(env *function.Env, args []value.Value) (value.Value, error) {
	b := args[0].AsBytes()
	if len(b) != 8 {
		return wrongBytes(env, "DOUBLE", b)
	}
	return realNumber(env, "DOUBLE", b, math.Float64frombits(binary.BigEndian.Uint64(b)))
}

func evalBytesToFloat(env *function.Env, args []value.Value) (value.Value, error) {
	b := args[0].AsBytes()
	if len(b) != 4 {
		return wrongBytes(env, "FLOAT", b)
	}
	return realNumber(env, "FLOAT", b, float64(math.Float32frombits(binary.BigEndian.Uint32(b))))
}

// realNumber is NULL for the infinities and NaN, which SQL does not have.
func realNumber(env *function.Env, name string, b []byte, f float64) (value.Value, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return wrongBytes(env, name, b)
	}
	return value.NewFloat(f), nil
}

func toBytes(name string, size int) *function.Function {
	call := name + "_TO_BYTES"
	return &function.Function{Min: 1, Max: 1, Type: function.Fixed(value.Bytes), Numbers: function.AllArgs,
		Eval: ofLong(name, call, func(i int64, v value.Value) (value.Value, error) {
			if shift := 64 - 8*size; i<<shift>>shift != i {
				return value.Value{}, notInType(name, call, v)
			}
			return value.NewBytes(binary.BigEndian.AppendUint64(nil, uint64(i))[8-size:]), nil
		})}
}

func notInType(typ, call string, v value.Value) error {
	return mysqlerr.New(mysqlerr.DataOutOfRange, "%s value is out of range in '%s(%s)'", typ, strings.ToLower(call), value.Print(v.Short()))
}

// longOf is the integer of any number; the error is 1690 if it does not fit into a BIGINT.
func longOf(env *function.Env, typ, call string, v value.Value) (int64, error) {
	if v.IsString() {
		exact, err := env.Exact(v)
		if err != nil {
			return 0, err
		}
		v = exact
	}
	i, fits := v.ToInt()
	if !fits {
		return 0, notInType(typ, call, v)
	}
	return i, nil
}

// evalBooleanToBytes writes true as 0xFF, as HBase's Bytes does.
func evalBooleanToBytes(env *function.Env, args []value.Value) (value.Value, error) {
	v, err := env.Number(args[0])
	if truth, _ := value.Truth(v); truth {
		return value.NewBytes([]byte{0xFF}), err
	}
	return value.NewBytes([]byte{0}), err
}

func evalDoubleToBytes(env *function.Env, args []value.Value) (value.Value, error) {
	f, err := env.Float(args[0])
	return value.NewBytes(binary.BigEndian.AppendUint64(nil, math.Float64bits(f))), err
}

func evalFloatToBytes(env *function.Env, args []value.Value) (value.Value, error) {
	f, err := env.Float(args[0])
	if err == nil && math.IsInf(float64(float32(f)), 0) {
		return value.Value{}, notInType("FLOAT", "FLOAT_TO_BYTES", args[0])
	}
	return value.NewBytes(binary.BigEndian.AppendUint32(nil, math.Float32bits(float32(f)))), err
}

func bytesToDecimalType(function.Args) value.Type {
	return value.Type{Kind: value.Decimal, Nullable: true, Decimals: value.AnyScale}
}

// evalBytesToDecimal reads HBase's form of a BigDecimal: the scale in 4 bytes,
// then the unscaled integer in two's complement.
func evalBytesToDecimal(env *function.Env, args []value.Value) (value.Value, error) {
	b := args[0].AsBytes()
	if len(b) < 5 || len(b) > 64 {
		return wrongBytes(env, "DECIMAL", b)
	}
	scale := int32(binary.BigEndian.Uint32(b))
	if scale < -value.MaxDigits || scale > value.MaxScale {
		return wrongBytes(env, "DECIMAL", b)
	}
	d := decimal.NewFromBigInt(twosComplement(b[4:]), -scale)
	if scale < 0 {
		d = d.Round(0)
	}
	d, fits := value.FitDecimal(d)
	if !fits {
		return wrongBytes(env, "DECIMAL", b)
	}
	return value.NewDecimal(d), nil
}

func twosComplement(b []byte) *big.Int {
	n := new(big.Int).SetBytes(b)
	if b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return n
}

func evalDecimalToBytes(env *function.Env, args []value.Value) (value.Value, error) {
	v, err := env.Exact(args[0])
	if err != nil {
		return v, err
	}
	d := v.AsDecimal()
	scale := max(0, -d.Exponent())
	unscaled := d.Shift(scale).BigInt()
	out := binary.BigEndian.AppendUint32(nil, uint32(scale))
	return value.NewBytes(append(out, twosBytes(unscaled)...)), nil
}

// twosBytes is the shortest two's complement of n, at least one byte.
func twosBytes(n *big.Int) []byte {
	if n.Sign() >= 0 {
		return n.FillBytes(make([]byte, n.BitLen()/8+1))
	}
	size := new(big.Int).Not(n).BitLen()/8 + 1
	n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
	return n.FillBytes(make([]byte, size))
}

func ofLong(typ, call string, f func(i int64, v value.Value) (value.Value, error)) function.Eval {
	return func(env *function.Env, args []value.Value) (value.Value, error) {
		i, err := longOf(env, typ, call, args[0])
		if err != nil {
			return value.Value{}, err
		}
		return f(i, args[0])
	}
}
