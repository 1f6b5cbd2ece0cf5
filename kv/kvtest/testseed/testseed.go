// Package testseed is the seed of a randomised test: a new one, or that of HBASEKV_SEED, which repeats a failure.
package testseed

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Variable is the environment variable that sets the seed of all tests.
const Variable = "HBASEKV_SEED"

// Of returns the seed of a test and logs it, so that a test that fails says how to repeat it. A test that
// needs several asks once and counts on from there, since all are the same if the variable is set.
func Of(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv(Variable); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", Variable, err)
		}
	}
	t.Logf("%s=%d", Variable, seed)
	return seed
}
