package kv

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"
)

// Retention says which versions of a column a table keeps, like HBase's column families
// (https://hbase.apache.org/book.html#ttl and #versions). The zero value keeps all.
//
// A change of the catalog may uncover versions that have not been collected: a change of
// the retention, or removing partitions by time with newer versions.
//
// A column always keeps its newest versions without gaps: at most MaxVersions, and of
// these the ones that are not older than TTLSeconds or are among the newest MinVersions.
// Versions that are not kept do not exist for any reader or writer, from that millisecond
// on, whether or not they have been collected.
//
// A cell that has expired by a TTL of its own does not count as a version, whatever
// MinVersions is: an older version that was in excess because of it is visible again if
// it has not been collected, as in HBase.
type Retention struct {
	TTLSeconds  int64 `json:"ttl,omitempty"`          // 0 is without limit
	MaxVersions int   `json:"max_versions,omitempty"` // 0 is all
	MinVersions int   `json:"min_versions,omitempty"` // kept even if expired
	// DropExpired drops partitions by time in which everything has expired.
	DropExpired bool `json:"drop_expired,omitempty"`
	// CellTTL means that cells may have a TTL of their own. Readers check each version
	// for it. It stays set for a table whose cells may have one.
	CellTTL bool `json:"cell_ttl,omitempty"`
}

// IsZero reports whether everything is kept.
func (r Retention) IsZero() bool { return r == Retention{} }

// KeepsLess reports whether another retention keeps something that this one does not.
func (r Retention) KeepsLess(than Retention) bool {
	fewer := func(n, than int64) bool { return n != 0 && (than == 0 || n < than) } // 0 is no limit
	return fewer(r.TTLSeconds, than.TTLSeconds) || fewer(int64(r.MaxVersions), int64(than.MaxVersions)) ||
		r.TTLSeconds != 0 && r.MinVersions < than.MinVersions || r.DropExpired && !than.DropExpired
}

// Counts reports whether it depends on the number of versions of a column what is kept,
// and not only on the age of each.
func (r Retention) Counts() bool { return r.MaxVersions > 0 || r.TTLSeconds > 0 && r.MinVersions > 0 }

// String returns what is set, as in TTL=3600 MAX_VERSIONS=3 MIN_VERSIONS=1. It is empty
// for the zero value.
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

// Oldest returns the oldest timestamp that has not expired at the time now, in
// ms since 1970-01-01 UTC.
func (r Retention) Oldest(now int64) int64 {
	if r.TTLSeconds == 0 {
		return math.MinInt64
	}
	if r.TTLSeconds > math.MaxInt64/1000 || now < math.MinInt64+r.TTLSeconds*1000 {
		return math.MinInt64
	}
	return now - r.TTLSeconds*1000
}

// Keeps reports whether a version is kept at the time now, in ms; rank is the number of
// newer versions of its column.
func (r Retention) Keeps(rank int, timestamp, now int64) bool {
	if r.MaxVersions > 0 && rank >= r.MaxVersions {
		return false
	}
	return rank < r.MinVersions || timestamp >= r.Oldest(now)
}

// LastsUntil returns the last time, in ms, at which a version is kept unless newer ones
// exceed MaxVersions; math.MaxInt64 if it does not expire.
func (r Retention) LastsUntil(timestamp int64) int64 {
	if r.TTLSeconds == 0 || r.TTLSeconds > math.MaxInt64/1000 || timestamp > math.MaxInt64-r.TTLSeconds*1000 {
		return math.MaxInt64
	}
	return timestamp + r.TTLSeconds*1000
}

// Collector is a Store that removes from its files what retention hides. It
// also does so by itself in the background.
type Collector interface {
	// Collect removes now, from one table, what its retention hides and nobody is
	// writing. Open transactions and cursors still see what they saw. Readers and writers
	// continue meanwhile, and none fails because of it. It returns what it has removed,
	// also with an error. It fails with ErrNoTable if the table is missing.
	Collect(ctx context.Context, database, name string, o CollectOptions) (Collected, error)
	// DropExpired drops the partitions by time of a table, and of its group, in which
	// everything has expired, and returns their number. The next partition above takes
	// over their times; the last one stays. It fails with ErrNoTable if the table is
	// missing, partition.ErrNotSliced if it has no partitions by time, and
	// partition.ErrLastPartition if the only one has expired.
	DropExpired(ctx context.Context, database, name string) (int, error)
	// Collected returns what has been removed from a table since the store was opened.
	Collected(t *Table) Collected
	// Collections returns the running collections that the store has started by itself.
	Collections() []Collection
}

// CollectOptions say how a collection is done.
type CollectOptions struct {
	// Progress, if not nil, is called at times by the goroutine that collects.
	Progress func(Collected)
}

// Collected says what collections have done.
type Collected struct {
	Versions int64 // removed one by one
	Ranges   int64 // key ranges that were removed, each with many versions
	// Partitions is the number of partitions by time that were dropped.
	Partitions int64
	// At is the time of the last complete collection, by the store's clock, in ms since
	// 1970-01-01 UTC; 0 if there was none.
	At int64
}

// Plus returns the sum of both.
func (c Collected) Plus(o Collected) Collected {
	return Collected{c.Versions + o.Versions, c.Ranges + o.Ranges, c.Partitions + o.Partitions, max(c.At, o.At)}
}

// Collection is a running collection.
type Collection struct {
	Database, Table string
	Since           time.Time
	SoFar           Collected
}
