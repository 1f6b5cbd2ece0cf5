package driver

import (
	"errors"
	"net"
	"net/url"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
)

// instead says how to reach a store that another process holds.
func instead(err error) string {
	var held *kv.HeldError
	if !errors.As(err, &held) {
		return ""
	}
	if len(held.Addresses) == 0 {
		return "; to share it, open it with hbasekv serve"
	}
	var names []string
	for _, a := range held.Addresses {
		names = append(names, "hbasekv sql "+serverName(a))
	}
	return "; use the store through it with the driver \"mysql\", with " + strings.Join(names, " or ") +
		", and with hbasekv load and export"
}

// serverName is a server's address as the command takes it for a data source name.
func serverName(a kv.Address) string {
	u := url.URL{Scheme: "mysql", User: url.User("root"), Host: a.Address, Path: "/" + DefaultDB}
	if a.Network == "unix" {
		u.Host, u.RawQuery = "localhost", "socket="+strings.ReplaceAll(url.QueryEscape(a.Address), "%2F", "/")
		return u.String()
	}
	if host, port, err := net.SplitHostPort(a.Address); err == nil {
		if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
			u.Host = net.JoinHostPort("127.0.0.1", port)
		}
	}
	return u.String()
}
