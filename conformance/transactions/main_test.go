// Package transactions tests transactions and locks of several sessions, their levels, and how sessions end.
package transactions

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
