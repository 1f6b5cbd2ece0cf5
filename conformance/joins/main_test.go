// Package joins tests joins, the order and the way in which they are chosen, and the
// estimates that they are chosen by.
package joins

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
