package hbase

import (
	"crypto/tls"
	"fmt"
	"math"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/kv/hbase/internal/certificates"
)

// registryScheme is the scheme for naming a cluster's masters instead of ZooKeeper's servers.
const registryScheme = "hbase+rpc"

// parseURI parses hbase://host1,host2:2181/namespace?parameters. The driver handles the
// namespace, and the parameters that are not handled here.
func parseURI(uri string) (Options, error) {
	scheme, rest, _ := strings.Cut(uri, "://")
	rest, query, _ := strings.Cut(rest, "?")
	hosts, _, _ := strings.Cut(rest, "/")
	var o Options
	if strings.Contains(hosts, "@") {
		return o, fmt.Errorf("the data source name has a user before its hosts: set user=, or auth=kerberos to authenticate")
	}
	if servers := splitHosts(hosts); scheme == registryScheme {
		o.Masters = servers
	} else {
		o.Quorum = servers
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
	for _, name := range []string{"zooKeeperTLS", "zooKeeperService"} {
		if values.Has(name) && scheme == registryScheme {
			return o, fmt.Errorf("DSN parameter %s has no effect with %s://, which does not use ZooKeeper", name, registryScheme)
		}
	}
	return o, nil
}

// splitHosts splits hosts at commas. If only the last has a port, it applies to all.
func splitHosts(hosts string) (out []string) {
	for _, h := range strings.Split(hosts, ",") {
		if h != "" {
			out = append(out, h)
		}
	}
	if len(out) == 0 {
		return nil
	}
	if _, port, err := net.SplitHostPort(out[len(out)-1]); err == nil {
		for i, h := range out {
			if !strings.Contains(h, ":") {
				out[i] = net.JoinHostPort(h, port)
			}
		}
	}
	return out
}

func (o *Options) set(name, value string, all url.Values) (err error) {
	switch name {
	case "znode":
		if !strings.HasPrefix(value, "/") {
			return fmt.Errorf("DSN parameter znode can't be set to the value of '%s': it must be an absolute path", value)
		}
		o.ZNode = strings.TrimSuffix(value, "/")
	case "user":
		o.User = value
	case "rpcTimeout":
		if o.Timeout, err = time.ParseDuration(value); err != nil || o.Timeout <= 0 {
			return fmt.Errorf("DSN parameter rpcTimeout can't be set to the value of '%s': it must be a positive duration with a unit, such as 500ms or 10s", value)
		}
	case "multiRow":
		if value != "apply" {
			return fmt.Errorf("DSN parameter multiRow can't be set to the value of '%s': the only value is apply", value)
		}
		o.MultiRow = true
	case "scanCaching":
		if o.ScanCaching, err = strconv.Atoi(value); err != nil || o.ScanCaching < 1 || o.ScanCaching > math.MaxInt32 {
			return fmt.Errorf("DSN parameter scanCaching can't be set to the value of '%s': it must be a number of rows, at least 1", value)
		}
	case "tls":
		o.TLS, err = certified(name, value, all)
		return err
	case "zooKeeperTLS":
		o.ZooKeeperTLS, err = certified(name, value, all)
		return err
	case "caFile", "certFile", "keyFile":
		if !isOn(all.Get("tls")) && !isOn(all.Get("zooKeeperTLS")) {
			return fmt.Errorf("DSN parameter %s requires tls=true", name)
		}
	case "auth":
		return o.authenticate(value, all)
	case "principal", "keytab", "password", "ccache", "krb5Conf", "service", "protection", "zooKeeperService":
		if all.Get("auth") != "kerberos" {
			return fmt.Errorf("DSN parameter %s requires auth=kerberos", name)
		}
	default:
		return fmt.Errorf("unknown DSN parameter '%s'", name)
	}
	return nil
}

// authenticate sets how the user is authenticated.
func (o *Options) authenticate(by string, all url.Values) error {
	switch by {
	case "simple":
		return nil
	case "token", "digest":
		return fmt.Errorf("DSN parameter auth: HBase's delegation tokens are not supported; use auth=kerberos")
	case "kerberos":
	default:
		return fmt.Errorf("DSN parameter auth can't be set to the value of '%s': it must be simple or kerberos", by)
	}
	o.Kerberos = &Kerberos{Principal: all.Get("principal"), Keytab: all.Get("keytab"), Password: all.Get("password"),
		CCache: all.Get("ccache"), Krb5Conf: all.Get("krb5Conf"), Service: all.Get("service"), Protection: all.Get("protection")}
	o.ZooKeeperService = all.Get("zooKeeperService")
	return nil
}

func isOn(value string) bool {
	on, _ := strconv.ParseBool(value)
	return on
}

// certified returns the TLS configuration if TLS is on.
func certified(name, value string, all url.Values) (*tls.Config, error) {
	on, err := strconv.ParseBool(value)
	if err != nil {
		return nil, fmt.Errorf("DSN parameter %s can't be set to the value of '%s': it must be true or false", name, value)
	}
	if !on {
		return nil, nil
	}
	config, err := certificates.Config(all.Get("caFile"), all.Get("certFile"), all.Get("keyFile"))
	if err != nil {
		return nil, fmt.Errorf("DSN parameter %w", err)
	}
	return config, nil
}
