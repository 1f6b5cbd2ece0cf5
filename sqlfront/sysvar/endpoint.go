package sysvar

import (
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Endpoint is the address of a server and its limit of clients, for its variables. It is empty for the
// embedded driver.
type Endpoint struct {
	Port           int    // 0 for a socket
	Socket         string // its path
	MaxConnections int
}

// isEndpointVariable reports whether the endpoint decides a variable, in both scopes.
func isEndpointVariable(name string) bool {
	switch name {
	case "max_connections", "port", "skip_networking", "socket":
		return true
	}
	return false
}

// variable is a system variable that the endpoint decides.
func (e Endpoint) variable(name string) (value.Value, bool) {
	switch {
	case e.MaxConnections == 0:
		return value.Value{}, false
	case name == "max_connections":
		return value.NewUint(uint64(e.MaxConnections)), true
	case name == "port":
		return value.NewUint(uint64(e.Port)), true
	case name == "skip_networking":
		return value.NewBool(e.Port == 0), true
	}
	return value.NewString(e.Socket), true
}
