// Package driver holds the driver to the contract of go-sql-driver, embedded and over the wire.
package driver

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
