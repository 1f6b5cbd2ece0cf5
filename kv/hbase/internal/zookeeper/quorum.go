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

	"github.com/hbasekv/hbasekv/kv/hbase/internal/kerberos"
)

// Quorum is ZooKeeper's servers.
type Quorum struct {
	Hosts []string // host:port
	Root  string   // the parent of HBase's znodes
	Dial  func(ctx context.Context, network, addr string) (net.Conn, error)
	// Login, if not nil, logs in to ZooKeeper, whose principal is Service, in the form of kerberos.Config.
	Login   *kerberos.Login
	Service string
}

type quietly struct{}

func (quietly) Printf(string, ...any) {}

// Locate reads the address in a znode below the root: meta-region-server or master. It ends with the context.
func (q *Quorum) Locate(ctx context.Context, node string) (string, error) {
	type answer struct {
		data []byte
		err  error
	}
	got, denied := make(chan answer, 1), make(chan error, 1)
	var lastDial atomic.Value
	dial := func(network, addr string, timeout time.Duration) (net.Conn, error) {
		limited, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		conn, err := q.Dial(limited, network, addr)
		if err != nil {
			lastDial.Store(err.Error())
			return nil, err
		}
		if q.Login == nil {
			return conn, nil
		}
		return &loggedIn{Conn: conn, login: func(exchange func(token []byte) ([]byte, error)) error {
			host, _, _ := net.SplitHostPort(addr)
			err := q.Login.Prove(ctx, q.Service, host, exchange)
			if err != nil {
				select {
				case denied <- err:
				default: // an earlier one is enough
				}
			}
			return err
		}}, nil
	}
	conn, _, err := zk.Connect(q.Hosts, 10*time.Second, zk.WithLogger(quietly{}), zk.WithDialer(dial), zk.WithHostProvider(&hosts{}))
	if err != nil {
		return "", fmt.Errorf("the ZooKeeper quorum %s cannot be reached: %w", strings.Join(q.Hosts, ","), err)
	}
	defer func() { go conn.Close() }()
	go func() {
		data, _, err := conn.Get(q.Root + "/" + node)
		got <- answer{data, err}
	}()
	select {
	case a := <-got:
		if errors.Is(a.err, zk.ErrNoNode) {
			return "", fmt.Errorf("ZooKeeper at %s has no znode %s/%s: HBase is not running or uses a different znode", strings.Join(q.Hosts, ","), q.Root, node)
		}
		if a.err != nil && strings.HasSuffix(a.err.Error(), wantsLogin) {
			return "", fmt.Errorf("the ZooKeeper quorum %s requires a login: add zooKeeperService=zookeeper to auth=kerberos, or use hbase+rpc://", strings.Join(q.Hosts, ","))
		}
		if a.err != nil {
			return "", fmt.Errorf("the ZooKeeper quorum %s cannot be reached: %w", strings.Join(q.Hosts, ","), a.err)
		}
		return parseServer(node, a.data)
	case err := <-denied:
		return "", fmt.Errorf("the ZooKeeper quorum %s: %w", strings.Join(q.Hosts, ","), err)
	case <-ctx.Done():
		why, _ := lastDial.Load().(string)
		if why == "" {
			why = "no answer"
		}
		return "", fmt.Errorf("the ZooKeeper quorum %s cannot be reached: %s: %w", strings.Join(q.Hosts, ","), why, ctx.Err())
	}
}

// wantsLogin ends the library's message for ZooKeeper's SESSIONCLOSEDREQUIRESASLAUTH, which it does not know.
const wantsLogin = ": -124"

// parseServer parses the content of a znode: a byte 0xff, a length and that many bytes to be ignored, the
// letters PBUF, and a message.
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
