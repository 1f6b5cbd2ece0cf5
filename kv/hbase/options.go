package hbase

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv/hbase/internal/certificates"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/kerberos"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/registry"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/zookeeper"
)

// Options say which cluster to use and how.
type Options struct {
	// Quorum are ZooKeeper's servers, as host or host:port.
	Quorum []string
	// Masters are HBase's masters, as host or host:port, which are asked in place of
	// ZooKeeper where there are any: HBase's RpcConnectionRegistry.
	Masters []string
	// ZNode is where HBase keeps its addresses in ZooKeeper; empty is /hbase.
	ZNode string
	// User is the name that HBase is told; empty is that of the process. Where the
	// user is proved by Kerberos, it is whom that one acts for, as HBase lets it.
	User string
	// Kerberos, where it is not nil, is how the user is proved to HBase's servers.
	Kerberos *Kerberos
	// ZooKeeperService is ZooKeeper's principal, as Kerberos.Service has HBase's: the
	// user is proved to ZooKeeper too. Empty is for one that asks nobody for a login.
	ZooKeeperService string
	// Timeout is how long an operation may take whose context has no deadline; 0
	// is DefaultTimeout.
	Timeout time.Duration
	// MultiRow has a statement that is its own transaction write several rows, one by
	// one. What it has written stays where it fails.
	MultiRow bool
	// ScanCaching is how many rows a scanner is asked for at most at once, as
	// HBase's hbase.client.scanner.caching; 0 leaves it to the size of an answer.
	ScanCaching int
	// TLS, where it is not nil, is how connections to HBase's servers are secured.
	TLS *tls.Config
	// ZooKeeperTLS, where it is not nil, is how connections to ZooKeeper are secured.
	ZooKeeperTLS *tls.Config
	// Dial, where it is not nil, makes the connections, to ZooKeeper too. TLS and
	// Kerberos are put on them; the KDC is dialled without it.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Kerberos says as whom to log in by Kerberos, by which keys, and to whom.
type Kerberos = kerberos.Config

// DefaultTimeout is Options.Timeout where none is given.
const DefaultTimeout = 9 * time.Second

// complete writes the defaults out.
func (o Options) complete() (Options, error) {
	if len(o.Quorum) == 0 && len(o.Masters) == 0 {
		return o, fmt.Errorf("no server is named: hbase://zookeeper1,zookeeper2:2181/namespace is the form, or hbase+rpc://master1,master2:16000/namespace")
	}
	o.Quorum = zk.FormatServers(o.Quorum)
	o.Masters = slices.Clone(o.Masters) // which are the caller's
	for i, m := range o.Masters {
		if !strings.Contains(m, ":") {
			o.Masters[i] = net.JoinHostPort(m, masterPort)
		}
	}
	if o.ZNode == "" {
		o.ZNode = "/hbase"
	}
	if o.User == "" && o.Kerberos == nil {
		o.User = processUser()
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{Timeout: 5 * time.Second}).DialContext
	}
	return o, nil
}

// masterPort is HBase's own, hbase.master.port.
const masterPort = "16000"

func processUser() string {
	for _, name := range []string{"HADOOP_USER_NAME", "USER"} {
		if u := os.Getenv(name); u != "" {
			return u
		}
	}
	return "root"
}

// finder is how the master and hbase:meta's server are found.
func (o *Options) finder(a access) func(ctx context.Context, what string) (string, error) {
	if len(o.Masters) == 0 {
		q := &zookeeper.Quorum{Hosts: o.Quorum, Root: o.ZNode, Dial: certificates.Secured(o.Dial, o.ZooKeeperTLS)}
		if o.ZooKeeperService != "" {
			q.Login, q.Service = a.login, o.ZooKeeperService
		}
		return q.Locate
	}
	return (&registry.Registry{Masters: o.Masters, Call: func(ctx context.Context, addr, method string, request, response proto.Message) error {
		w := newWire(a)
		defer w.close()
		_, err := w.call(ctx, server{addr: addr, finds: true}, method, request, response)
		return err
	}}).Locate
}

// access is how HBase's servers are spoken with.
func (o *Options) access() (access, error) {
	a := access{user: o.User, dial: certificates.Secured(o.Dial, o.TLS)}
	if o.Kerberos == nil {
		return a, nil
	}
	login, err := kerberos.New(*o.Kerberos)
	if err != nil {
		return a, err
	}
	if a.login = login; a.user == "" {
		a.user = login.User()
	}
	return a, nil
}
