package hbase

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
)

// droppingConn loses answers that the server has sent, and with them the connection.
type droppingConn struct {
	net.Conn
	drops func() bool
}

func (c droppingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err == nil && c.drops() {
		c.Close()
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// TestDroppedReplies increments a number while answers are lost: each increment that
// is acknowledged is done once, and one that is not is done once or, where the error
// says that nobody knows, perhaps.
func TestDroppedReplies(t *testing.T) {
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, nil, familySchema("a", behaviours["Ours"]...))
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	var mu sync.Mutex
	r := rand.New(rand.NewPCG(seed, 1))
	var on atomic.Bool
	var dropped atomic.Int64
	drops := func() bool {
		mu.Lock()
		defer mu.Unlock()
		if !on.Load() || r.IntN(12) != 0 {
			return false
		}
		dropped.Add(1)
		return true
	}
	var d net.Dialer
	lossy, err := Open(context.Background(), Options{Quorum: strings.Split(quorumOfTests, ","), Dial: func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := d.DialContext(ctx, network, addr)
		if err != nil || strings.Contains(quorumOfTests, addr) {
			return conn, err
		}
		return droppingConn{conn, drops}, nil
	}})
	require.NoError(t, err)
	defer lossy.Close()
	ctx := context.Background()
	put := func(txn kv.Txn, n int) error {
		return txn.Put(ctx, txn.Catalog().Table("default", name+"$a"), kv.Cell{Row: []byte("k"), Qualifier: []byte("n"), Timestamp: 1, Value: fmt.Append(nil, n)})
	}
	first := kvtest.Begin(s, kv.TxnOptions{})
	require.NoError(t, put(first, 0))
	require.NoError(t, first.Commit(ctx))

	increment := func() error {
		txn, err := lossy.Begin(ctx, kv.TxnOptions{})
		if err != nil {
			return err
		}
		defer txn.Rollback()
		at := kv.Position{Row: []byte("k"), Qualifier: []byte("n"), Depth: kv.DepthColumn}
		c, err := txn.Scan(ctx, []*kv.Table{txn.Catalog().Table("default", name+"$a")},
			&kv.Scan{Ranges: []kv.Range{{Start: at, End: behind(at)}}, MaxVersions: 1, NeedValue: true})
		if err != nil {
			return err
		}
		n := -1
		for c.Next() {
			v, err := c.Value()
			if err != nil {
				return err
			}
			if n, err = strconv.Atoi(string(v)); err != nil {
				return err
			}
		}
		if err := errors.Join(c.Err(), c.Close()); err != nil {
			return err
		}
		if n < 0 {
			return errors.New("the number is not there")
		}
		if err := put(txn, n+1); err != nil {
			return err
		}
		return txn.Commit(ctx)
	}
	on.Store(true)
	var done, unknown, conflicts atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				switch err := increment(); {
				case err == nil:
					done.Add(1)
				case errors.Is(err, kv.ErrOutcomeUnknown):
					unknown.Add(1)
				case errors.Is(err, kv.ErrConflict):
					conflicts.Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	on.Store(false)
	cells := read(t, s, []string{name + "$a"}, kv.Scan{NeedValue: true})
	require.Len(t, cells, 1)
	n, err := strconv.ParseInt(string(cells[0].Value), 10, 64)
	require.NoError(t, err)
	t.Logf("%d answers lost, %d done, %d unknown, %d conflicts: %d", dropped.Load(), done.Load(), unknown.Load(), conflicts.Load(), n)
	require.Positive(t, dropped.Load())
	require.GreaterOrEqual(t, n, done.Load())
	require.LessOrEqual(t, n, done.Load()+unknown.Load())
}
