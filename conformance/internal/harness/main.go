// Package harness is what the tests of all subjects share: the flags, opening stores and servers,
// and reading rows.
package harness

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/hbasekv/hbasekv/kv/kvtest/testgc"
)

// Main is what each package's TestMain calls: it runs the tests, then atEnd, which
// closes what they share, and fails a package whose goroutines outlive its databases.
func Main(m *testing.M, atEnd ...func()) {
	testgc.Seldom()
	code := m.Run()
	stopMariaDB()
	for _, end := range atEnd {
		end()
	}
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Println(err)
		code = 1
	}
	os.Exit(code)
}
