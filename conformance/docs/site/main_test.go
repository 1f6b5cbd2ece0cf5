package main

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// TestMain gives the package the flags that commands for all of conformance have.
func TestMain(m *testing.M) { harness.Main(m) }
