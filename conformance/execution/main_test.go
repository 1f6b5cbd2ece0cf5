// Package execution holds that answers do not show how they were made: row by row or in batches, by one
// goroutine or several, in memory or with temporary files.
package execution

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
