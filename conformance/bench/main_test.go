// Package bench measures statements, beside yardsticks.
package bench

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m, closeBenches) }
