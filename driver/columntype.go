package driver

import (
	"database/sql"
	"math"
	"reflect"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The answers about a column's type are those of
// github.com/go-sql-driver/mysql for the same type, with two differences: it
// does not know lengths, and it names sql.NullTime for dates, which this
// driver's values, text, cannot be scanned into.

// databaseTypeName is MySQL's name of the type, without its length.
func databaseTypeName(t value.Type) string {
	if t.Name != "" {
		return t.Name
	}
	if t.Kind == value.Uint {
		return "UNSIGNED BIGINT"
	}
	return t.Kind.String()
}

// typeLength is the longest value of a type of variable length: bytes of a
// binary type, characters of a text.
func typeLength(t value.Type) (int64, bool) {
	if !t.Kind.IsString() && t.Kind != value.JSON {
		return 0, false
	}
	if t.Length <= 0 {
		return math.MaxInt64, true
	}
	return int64(t.Length), true
}

func precisionScale(t value.Type) (precision, scale int64, ok bool) {
	switch t.Kind {
	case value.Decimal:
		return int64(t.Precision()), int64(t.Decimals), true
	case value.DateTime, value.Time:
		return int64(t.Decimals), int64(t.Decimals), true
	case value.Float:
		return math.MaxInt64, math.MaxInt64, true
	}
	return 0, 0, false
}

// scanType is a type that every value of the column can be scanned into.
func scanType(t value.Type) reflect.Type {
	switch t.Kind {
	case value.Null:
		return reflect.TypeFor[any]()
	case value.Int:
		return scanInt(t)
	case value.Uint:
		return scanUint(t)
	case value.Float:
		if t.Name == "FLOAT" {
			return orNullable[float32, sql.NullFloat64](t)
		}
		return orNullable[float64, sql.NullFloat64](t)
	case value.Bytes:
		return reflect.TypeFor[[]byte]()
	}
	return orNullable[string, sql.NullString](t)
}

func scanInt(t value.Type) reflect.Type {
	switch strings.ToUpper(t.Name) {
	case "TINYINT":
		return orNullable[int8, sql.NullInt64](t)
	case "SMALLINT":
		return orNullable[int16, sql.NullInt64](t)
	case "MEDIUMINT", "INT":
		return orNullable[int32, sql.NullInt64](t)
	case "UNSIGNED INT":
		return orNullable[uint32, sql.NullInt64](t)
	}
	return orNullable[int64, sql.NullInt64](t)
}

func scanUint(t value.Type) reflect.Type {
	switch t.Name {
	case "UNSIGNED TINYINT":
		return orNullable[uint8, sql.Null[uint64]](t)
	case "UNSIGNED SMALLINT", "YEAR":
		return orNullable[uint16, sql.Null[uint64]](t)
	case "UNSIGNED MEDIUMINT", "UNSIGNED INT":
		return orNullable[uint32, sql.Null[uint64]](t)
	}
	return orNullable[uint64, sql.Null[uint64]](t)
}

func orNullable[V, N any](t value.Type) reflect.Type {
	if t.Nullable {
		return reflect.TypeFor[N]()
	}
	return reflect.TypeFor[V]()
}
