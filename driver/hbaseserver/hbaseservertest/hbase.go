package hbaseservertest

import (
	"context"
	"database/sql"
	"net"
	"testing"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
)

// HBase serves db, a store of hbasekvtest's Open or Template, to HBase's clients until the test ends, and
// returns the address of its ZooKeeper for gohbase.NewClient and NewAdminClient. The zero value of o is
// usable; its Faults makes calls fail, and its Lease is how long scanners wait. db belongs to the caller,
// whose writes clients see at once.
func HBase(t testing.TB, db *sql.DB, o hbaseserver.Options) (quorum string) {
	t.Helper()
	calls, zookeeper := listen(t), listen(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- hbaseserver.Serve(ctx, calls, zookeeper, db, o) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("hbaseservertest: %v", err)
		}
	})
	return zookeeper.Addr().String()
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("hbaseservertest: %v", err)
	}
	return l
}
