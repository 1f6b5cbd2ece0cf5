package harness

import (
	"flag"
	"os"
	"strconv"
	"testing"
	"time"
)

// Flags that tests of several packages read are here, so that each package defines them and
// `go test ./conformance/... -flag` works. Those of -mariadb and -wire are in their own
// files.
var (
	// Long is for tests that would take much of the total time: they run in CI.
	Long = flag.Bool("long", false, "also run the slow tests")

	Parallelism = flag.Int("parallelism", 0,
		"goroutines that read a table, however small, for a recorded or random statement; 0 leaves it to the driver")

	ModelSeed  = flag.Uint64("model.seed", EnvSeed(), "seed of the randomised comparison with the map model")
	MemberSeed = flag.Uint64("members.seed", EnvSeed(), "seed of random subqueries and percentiles")

	historySeed = flag.Uint64("history.seed", 0, "the seed of the random histories; 0 uses the current time")
	HistoryTxns = flag.Int("history.txns", 60, "transactions of each worker in a random history")
)

// SeedOf is the seed of -history.seed, or a new one; a test that fails says how to repeat it.
func SeedOf(t *testing.T) uint64 {
	seed := *historySeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("repeat with -history.seed=%d -history.txns=%d (the schedule is the machine's)", seed, *HistoryTxns)
		}
	})
	return seed
}

// EnvSeed is the seed of HBASEKV_SEED, or a new one.
func EnvSeed() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("HBASEKV_SEED"), 10, 64); err == nil {
		return n
	}
	return uint64(time.Now().UnixNano())
}

// InShort returns short in short runs, else long: running every benchmark once
// must not take long, even on a busy machine.
func InShort(short, long int) int {
	if testing.Short() {
		return short
	}
	return long
}
