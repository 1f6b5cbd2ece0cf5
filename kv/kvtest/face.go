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

// NewModel returns an empty Model that uses the system clock.
func NewModel() *Model { return model.New() }

// NewModelAt returns an empty Model that uses the given clock.
func NewModelAt(clock func() time.Time) *Model { return model.NewAt(clock) }

// RunSplitting requires that a store that splits and merges RANGE partitions by
// itself, in its first run even partitions of two rows, returns the same results as
// one that does not.
func RunSplitting(t *testing.T, place Place) { tandem.RunSplitting(t, place) }

// Opener opens one place, which is empty the first time. A later call, after the
// previous store has been closed, finds everything that was committed.
type Opener = fixture.Opener

// Place creates an empty place for a store that uses the clock.
type Place = fixture.Place

// Layout is a way to partition tables.
type Layout = fixture.Layout

// Layouts returns the partitionings for which all results must be the same.
func Layouts() []Layout { return fixture.Layouts() }

// SlicedLayouts returns partitionings by time, alone and combined with others, for
// which all results must be the same. They do not accept the smallest timestamp.
func SlicedLayouts() []Layout { return fixture.SlicedLayouts() }

// Catalog returns the store's newest catalog. It panics if that cannot be read.
func Catalog(s kv.Store) *kv.Catalog { return fixture.Catalog(s) }

// Begin calls kv.Store.Begin and panics on an error.
func Begin(s kv.Store, o kv.TxnOptions) kv.Txn { return fixture.Begin(s, o) }

// PutLines writes cells to a table, one per line: row, qualifier, timestamp and value,
// separated by spaces. It fails the test on an error.
func PutLines(t testing.TB, s kv.Store, database, table, lines string) {
	t.Helper()
	fixture.PutLines(t, s, database, table, lines)
}

// RequireSound checks the entire store at the given depth, if it is an open
// kv.Checker, and fails the test on damage. It returns the number of cells.
func RequireSound(ctx context.Context, t testing.TB, s kv.Store, depth kv.CheckDepth) int64 {
	t.Helper()
	return fixture.RequireSound(ctx, t, s, depth)
}
