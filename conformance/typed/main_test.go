// Package typed has the tests of typed tables: rows with columns of their own over HBase's cells.
package typed

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
