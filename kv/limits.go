package kv

import (
	"math"

	"github.com/hbasekv/hbasekv/partition"
)

// Limits is what a store can do.
type Limits struct {
	// OneRow is true where a transaction can write one row of one group, and a
	// write of a second one is ErrUnsupported.
	OneRow bool
	// Snapshots is true where what a transaction reads is of one moment. Without
	// them each statement reads what is there.
	Snapshots bool
	// RowLocks is true where LockRow keeps others out. Without them a commit fails
	// with ErrConflict where what was read of its row has changed.
	RowLocks bool
	// Nulls is true where a value can be null.
	Nulls bool
	// MinTimestamp and MaxTimestamp bound timestamps.
	MinTimestamp, MaxTimestamp int64
	// MinRow, MaxRow, MaxQualifier and MaxValue bound lengths, in bytes; a maximum
	// of 0 is the store's memory.
	MinRow, MaxRow, MaxQualifier, MaxValue int
	// Partitionings are the methods by which tables can be partitioned. Slices is
	// true where they can be cut by time.
	Partitionings []partition.Method
	Slices        bool
	// Bounded is true where the last RANGE partition may be below MAXVALUE.
	Bounded bool
	// DDL is which changes of the catalog it can make beyond those of every store.
	DDL DDL
	// OwnClock is true where the store has a clock of its own, which it can be given,
	// and judges Retention by it; else its servers do.
	OwnClock bool
}

// Limited is a Store that cannot do all that a Store can.
type Limited interface {
	Limits() Limits
}

// FullLimits are those of a store that can do everything.
func FullLimits() Limits {
	return Limits{Snapshots: true, RowLocks: true, Nulls: true, MinTimestamp: math.MinInt64, MaxTimestamp: math.MaxInt64,
		Partitionings: []partition.Method{partition.None, partition.Key, partition.PrefixKey, partition.Range}, Slices: true, Bounded: true, DDL: AllDDL, OwnClock: true}
}

// LimitsOf is what a store can do: everything, unless it is Limited.
func LimitsOf(s Store) Limits {
	if l, ok := s.(Limited); ok {
		return l.Limits()
	}
	return FullLimits()
}
