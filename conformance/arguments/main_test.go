// Package arguments holds that a statement with placeholders does what it does with its literals in
// their places, whatever their types are.
package arguments

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
