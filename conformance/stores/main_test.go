// Package stores tests tables on disk: partitions that split and move, retention, processes that are killed,
// and random statements beside a model in memory.
package stores

import (
	"fmt"
	"os"
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		if err := children[role](os.Getenv(childDSN)); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	harness.Main(m)
}
