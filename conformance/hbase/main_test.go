// Package hbase gives the statements of the other packages to a real HBase: HBASEKV_TEST_ZK says where.
package hbase

import (
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
