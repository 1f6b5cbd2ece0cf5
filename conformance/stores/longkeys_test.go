package stores

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/suite"
)

// TestKeysLongerThanAny compares K and Q with strings longer than any table can
// hold, next to the longest allowed.
func TestKeysLongerThanAny(t *testing.T) {
	suite.CheckLongKeys(t, harness.OpenDB(t, ":memory:"), 0, 65535, " PARTITION BY KEY(K) PARTITIONS 64")
}
