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
	// Quorum lists ZooKeeper's servers, as host or host:port.
	Quorum []string
	// Masters lists HBase's masters, as host or host:port. If there are any, they are
	// asked instead of ZooKeeper, like with HBase's RpcConnectionRegistry.
	Masters []string
	// ZNode is where HBase keeps its addresses in ZooKeeper; empty means /hbase.
	ZNode string
	// User is the user name for HBase; empty means that of the process. With Kerberos
	// it is the user for whom the authenticated one acts, if HBase allows that.
	User string
	// Kerberos, if not nil, says how to authenticate to HBase's servers.
	Kerberos *Kerberos
	// ZooKeeperService is ZooKeeper's principal, in the form of Kerberos.Service: the
	// user also logs in to ZooKeeper. Empty means no login.
	ZooKeeperService string
	// Timeout is the time limit of an operation whose context has no deadline; 0
	// is DefaultTimeout.
	Timeout time.Duration
	// MultiRow lets a statement that is its own transaction write several rows, one
	// by one. If it fails, what it has written stays.
	MultiRow bool
	// ScanCaching is the most rows in a scanner's request, like HBase's
	// hbase.client.scanner.caching; 0 limits only the size of a response.
	ScanCaching int
	// TLS, if not nil, secures connections to HBase's servers.
	TLS *tls.Config
	// ZooKeeperTLS, if not nil, secures connections to ZooKeeper.
	ZooKeeperTLS *tls.Config
	// Dial, if not nil, makes the connections, also to ZooKeeper. TLS and Kerberos
	// are applied on top; the KDC is dialled without it.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Kerberos says as which user to log in with Kerberos, with which keys, and to which
// service.
type Kerberos = kerberos.Config

// DefaultTimeout is the default of Options.Timeout.
const DefaultTimeout = 9 * time.Second

// complete fills in the defaults.
func (o Options) complete() (Options, error) {
	if len(o.Quorum) == 0 && len(o.Masters) == 0 {
		return o, fmt.Errorf("no server is given: use hbase://zookeeper1,zookeeper2:2181/namespace or hbase+rpc://master1,master2:16000/namespace")
	}
	o.Quorum = zk.FormatServers(o.Quorum)
	o.Masters = slices.Clone(o.Masters) // the slice is the caller's
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

// masterPort is HBase's default for hbase.master.port.
const masterPort = "16000"

func processUser() string {
	for _, name := range []string{"HADOOP_USER_NAME", "USER"} {
		if u := os.Getenv(name); u != "" {
			return u
		}
	}
	return "root"
}

// finder returns the function that finds the master and hbase:meta's server.
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

// access says how to talk to HBase's servers.
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
