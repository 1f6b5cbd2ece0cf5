// Package zookeeper finds HBase's servers by the znodes in which they keep their addresses.
package zookeeper

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"
)

// Quorum is ZooKeeper's servers.
type Quorum struct {
	Hosts []string // host:port
	Root  string   // the znode below which HBase's are
	Dial  func(ctx context.Context, network, addr string) (net.Conn, error)
}

type quietly struct{}

func (quietly) Printf(string, ...any) {}

// Locate reads the address that a znode below the root holds: of meta-region-server
// or of master. It ends with the context.
func (q *Quorum) Locate(ctx context.Context, node string) (string, error) {
	var lastDial atomic.Value
	dial := func(network, addr string, timeout time.Duration) (net.Conn, error) {
		limited, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		conn, err := q.Dial(limited, network, addr)
		if err != nil {
			lastDial.Store(err.Error())
		}
		return conn, err
	}
	conn, _, err := zk.Connect(q.Hosts, 10*time.Second, zk.WithLogger(quietly{}), zk.WithDialer(dial))
	if err != nil {
		return "", fmt.Errorf("the ZooKeeper quorum %s cannot be reached: %w", strings.Join(q.Hosts, ","), err)
	}
	type answer struct {
		data []byte
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		data, _, err := conn.Get(q.Root + "/" + node)
		got <- answer{data, err}
		conn.Close()
	}()
	select {
	case a := <-got:
		if errors.Is(a.err, zk.ErrNoNode) {
			return "", fmt.Errorf("ZooKeeper at %s has no znode %s/%s: no HBase is running, or its znode is another", strings.Join(q.Hosts, ","), q.Root, node)
		}
		if a.err != nil {
			return "", fmt.Errorf("the ZooKeeper quorum %s cannot be reached: %w", strings.Join(q.Hosts, ","), a.err)
		}
		return parseServer(node, a.data)
	case <-ctx.Done():
		go conn.Close()
		why, _ := lastDial.Load().(string)
		if why == "" {
			why = "no answer"
		}
		return "", fmt.Errorf("the ZooKeeper quorum %s cannot be reached: %s: %w", strings.Join(q.Hosts, ","), why, ctx.Err())
	}
}

// parseServer reads a znode: a byte 0xff, a length and that many bytes of no
// interest, the letters PBUF, and a message.
func parseServer(node string, data []byte) (string, error) {
	bad := fmt.Errorf("the znode %s cannot be read", node)
	if len(data) < 5 || data[0] != 0xff {
		return "", bad
	}
	rest := data[5:]
	n := binary.BigEndian.Uint32(data[1:])
	if uint64(n)+4 > uint64(len(rest)) {
		return "", bad
	}
	message, ok := bytes.CutPrefix(rest[n:], []byte("PBUF"))
	if !ok {
		return "", bad
	}
	var name *pb.ServerName
	if node == "master" {
		m := &pb.Master{}
		if proto.Unmarshal(message, m) != nil {
			return "", bad
		}
		name = m.GetMaster()
	} else {
		m := &pb.MetaRegionServer{}
		if proto.Unmarshal(message, m) != nil {
			return "", bad
		}
		name = m.GetServer()
	}
	return net.JoinHostPort(name.GetHostName(), strconv.Itoa(int(name.GetPort()))), nil
}
