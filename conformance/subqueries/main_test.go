// Package subqueries tests subqueries, with and without columns of the outer rows, as semi and anti
// joins, as values, in FROM with LATERAL, and JSON_TABLE.
package subqueries

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
