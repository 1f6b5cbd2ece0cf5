// Package cancellation holds that statements end when they are told to: by their context, by KILL and by their
// time limit, whatever they are doing.
package cancellation

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
