// Package reports tests groups, ROLLUP, windows, pivots and sorts.
package reports

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
