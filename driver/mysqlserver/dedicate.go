package mysqlserver

import (
	"os"
	"runtime"

	"github.com/hbasekv/hbasekv/driver/mysqlserver/internal/socket"
)

// slack is how much more the heap counts than it holds. The heap of a server is small beside
// the block cache, which is none of it, so that the collector would run for each 4 MiB that
// statements leave behind. With eight clients they took 7 to 30 % less processor time so,
// with one 10 to 45 % (benchmark Wire); twice as much gains little more.
const slack = 32 << 20

// Dedicate sets up a process that does little but serve, until release is called: how many
// threads run at once, and how often memory is collected. What the environment says of
// either by GOMAXPROCS, GOGC and GOMEMLIMIT stays.
func Dedicate() (release func()) {
	before := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(socket.Places(before))
	}
	var room []byte // which nobody touches, so that it is no memory but for the collector
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		room = make([]byte, slack)
	}
	return func() {
		runtime.KeepAlive(room)
		runtime.GOMAXPROCS(before)
	}
}
