// Package sql compares expressions and statements that read with MariaDB, and tests views of versions.
package sql

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
