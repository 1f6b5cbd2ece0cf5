package kv

import (
	"math"

	"github.com/hbasekv/hbasekv/partition"
)

// Limits is what a store can do.
type Limits struct {
	// OneRow is true if a transaction can write only one row of one group; a write of
	// a second one is ErrUnsupported.
	OneRow bool
	// Snapshots is true if a transaction reads one consistent state. Otherwise each
	// statement reads what is there.
	Snapshots bool
	// RowLocks is true if LockRow keeps others out. Otherwise a commit fails with
	// ErrConflict if what was read of its row has changed.
	RowLocks bool
	// Nulls is true if a value can be null.
	Nulls bool
	// MinTimestamp and MaxTimestamp bound timestamps.
	MinTimestamp, MaxTimestamp int64
	// MinRow, MaxRow, MaxQualifier and MaxValue bound lengths, in bytes; a maximum
	// of 0 means that memory is the limit.
	MinRow, MaxRow, MaxQualifier, MaxValue int
	// Partitionings are the methods by which tables can be partitioned. Slices is
	// true if they can have slices of time.
	Partitionings []partition.Method
	Slices        bool
	// Bounded is true if the last RANGE partition may be below MAXVALUE.
	Bounded bool
	// DDL is the set of catalog changes that it supports beyond those of every store.
	DDL DDL
	// OwnClock is true if the store has a clock of its own, which can be set, and
	// judges Retention by it; otherwise its servers do.
	OwnClock bool
}

// Limited is a Store that does not support everything.
type Limited interface {
	Limits() Limits
}

// FullLimits returns the limits of a store that supports everything.
func FullLimits() Limits {
	return Limits{Snapshots: true, RowLocks: true, Nulls: true, MinTimestamp: math.MinInt64, MaxTimestamp: math.MaxInt64,
		Partitionings: []partition.Method{partition.None, partition.Key, partition.PrefixKey, partition.Range}, Slices: true, Bounded: true, DDL: AllDDL, OwnClock: true}
}

// LimitsOf returns what a store supports: everything, unless it is Limited.
func LimitsOf(s Store) Limits {
	if l, ok := s.(Limited); ok {
		return l.Limits()
	}
	return FullLimits()
}
