package harness

import (
	"flag"
	"os"
	"strconv"
	"testing"
	"time"
)

// InShort is the one in short runs and the other else: what makes every
// benchmark run once has to end in time on a busy machine too.
func InShort(short, long int) int {
	if testing.Short() {
		return short
	}
	return long
}

// Long is for tests that would make up much of the time of all: they run in CI.
var Long = flag.Bool("long", false, "run what takes long, too")

// Randomised histories: transactions, which are values made from a seed, run
// at the same time, and what they saw is checked afterwards.
//
//	go test ./conformance -run TestHistories -history.seed=N -history.txns=2000
var (
	historySeed = flag.Uint64("history.seed", 0, "the seed of the random histories; 0 takes the clock")
	HistoryTxns = flag.Int("history.txns", 60, "transactions of each worker in a random history")
)

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

// The oracle for SQL is MariaDB. Its answers to generated statements are
// recorded in testdata and compared in every run; the switches run against a
// live server instead.
var (
	Parallelism = flag.Int("parallelism", 0,
		"goroutines that read a table, however small, for a recorded or random statement; 0 leaves it to the driver")
)
var (
	ModelSeed = flag.Uint64("model.seed", EnvSeed(), "seed of the randomised comparison with the map model")
)

// EnvSeed is the seed of HBASEKV_SEED, or a new one.
func EnvSeed() uint64 {
	if n, err := strconv.ParseUint(os.Getenv("HBASEKV_SEED"), 10, 64); err == nil {
		return n
	}
	return uint64(time.Now().UnixNano())
}

var (
	MemberSeed = flag.Uint64("members.seed", EnvSeed(), "seed of TestRandomMembers")
)
