package values

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// TypeName is MySQL's name of the type, without its length.
func TypeName(t value.Type) string {
	if t.Name != "" {
		return t.Name
	}
	if t.Kind == value.Uint {
		return "UNSIGNED BIGINT"
	}
	return t.Kind.String()
}

// PrecisionScale is a number's precision and scale, and for both a time's decimals; false for other
// types.
func PrecisionScale(t value.Type) (precision, scale int64, ok bool) {
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
