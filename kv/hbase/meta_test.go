package hbase

import (
	"context"
	"flag"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv/kvtest"
	"github.com/hbasekv/hbasekv/partition"
)

// received is a transport that counts responses.
type received struct {
	transport
	requests, bytes atomic.Int64
}

func (r *received) call(ctx context.Context, to server, method string, request, response proto.Message) ([]byte, error) {
	cells, err := r.transport.call(ctx, to, method, request, response)
	r.requests.Add(1)
	r.bytes.Add(int64(len(cells) + proto.Size(response)))
	return cells, err
}

// of returns how many requests and bytes something takes.
func (r *received) of(t testing.TB, do func() error) (requests, bytes int64) {
	requests, bytes = r.requests.Load(), r.bytes.Load()
	require.NoError(t, do())
	return r.requests.Load() - requests, r.bytes.Load() - bytes
}

var metaRegions = flag.Int("meta.regions", 60, "the regions of TestCatalogIsNotReadAgain")

// Reading a catalog again costs what has changed, not all regions, and shows region
// splits, and new and dropped tables, like one that is read completely.
func TestCatalogIsNotReadAgain(t *testing.T) {
	s := openTest(t)
	ctx, name := context.Background(), newName()
	makeTable(t, s, name, boundsOfTest(*metaRegions), familySchema("f"))
	require.NoError(t, s.refresh(ctx))
	r := &received{transport: s.cluster.rpc}
	s.cluster.rpc = r
	refresh := func() error { return s.refresh(ctx) }

	again, bytes := r.of(t, refresh) // rows within the margin are returned again
	whole := openTest(t)
	w := &received{transport: whole.cluster.rpc}
	whole.cluster.rpc = w
	whole.cluster.changes = metaChanges{}
	all, allBytes := w.of(t, func() error { return whole.refresh(ctx) })
	t.Logf("%d regions: the whole list %d requests and %d bytes, what has changed %d requests and %d bytes",
		*metaRegions, all, allBytes, again, bytes)
	s.cluster.changes.newest += 2 * metaMargin // as if they were older
	quiet, quietBytes := r.of(t, refresh)
	t.Logf("a while later %d requests and %d bytes", quiet, quietBytes)
	require.LessOrEqual(t, quiet, int64(4), "namespaces, names, descriptors, changes")
	require.Less(t, quietBytes, allBytes-int64(*metaRegions)*100)
	s.cluster.changes.newest -= 2 * metaMargin

	require.NoError(t, whole.cluster.splitRegion(ctx, pbTable("default", name), []byte("r00000x")))
	other := openTest(t) // it has read everything
	require.NoError(t, s.refresh(ctx))
	require.Equal(t, *metaRegions+1, schemeIn(s, name).Len())
	require.Equal(t, schemeIn(other, name), schemeIn(s, name))

	late := newName()
	makeTable(t, other, late, boundsOfTest(3), familySchema("f"))
	require.NoError(t, s.refresh(ctx))
	require.Equal(t, 3, schemeIn(s, late).Len())
	require.NoError(t, other.cluster.deleteTable(ctx, pbTable("default", late)))
	require.NoError(t, s.refresh(ctx))
	require.Nil(t, kvtest.Catalog(s).Table("default", late+"$f"))
	makeTable(t, other, late, boundsOfTest(5), familySchema("f"))
	require.NoError(t, s.refresh(ctx))
	require.Equal(t, 5, schemeIn(s, late).Len())
}

func schemeIn(s *Store, table string) *partition.Scheme {
	return kvtest.Catalog(s).Table("default", table+"$f").Partitioning
}

// boundsOfTest returns the bounds between n regions.
func boundsOfTest(n int) (out [][]byte) {
	for i := range n - 1 {
		out = append(out, fmt.Appendf(nil, "r%05d", i))
	}
	return out
}
