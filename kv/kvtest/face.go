package kvtest

import (
	"context"
	"testing"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/model"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/tandem"
)

// Model is an in-memory store that is obviously correct.
type Model = model.Model

// NewModel gives an empty Model with the machine's clock.
func NewModel() *Model { return model.New() }

// NewModelAt gives an empty Model that takes the time from a clock.
func NewModelAt(clock func() time.Time) *Model { return model.NewAt(clock) }

// RunSplitting holds a store that splits and merges RANGE partitions by itself,
// and in its first life any of two rows, to the same answers as one that does
// not.
func RunSplitting(t *testing.T, place Place) { tandem.RunSplitting(t, place) }

// Opener opens one place, which is empty the first time. What was committed is
// there again when it is called after the store that it gave has been closed.
type Opener = fixture.Opener

// Place gives an empty place for a store, which has the clock.
type Place = fixture.Place

// Layout is a way to partition tables.
type Layout = fixture.Layout

// Layouts are the partitionings on which everything must give the same
// answers.
func Layouts() []Layout { return fixture.Layouts() }

// SlicedLayouts are partitionings by time, alone and with others, on which
// everything must give the same answers but for the smallest timestamp, which
// they do not take.
func SlicedLayouts() []Layout { return fixture.SlicedLayouts() }

// Catalog is the store's newest catalog. It panics where that cannot be read.
func Catalog(s kv.Store) *kv.Catalog { return fixture.Catalog(s) }

// Begin is kv.Store.Begin. It panics where the transaction cannot be started.
func Begin(s kv.Store, o kv.TxnOptions) kv.Txn { return fixture.Begin(s, o) }

// PutLines writes cells into a table, a line each: row, qualifier, timestamp and value
// with spaces between. It fails the test on an error.
func PutLines(t testing.TB, s kv.Store, database, table, lines string) {
	t.Helper()
	fixture.PutLines(t, s, database, table, lines)
}

// RequireSound checks all of a store at the given depth, where it is a
// kv.Checker that is open, and fails the test on damage. It gives the number of
// cells.
func RequireSound(ctx context.Context, t testing.TB, s kv.Store, depth kv.CheckDepth) int64 {
	t.Helper()
	return fixture.RequireSound(ctx, t, s, depth)
}
