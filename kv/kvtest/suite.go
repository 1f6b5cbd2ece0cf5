package kvtest

import (
	"slices"
	"testing"

	"github.com/hbasekv/hbasekv/kv/kvtest/internal/catalogs"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/reads"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/tandem"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/txns"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/writes"
)

// Run tests a store against the contract of kv.Store. Each call of place creates a new empty
// place. kv.Flusher, kv.Compacter, kv.StatsReader, kv.Checker, kv.BulkLoader and
// kv.Collector are used if the store implements them. Tests of what is beyond its kv.Limits
// are skipped. With -kvtest.layouts the scans are repeated on all layouts, with eight times
// as many random ones on each.
func Run(t *testing.T, place Place) {
	limits := fixture.LimitsOf(t, place)
	none, spread, ranges, bySlices := fixture.Layouts()[0], fixture.Layouts()[2], fixture.Layouts()[4], fixture.SlicedLayouts()[2]
	if !fixture.Lays(limits, spread.Scheme) {
		spread = ranges
	}
	scanned := []fixture.Layout{none, fixture.Layouts()[2], ranges, bySlices}
	if fixture.OnAllLayouts() {
		scanned = slices.Concat(fixture.Layouts(), fixture.SlicedLayouts())
	}
	for _, layout := range scanned {
		t.Run(layout.Name, func(t *testing.T) {
			runAll(t, place, layout, reads.ScanTests)
		})
	}
	for name, tests := range map[string][]fixture.Test{
		"Writes":    writes.WriteTests,
		"Retention": writes.RetentionTests,
		"Snapshots": txns.SnapshotTests,
		"Locks":     txns.LockTests,
		"Serial":    txns.SerialTests,
		"Catalog":   slices.Concat(catalogs.CatalogTests, catalogs.DDLTests),
		"Views":     catalogs.ViewTests,
		"Lifecycle": catalogs.LifecycleTests,
		"Bulk":      writes.BulkTests,
		"Loads":     writes.LoadTests,
	} {
		t.Run(name, func(t *testing.T) { runAll(t, place, spread, tests) })
	}
	for name, tests := range map[string][]fixture.Test{
		"SlicedWrites":    slices.Concat(writes.WriteTests, writes.SliceTests),
		"SlicedRetention": writes.RetentionTests,
		"SlicedSnapshots": txns.SnapshotTests,
		"SlicedSerial":    txns.SerialTests,
		"SlicedLifecycle": catalogs.LifecycleTests,
		"SlicedLoads":     writes.LoadTests,
	} {
		t.Run(name, func(t *testing.T) { runAll(t, place, bySlices, tests) })
	}
	t.Run("Random", func(t *testing.T) { RunRandom(t, place) })
}

// RunRandom is the part of Run that runs random operations and compares the results with the
// Model's.
func RunRandom(t *testing.T, place Place) {
	if fixture.Lacks(fixture.LimitsOf(t, place)) != 0 {
		t.Skip("it draws what is beyond the store's limits")
	}
	tandem.RunRandom(t, place)
}

func runAll(t *testing.T, place fixture.Place, layout fixture.Layout, tests []fixture.Test) {
	limits := fixture.LimitsOf(t, place)
	if !fixture.Lays(limits, layout.Scheme) {
		t.Skip("the store lays no table out so")
	}
	for _, each := range tests {
		t.Run(each.Name, func(t *testing.T) {
			if each.Needs&fixture.Lacks(limits) != 0 {
				t.Skip("beyond the store's limits")
			}
			f := fixture.New(t, place, layout)
			each.Run(f)
		})
	}
}
