// Package writes tests statements that write cells, and LOAD DATA.
package writes

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
