package hbase

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"math"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-zookeeper/zk"
)

// Options say which cluster to use and how.
type Options struct {
	// Quorum are ZooKeeper's servers, as host or host:port.
	Quorum []string
	// ZNode is where HBase keeps its addresses in ZooKeeper; empty is /hbase.
	ZNode string
	// User is the name that HBase is told; empty is that of the process.
	User string
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
	// Dial, where it is not nil, makes the connections, to ZooKeeper too. TLS is put
	// on those to HBase's servers.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// DefaultTimeout is Options.Timeout where none is given.
const DefaultTimeout = 9 * time.Second

// complete writes the defaults out.
func (o Options) complete() (Options, error) {
	if len(o.Quorum) == 0 {
		return o, fmt.Errorf("no ZooKeeper server is named: hbase://host1,host2:2181/namespace is the form")
	}
	o.Quorum = zk.FormatServers(o.Quorum)
	if o.ZNode == "" {
		o.ZNode = "/hbase"
	}
	if o.User == "" {
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

func processUser() string {
	for _, name := range []string{"HADOOP_USER_NAME", "USER"} {
		if u := os.Getenv(name); u != "" {
			return u
		}
	}
	return "root"
}

// parseURI reads hbase://host1,host2:2181/namespace?parameters. The namespace is
// the driver's affair, and so are the parameters that are not here.
func parseURI(uri string) (Options, error) {
	rest := strings.TrimPrefix(uri, "hbase://")
	rest, query, _ := strings.Cut(rest, "?")
	hosts, _, _ := strings.Cut(rest, "/")
	var o Options
	if strings.Contains(hosts, "@") {
		return o, fmt.Errorf("the data source name %q holds a user: HBase has no passwords, user= names one", uri)
	}
	for _, h := range strings.Split(hosts, ",") {
		if h != "" {
			o.Quorum = append(o.Quorum, h)
		}
	}
	// One port behind the last host is that of all.
	if n := len(o.Quorum); n > 1 {
		if _, port, err := net.SplitHostPort(o.Quorum[n-1]); err == nil {
			for i, h := range o.Quorum[:n-1] {
				if !strings.Contains(h, ":") {
					o.Quorum[i] = net.JoinHostPort(h, port)
				}
			}
		}
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return o, fmt.Errorf("the parameters of the data source name: %w", err)
	}
	for name := range values {
		if err := o.set(name, values.Get(name), values); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (o *Options) set(name, value string, all url.Values) (err error) {
	switch name {
	case "znode":
		if !strings.HasPrefix(value, "/") {
			return fmt.Errorf("DSN parameter znode can't be set to the value of '%s': a path from / is needed", value)
		}
		o.ZNode = strings.TrimSuffix(value, "/")
	case "user":
		o.User = value
	case "rpcTimeout":
		if o.Timeout, err = time.ParseDuration(value); err != nil || o.Timeout <= 0 {
			return fmt.Errorf("DSN parameter rpcTimeout can't be set to the value of '%s': a duration above 0 with its unit is needed, as in 500ms or 10s", value)
		}
	case "multiRow":
		if value != "apply" {
			return fmt.Errorf("DSN parameter multiRow can't be set to the value of '%s': apply is all that there is", value)
		}
		o.MultiRow = true
	case "scanCaching":
		if o.ScanCaching, err = strconv.Atoi(value); err != nil || o.ScanCaching < 1 || o.ScanCaching > math.MaxInt32 {
			return fmt.Errorf("DSN parameter scanCaching can't be set to the value of '%s': a number of rows from 1 is needed", value)
		}
	case "tls":
		on, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("DSN parameter tls can't be set to the value of '%s': true or false is needed", value)
		}
		if on {
			return o.secure(all.Get("caFile"))
		}
	case "caFile":
		if on, _ := strconv.ParseBool(all.Get("tls")); !on {
			return fmt.Errorf("DSN parameter caFile means nothing without tls=true")
		}
	case "kerberos", "principal", "keytab", "krb5conf", "auth", "authentication":
		return fmt.Errorf("DSN parameter %s: Kerberos is not supported: the servers must accept simple authentication", name)
	default:
		return fmt.Errorf("unknown DSN parameter '%s'", name)
	}
	return nil
}

// secure has connections to HBase's servers use TLS; ZooKeeper's do not.
func (o *Options) secure(caFile string) error {
	o.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile == "" {
		return nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return fmt.Errorf("DSN parameter caFile: %w", err)
	}
	o.TLS.RootCAs = x509.NewCertPool()
	if !o.TLS.RootCAs.AppendCertsFromPEM(pem) {
		return fmt.Errorf("DSN parameter caFile: %s holds no certificate in PEM form", caFile)
	}
	return nil
}

// dialServer is how HBase's servers are dialled.
func (o *Options) dialServer() dialer {
	if o.TLS == nil {
		return o.Dial
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := o.Dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		config := o.TLS.Clone()
		if config.ServerName == "" {
			config.ServerName, _, _ = net.SplitHostPort(addr)
		}
		secured := tls.Client(conn, config)
		if err := secured.HandshakeContext(ctx); err != nil {
			conn.Close()
			return nil, err
		}
		return secured, nil
	}
}
