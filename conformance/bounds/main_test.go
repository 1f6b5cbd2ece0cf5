// Package bounds holds what statements may take: seeks, allocations, memory, depth, and time until they
// end when they are told to.
package bounds

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
