package hbase

import (
	"context"
	"database/sql"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

// droppingConn drops responses from the server, and with them the connection.
type droppingConn struct{ net.Conn }

func (c droppingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err == nil && lossy.on.Load() && rand.IntN(12) == 0 {
		lossy.dropped.Add(1)
		c.Close()
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// lossy is the HBase of the tests over connections that drop responses, while on is set.
var lossy struct {
	on      atomic.Bool
	dropped atomic.Int64
}

func init() {
	kv.Register("lossy", func(ctx context.Context, uri string) (kv.Store, error) {
		o, err := parseURI("hbase" + strings.TrimPrefix(uri, "lossy"))
		if err != nil {
			return nil, err
		}
		var d net.Dialer
		o.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := d.DialContext(ctx, network, addr)
			if err != nil || strings.Contains(quorumOfTests, addr) {
				return conn, err
			}
			return droppingConn{conn}, nil
		}
		return Open(ctx, o)
	})
}

// TestDroppedReplies increments a number with SQL while responses are dropped: each
// acknowledged increment is done once, and a failed one not at all, or perhaps once if
// its error says that the outcome is unknown.
func TestDroppedReplies(t *testing.T) {
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, nil, familySchema("a", behaviours["Ours"]...))
	a := "`" + name + "$a`"
	sure := openSQL(t, "")
	exec1(t, sure, "INSERT INTO "+a+" VALUES ('n', 'n', 1, 0)")
	db, err := sql.Open("hbasekv", "lossy://"+quorumOfTests+"/default")
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.Ping())
	each := 100
	if *long {
		each = 1000
	}
	lossy.on.Store(true)
	defer lossy.on.Store(false)
	var n increments
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range each {
				n.once(db, a)
			}
		})
	}
	all.Wait()
	n.check(t, sure, a)
	t.Logf("%d answers lost", lossy.dropped.Load())
	require.Positive(t, lossy.dropped.Load())
	require.Positive(t, n.done.Load())
	require.Zero(t, n.failed.Load(), "errors that do not say that nobody knows")
}
