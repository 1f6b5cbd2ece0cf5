package mysqlserver

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/socket"
)

// TestDedicate: the first client of a dedicated process changes the process, and nothing before it
// does.
func TestDedicate(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	var d dedication
	d.serve()
	require.Equal(t, before, runtime.GOMAXPROCS(0), "nobody has asked for it")
	for range 2 {
		d.wanted.Store(true)
		require.Equal(t, before, runtime.GOMAXPROCS(0), "no client has come")
		for range 3 {
			d.serve()
			require.Equal(t, socket.Places(before), runtime.GOMAXPROCS(0))
		}
		d.release()
		require.Equal(t, before, runtime.GOMAXPROCS(0))
	}
	d.wanted.Store(true)
	d.release()
	d.serve()
	require.Equal(t, before, runtime.GOMAXPROCS(0), "it is released")
}
