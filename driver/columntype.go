package driver

import (
	"math"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The methods about column types answer as github.com/go-sql-driver/mysql does
// for the same type, with two differences: that driver does not know lengths,
// and it names sql.NullTime for dates, into which this driver's values, which
// are text, cannot be scanned.

// typeLength is the maximum length of a type of variable length: in bytes for a
// binary type, in characters for a text type.
func typeLength(t value.Type) (int64, bool) {
	if !t.Kind.IsString() && t.Kind != value.JSON {
		return 0, false
	}
	if t.Length <= 0 {
		return math.MaxInt64, true
	}
	return int64(t.Length), true
}
