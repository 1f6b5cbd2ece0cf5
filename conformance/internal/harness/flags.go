package harness

import (
	"flag"
	"testing"
)

// Flags that tests of several packages read are here, so that each package defines them and
// `go test ./conformance/... -flag` works. Those of -mariadb and -wire are in their own
// files.
var (
	// Long is for tests that would take much of the total time: they run in CI.
	Long = flag.Bool("long", false, "also run the slow tests")

	Parallelism = flag.Int("parallelism", 0,
		"goroutines that read a table, however small, for a recorded or random statement; 0 leaves it to the driver")

	HistoryTxns = flag.Int("history.txns", 60, "transactions of each worker in a random history")
)

// InShort returns short in short runs, else long: running every benchmark once
// must not take long, even on a busy machine.
func InShort(short, long int) int {
	if testing.Short() {
		return short
	}
	return long
}
