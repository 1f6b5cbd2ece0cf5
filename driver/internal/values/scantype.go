package values

import (
	"database/sql"
	"reflect"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// ScanType is a type into which every value of a column of type t can be
// scanned.
func ScanType(t value.Type) reflect.Type {
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
	case "BIT":
		return reflect.TypeFor[[]byte]()
	}
	return orNullable[uint64, sql.Null[uint64]](t)
}

func orNullable[V, N any](t value.Type) reflect.Type {
	if t.Nullable {
		return reflect.TypeFor[N]()
	}
	return reflect.TypeFor[V]()
}
