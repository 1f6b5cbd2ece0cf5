package driver

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The answers about a column's type are those of
// github.com/go-sql-driver/mysql for the same type, with two differences: it
// does not know lengths, and it names sql.NullTime for dates, which this
// driver's values, text, cannot be scanned into.

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
