package registry_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv/hbase/internal/registry"
)

// masters answer like HBase's; those without an entry cannot be reached.
type masters map[string]struct {
	active, meta string
	all          []string
}

func (m masters) call(_ context.Context, addr, method string, _, response proto.Message) error {
	one, ok := m[addr]
	if !ok {
		return errors.New(addr + " cannot be reached")
	}
	name := func(host string) []byte {
		b, _ := proto.Marshal(&pb.ServerName{HostName: &host, Port: proto.Uint32(16000)})
		return b
	}
	part := func(number protowire.Number, b []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), b)
	}
	var out []byte
	switch method {
	case "GetActiveMaster":
		if one.active != "" {
			out = part(1, name(one.active))
		}
	case "GetMetaRegionLocations":
		out = part(1, append(part(1, []byte("region")), part(2, name(one.meta))...))
	case "GetMasters":
		for _, host := range one.all {
			out = append(out, part(1, append(part(1, name(host)), protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), 1)...))...)
		}
	}
	return proto.Unmarshal(out, response)
}

// TestLocate follows a cluster whose masters come and go: the named one may go once another is known.
func TestLocate(t *testing.T) {
	ctx := context.Background()
	cluster := masters{"a:16000": {"a", "r1", []string{"a", "b"}}, "b:16000": {"a", "r1", []string{"a", "b"}}}
	r := &registry.Registry{Masters: []string{"gone:16000", "a:16000"}, Call: cluster.call}
	locate := func(what string) string {
		t.Helper()
		out, err := r.Locate(ctx, what)
		require.NoError(t, err)
		return out
	}
	require.Equal(t, "a:16000", locate(registry.Master))
	require.Equal(t, "r1:16000", locate(registry.Meta))
	delete(cluster, "a:16000")
	cluster["b:16000"] = struct {
		active, meta string
		all          []string
	}{"b", "r2", []string{"b", "c"}}
	require.Equal(t, "b:16000", locate(registry.Master))
	require.Equal(t, "r2:16000", locate(registry.Meta))
	cluster["b:16000"] = struct {
		active, meta string
		all          []string
	}{all: []string{"b"}}
	_, err := r.Locate(ctx, registry.Master)
	require.ErrorContains(t, err, "b:16000 knows of no master yet")
	require.ErrorContains(t, err, "gone:16000 cannot be reached")
}
