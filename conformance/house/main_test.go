// Package house holds the code to its own order: imports, recursion, and who knows which store there is.
package house

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
