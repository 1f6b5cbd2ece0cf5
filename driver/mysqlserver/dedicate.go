package mysqlserver

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/socket"
)

// slack is how much more the heap counts than it holds. The heap of a server is small beside the
// block cache, which is none of it, so that the collector would run for each 4 MiB that statements
// leave behind. Its effect is that of the benchmark Wire with and without it, November 2026: 7 to
// 30 % less processor time for statements of eight clients, 10 to 45 % for one. Twice as much gains
// little more.
const slack = 32 << 20

// Dedicate sets up a process that does little but serve, until release is called: how many
// threads run at once, and how often memory is collected. What the environment says of
// either by GOMAXPROCS, GOGC and GOMEMLIMIT stays. It does so when the first client comes:
// servers of other protocols in the process, which wait in Go's poller, are better off without.
func Dedicate() (release func()) {
	dedicated.wanted.Store(true)
	return dedicated.release
}

var dedicated dedication

// dedication is what Dedicate has done to the process.
type dedication struct {
	wanted atomic.Bool // and not done yet

	mu     sync.Mutex
	before int    // GOMAXPROCS; 0 where nothing is done
	room   []byte // which nobody touches, so that it is no memory but for the collector
}

// serve is told that a client has come.
func (d *dedication) serve() {
	if !d.wanted.CompareAndSwap(true, false) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.before = runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(socket.Places(d.before))
	}
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		d.room = make([]byte, slack)
	}
}

// release undoes it.
func (d *dedication) release() {
	d.wanted.Store(false)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.before > 0 {
		runtime.GOMAXPROCS(d.before)
	}
	d.before, d.room = 0, nil
}
