// Package registry finds HBase's servers by its masters, without ZooKeeper: what HBase calls
// RpcConnectionRegistry.
package registry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// Registry asks masters; any of them answers, active or not. Its methods are safe for concurrent use.
type Registry struct {
	Masters []string // host:port
	// Call sends a request to the service ClientMetaService of a server, and fills the response.
	Call func(ctx context.Context, addr, method string, request, response proto.Message) error

	mu    sync.Mutex
	known []string // the master that answered last, and those that it knows
}

// What is looked for: the active master, and the server of hbase:meta.
const (
	Master = "master"
	Meta   = "meta-region-server"
)

// Locate returns the address of the active master or of the server of hbase:meta, for Master or Meta. It asks
// one master after the other: first the last one that answered and those that it knew.
func (r *Registry) Locate(ctx context.Context, what string) (string, error) {
	r.mu.Lock()
	masters := slices.Concat(r.known, r.Masters)
	r.mu.Unlock()
	var failed []error
	tried := map[string]bool{}
	for _, m := range masters {
		if tried[m] {
			continue
		}
		tried[m] = true
		found, err := r.ask(ctx, m, what)
		if err == nil {
			return found, nil
		}
		failed = append(failed, err)
		if ctx.Err() != nil {
			break
		}
	}
	return "", fmt.Errorf("no server found through the masters %s: %w", strings.Join(r.Masters, ", "), errors.Join(failed...))
}

// ask asks a master, and learns which other masters there are.
func (r *Registry) ask(ctx context.Context, master, what string) (string, error) {
	method, path := "GetActiveMaster", []protowire.Number{1}
	if what == Meta {
		method, path = "GetMetaRegionLocations", []protowire.Number{1, 2}
	}
	found, err := r.servers(ctx, master, method, path)
	if err != nil {
		return "", err
	}
	if len(found) == 0 {
		return "", fmt.Errorf("%s knows of no %s yet", master, what)
	}
	if others, err := r.servers(ctx, master, "GetMasters", []protowire.Number{1, 1}); err == nil {
		r.mu.Lock()
		r.known = append([]string{master}, others...)
		r.mu.Unlock()
	}
	return found[0], nil
}

// servers returns the servers in the response to a request without parameters, which gohbase does not know:
// those at a path of fields.
func (r *Registry) servers(ctx context.Context, master, method string, path []protowire.Number) ([]string, error) {
	answer := &pb.EmptyMsg{}
	if err := r.Call(ctx, master, method, &pb.EmptyMsg{}, answer); err != nil {
		return nil, err
	}
	found := [][]byte{answer.ProtoReflect().GetUnknown()}
	for _, number := range path {
		var below [][]byte
		for _, m := range found {
			below = append(below, field(m, number)...)
		}
		found = below
	}
	var out []string
	for _, m := range found {
		var name pb.ServerName
		if err := proto.Unmarshal(m, &name); err != nil {
			return nil, err
		}
		out = append(out, net.JoinHostPort(name.GetHostName(), strconv.Itoa(int(name.GetPort()))))
	}
	return out, nil
}

// field returns the values of a field of a message, which are messages.
func field(m []byte, number protowire.Number) (out [][]byte) {
	for len(m) > 0 {
		at, kind, n := protowire.ConsumeTag(m)
		if n < 0 {
			return out
		}
		m = m[n:]
		if at == number && kind == protowire.BytesType {
			if value, n := protowire.ConsumeBytes(m); n >= 0 {
				out = append(out, value)
			}
		}
		if n = protowire.ConsumeFieldValue(at, kind, m); n < 0 {
			return out
		}
		m = m[n:]
	}
	return out
}
