package parquetfile

import (
	"errors"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
)

// Column is a column of rows.
type Column struct {
	Name string
	Type Type
	// Precision and Scale are for Decimal.
	Precision, Scale int
}

// Type is a column's type in SQL.
type Type uint8

// The types. Times without a zone are local times.
const (
	Bytes Type = iota
	Text
	JSON
	Int
	Uint
	Double
	Decimal  // of at most maxPrecision digits
	Date     // days
	DateTime // microseconds, without a zone
	Time     // of day, in microseconds
)

// maxPrecision is the number of digits, of MySQL's 65, that readers of Parquet
// support.
const maxPrecision = 38

// columns is a schema that keeps the order of its columns.
type columns struct {
	parquet.Group
	fields []parquet.Field
	long   []string // those without statistics
}

// Fields implements parquet.Node.
func (c *columns) Fields() []parquet.Field { return c.fields }

func (c *columns) add(name string, n parquet.Node) {
	c.Group[name] = n
	c.fields = append(c.fields, &field{n, name})
}

// field is a column of a schema.
type field struct {
	parquet.Node
	name string
}

// Name implements parquet.Field.
func (f *field) Name() string { return f.name }

// Value implements parquet.Field for rows of Go values, of which there are none.
func (f *field) Value(reflect.Value) reflect.Value { return reflect.Value{} }

func cellColumns() *columns {
	c := &columns{Group: parquet.Group{}, long: []string{"value"}}
	c.add("row", parquet.Leaf(parquet.ByteArrayType))
	c.add("family", parquet.Encoded(parquet.String(), &parquet.RLEDictionary))
	c.add("qualifier", parquet.Encoded(parquet.Leaf(parquet.ByteArrayType), &parquet.RLEDictionary))
	c.add("timestamp", parquet.Int(64))
	c.add("value", parquet.Optional(parquet.Leaf(parquet.ByteArrayType)))
	return c
}

func typedColumns(types []Column) *columns {
	c := &columns{Group: parquet.Group{}}
	for i := range types {
		c.add(types[i].Name, parquet.Optional(types[i].node()))
		if types[i].Type <= JSON {
			c.long = append(c.long, types[i].Name)
		}
	}
	return c
}

func (c *Column) node() parquet.Node {
	switch c.Type {
	case Text:
		return parquet.String()
	case JSON:
		return parquet.JSON()
	case Int:
		return parquet.Int(64)
	case Uint:
		return parquet.Uint(64)
	case Double:
		return parquet.Leaf(parquet.DoubleType)
	case Decimal:
		return parquet.Decimal(c.Scale, c.precision(), c.decimalType())
	case Date:
		return parquet.Date()
	case DateTime:
		return parquet.TimestampAdjusted(parquet.Microsecond, false)
	case Time:
		return parquet.TimeAdjusted(parquet.Microsecond, false)
	}
	return parquet.Leaf(parquet.ByteArrayType)
}

// decimalType is the smallest type that has all numbers of the precision.
func (c *Column) decimalType() parquet.Type {
	switch {
	case c.precision() <= 9:
		return parquet.Int32Type
	case c.precision() <= 18:
		return parquet.Int64Type
	}
	return parquet.FixedLenByteArrayType(decimalBytes)
}

func (c *Column) precision() int { return max(min(c.Precision, maxPrecision), c.Scale, 1) }

// decimalBytes have room for maxPrecision digits and a sign.
const decimalBytes = 16

var (
	errNumber  = errors.New("it is not a number that Parquet can represent")
	errDecimal = errors.New("it has more than 38 digits")
	errDate    = errors.New("it is not a valid date")
	errTime    = errors.New("it is not a time of day")
)

// parse converts a value from SQL's text form.
func (c *Column) parse(text string) (parquet.Value, error) {
	switch c.Type {
	case Int:
		n, err := strconv.ParseInt(text, 10, 64)
		return parquet.Int64Value(n), err
	case Uint:
		n, err := strconv.ParseUint(text, 10, 64)
		return parquet.Int64Value(int64(n)), err
	case Double:
		f, err := strconv.ParseFloat(text, 64)
		return parquet.DoubleValue(f), err
	case Decimal:
		return c.decimal(text)
	case Date:
		t, err := time.Parse(time.DateOnly, text)
		if err != nil {
			return parquet.Value{}, errDate
		}
		return parquet.Int32Value(int32(t.Unix() / 86400)), nil
	case DateTime:
		t, err := time.Parse("2006-01-02 15:04:05.999999", text)
		if err != nil {
			return parquet.Value{}, errDate
		}
		return parquet.Int64Value(t.UnixMicro()), nil
	}
	t, err := time.Parse("15:04:05.999999", text)
	if err != nil {
		return parquet.Value{}, errTime
	}
	return parquet.Int64Value(t.Sub(time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)).Microseconds()), nil
}

// decimal is a number without its decimal point, with the column's number of
// decimal places.
func (c *Column) decimal(text string) (parquet.Value, error) {
	whole, fraction, _ := strings.Cut(text, ".")
	fraction += strings.Repeat("0", max(0, c.Scale-len(fraction)))
	n, ok := new(big.Int).SetString(whole+fraction[:c.Scale], 10)
	if !ok {
		return parquet.Value{}, errNumber
	}
	if len(new(big.Int).Abs(n).String()) > c.precision() {
		return parquet.Value{}, errDecimal
	}
	switch c.decimalType().Kind() {
	case parquet.Int32:
		return parquet.Int32Value(int32(n.Int64())), nil
	case parquet.Int64:
		return parquet.Int64Value(n.Int64()), nil
	}
	if n.Sign() < 0 { // two's complement
		n.Add(n, new(big.Int).Lsh(big.NewInt(1), 8*decimalBytes))
	}
	return parquet.FixedLenByteArrayValue(n.FillBytes(make([]byte, decimalBytes))), nil
}
