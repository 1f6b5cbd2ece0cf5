package kv

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"
)

// Retention says which versions of a column a table keeps, as HBase's column
// families do (https://hbase.apache.org/book.html#ttl and #versions). The zero
// value keeps all.
//
// A change of the catalog may uncover what has not been collected: one of the
// retention, and one that removes partitions by time with newer versions.
//
// What is kept of a column is always its newest versions, one behind the other:
// never more than MaxVersions, and of these those that are not older than
// TTLSeconds or are among the newest MinVersions. What is not kept does not exist for any
// reader or writer, from that millisecond on, whether or not it has been
// collected.
//
// A cell that is gone by a TTL of its own does not count as a version, whatever
// MinVersions is: an older one that it had put in excess is seen again where it has
// not been collected, as in HBase.
type Retention struct {
	TTLSeconds  int64 `json:"ttl,omitempty"`          // 0 is for ever
	MaxVersions int   `json:"max_versions,omitempty"` // 0 is all
	MinVersions int   `json:"min_versions,omitempty"` // kept though expired
	// DropExpired drops partitions by time that have expired as a whole.
	DropExpired bool `json:"drop_expired,omitempty"`
	// CellTTL says that cells may have a TTL of their own. Readers look at each
	// version for it; it stays with a table whose cells may have one.
	CellTTL bool `json:"cell_ttl,omitempty"`
}

// IsZero reports whether nothing is said: then everything is kept.
func (r Retention) IsZero() bool { return r == Retention{} }

// KeepsLess reports whether something goes that another retention keeps.
func (r Retention) KeepsLess(than Retention) bool {
	fewer := func(n, than int64) bool { return n != 0 && (than == 0 || n < than) } // 0 is no limit
	return fewer(r.TTLSeconds, than.TTLSeconds) || fewer(int64(r.MaxVersions), int64(than.MaxVersions)) ||
		r.TTLSeconds != 0 && r.MinVersions < than.MinVersions || r.DropExpired && !than.DropExpired
}

// Counts reports whether what is kept of a column depends on how many versions it
// has, and not on the age of each alone.
func (r Retention) Counts() bool { return r.MaxVersions > 0 || r.TTLSeconds > 0 && r.MinVersions > 0 }

// String says what is not kept, as in TTL=3600 MAX_VERSIONS=3 MIN_VERSIONS=1. It is
// empty of the zero value.
func (r Retention) String() string {
	var words []string
	add := func(name string, n int64) {
		if n != 0 {
			words = append(words, name+"="+strconv.FormatInt(n, 10))
		}
	}
	add("TTL", r.TTLSeconds)
	add("MAX_VERSIONS", int64(r.MaxVersions))
	add("MIN_VERSIONS", int64(r.MinVersions))
	if r.DropExpired {
		words = append(words, "DROP_EXPIRED_PARTITIONS=ON")
	}
	if r.CellTTL {
		words = append(words, "CELL_TTL=ON")
	}
	return strings.Join(words, " ")
}

// Oldest is the oldest timestamp that has not expired at a moment, in ms since
// 1970-01-01 UTC.
func (r Retention) Oldest(now int64) int64 {
	if r.TTLSeconds == 0 {
		return math.MinInt64
	}
	if r.TTLSeconds > math.MaxInt64/1000 || now < math.MinInt64+r.TTLSeconds*1000 {
		return math.MinInt64
	}
	return now - r.TTLSeconds*1000
}

// Keeps reports whether a version is kept at a moment, in ms, where rank is the
// number of versions of its column that are newer.
func (r Retention) Keeps(rank int, timestamp, now int64) bool {
	if r.MaxVersions > 0 && rank >= r.MaxVersions {
		return false
	}
	return rank < r.MinVersions || timestamp >= r.Oldest(now)
}

// LastsUntil is the last moment, in ms, at which a version is kept whatever its
// rank: the end of time where it does not expire.
func (r Retention) LastsUntil(timestamp int64) int64 {
	if r.TTLSeconds == 0 || r.TTLSeconds > math.MaxInt64/1000 || timestamp > math.MaxInt64-r.TTLSeconds*1000 {
		return math.MaxInt64
	}
	return timestamp + r.TTLSeconds*1000
}

// Collector is a Store that removes from its files what retention hides. It
// does so by itself, now and then.
type Collector interface {
	// Collect removes now, from one table, what its retention hides at present and
	// nobody writes at the moment. Open transactions and cursors see what they
	// saw. Readers and writers go on meanwhile, and none fails because of it. What
	// was removed before an error is given beside it. ErrNoTable tells that the table is
	// missing.
	Collect(ctx context.Context, database, name string, o CollectOptions) (Collected, error)
	// DropExpired drops the partitions by time of a table, and of its group, that hold
	// nothing but what has expired, and gives their number. Their times go to the next
	// one above; the last one stays. ErrNoTable where the table is missing,
	// partition.ErrNotSliced where it is not cut by time, partition.ErrLastPartition
	// where it has expired in the only partition.
	DropExpired(ctx context.Context, database, name string) (int, error)
	// Collected is what has been removed from a table since the store was opened.
	Collected(t *Table) Collected
	// Collections are those under way that the store has begun by itself.
	Collections() []Collection
}

// CollectOptions are how a collection is done.
type CollectOptions struct {
	// Progress, where it is not nil, is called now and then by the goroutine
	// that collects.
	Progress func(Collected)
}

// Collected is what collections have done.
type Collected struct {
	Versions int64 // removed one by one
	Ranges   int64 // key ranges removed at once, each with many versions
	// Partitions is the number of partitions by time that were dropped.
	Partitions int64
	// At is the moment of the last collection that came through, by the store's
	// clock, in ms since 1970-01-01 UTC; 0 where there was none.
	At int64
}

// Plus is both together.
func (c Collected) Plus(o Collected) Collected {
	return Collected{c.Versions + o.Versions, c.Ranges + o.Ranges, c.Partitions + o.Partitions, max(c.At, o.At)}
}

// Collection is one under way.
type Collection struct {
	Database, Table string
	Since           time.Time
	SoFar           Collected
}
