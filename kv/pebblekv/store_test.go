package pebblekv

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
)

// TestSuite runs the suite that every store passes, on files.
func TestSuite(t *testing.T) {
	kvtest.Run(t, func(t testing.TB) kvtest.Opener {
		dir := t.TempDir()
		return func(t testing.TB) kv.Store {
			s, err := Open(Options{Dir: dir})
			require.NoError(t, err)
			return s
		}
	})
}
