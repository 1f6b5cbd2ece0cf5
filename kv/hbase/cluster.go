package hbase

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/registry"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/tablename"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/timeouts"
)

// regionInfo is one region and where it is served.
type regionInfo struct {
	table      string // including its namespace, as HBase writes it
	name       []byte
	start, end []byte // empty if open
	server     server // without an address if no server serves it
}

// encoded returns the region's short name, which is also its folder's.
func (r *regionInfo) encoded() string {
	name := strings.TrimSuffix(string(r.name), ".")
	return name[strings.LastIndexByte(name, '.')+1:]
}

// id returns the number in the region's name: TABLE,START,ID.ENCODED. where START may have any bytes.
func (r *regionInfo) id() (uint64, error) {
	name := strings.TrimSuffix(string(r.name), ".")
	name = strings.TrimSuffix(name, "."+r.encoded())
	return strconv.ParseUint(name[strings.LastIndexByte(name, ',')+1:], 10, 64)
}

// contains reports whether a row is in the region.
func (r *regionInfo) contains(row []byte) bool {
	return bytes.Compare(row, r.start) >= 0 && (len(r.end) == 0 || bytes.Compare(row, r.end) < 0)
}

// cluster knows the locations of the regions and the master.
type cluster struct {
	rpc transport
	// closed is true once the store is closed: cursors then return no more cells.
	closed atomic.Bool
	// find returns the address of the active master or of the server of hbase:meta, for registry.Master or
	// registry.Meta.
	find func(ctx context.Context, node string) (string, error)
	// timeout is the time limit of an operation whose context has no deadline.
	timeout  time.Duration
	timeouts timeouts.All
	caching  int // the most rows in a scanner's request; 0 leaves it to bytes
	retries  atomic.Uint64

	loads loads

	behind atomic.Int64 // requests for which nobody may be waiting

	mu      sync.Mutex
	meta    server
	master  server
	regions map[string][]*regionInfo // by table, in order

	changes metaChanges
}

// seeThrough runs something that continues even if its caller does not.
func (c *cluster) seeThrough(do func()) {
	c.behind.Add(1)
	go func() {
		defer c.behind.Add(-1)
		do()
	}()
}

// finishTimeout is how long close waits for what seeThrough runs.
const finishTimeout = time.Second

// close closes the connections, after the last requests to the servers.
func (c *cluster) close() {
	if c.closed.Swap(true) {
		return
	}
	for end := time.Now().Add(finishTimeout); c.behind.Load() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	c.rpc.close()
}

// again runs an operation until it succeeds, is refused, or its time is up. An operation that may have been
// done is not repeated.
func (c *cluster) again(ctx context.Context, do func(context.Context) error, wrong func(outcome)) error {
	ctx, cancel := c.within(ctx, 0)
	defer cancel()
	return c.retry(ctx, do, wrong)
}

func (c *cluster) retry(ctx context.Context, do func(context.Context) error, wrong func(outcome)) error {
	// The looked-up location may be outdated: the second attempt follows at once.
	for wait := time.Duration(0); ; wait = min(max(2*wait, 5*time.Millisecond), 500*time.Millisecond) {
		err := do(ctx)
		if err == nil {
			return nil
		}
		switch o := outcomeOf(err); o {
		case moved, notSent, busy:
			wrong(o)
		case canceled:
			return ended(ctx, err)
		default:
			return err
		}
		select {
		case <-ctx.Done():
			return ended(ctx, err)
		case <-time.After(wait):
			c.retries.Add(1)
		}
	}
}

// onMaster sends a request to the master. It retries if the request was certainly not executed, and, if asks
// is set, also if that is unknown: such a request only asks, or is done once even if sent twice.
func (c *cluster) onMaster(ctx context.Context, method string, request, response proto.Message, asks bool) error {
	return c.again(ctx, func(ctx context.Context) error {
		to, err := c.masterAddr(ctx)
		if err != nil {
			return err
		}
		_, err = c.rpc.call(ctx, to, method, request, response)
		if asks && outcomeOf(err) == lost && err != nil {
			return &rpcError{notSent, "", err.Error()}
		}
		return err
	}, func(outcome) { c.set(&c.master, server{}) })
}

func (c *cluster) masterAddr(ctx context.Context) (server, error) {
	if s := c.get(&c.master); s.addr != "" {
		return s, nil
	}
	addr, err := c.find(ctx, registry.Master)
	if err != nil {
		return server{}, err
	}
	return c.set(&c.master, server{addr: addr, master: true}), nil
}

func (c *cluster) metaAddr(ctx context.Context) (server, error) {
	if s := c.get(&c.meta); s.addr != "" {
		return s, nil
	}
	addr, err := c.find(ctx, registry.Meta)
	if err != nil {
		return server{}, err
	}
	return c.set(&c.meta, server{addr: addr}), nil
}

func (c *cluster) get(s *server) server {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *s
}

func (c *cluster) set(s *server, to server) server {
	c.mu.Lock()
	defer c.mu.Unlock()
	*s = to
	return to
}

// metaRegion is the name of the region of hbase:meta.
var metaRegion = []byte("hbase:meta,,1")

// metaRow is the content of one row of hbase:meta: a region, or a table's state.
type metaRow struct {
	key     string
	changed int64 // newest timestamp of what was read, in ms by the master's clock
	region  *regionInfo
	table   string
	off     bool // the table is not enabled
}

// readMeta reads the cells of hbase:meta since a time, in rows from start to stop.
func (c *cluster) readMeta(ctx context.Context, start, stop []byte, since int64) (rows []metaRow, err error) {
	err = c.again(ctx, func(ctx context.Context) (err error) {
		to, err := c.metaAddr(ctx)
		if err != nil {
			return err
		}
		rows, err = c.scanMeta(ctx, to, start, stop, since)
		if o := outcomeOf(err); err != nil && (o == lost || o == gone) {
			return &rpcError{moved, "", err.Error()}
		}
		return err
	}, func(outcome) { c.set(&c.meta, server{}) })
	return rows, err
}

func (c *cluster) scanMeta(ctx context.Context, to server, start, stop []byte, since int64) (rows []metaRow, err error) {
	var key []byte
	var next metaRow
	flush := func() {
		if key != nil {
			rows = append(rows, next)
		}
		next = metaRow{}
	}
	s := &serverScan{cluster: c, to: to, region: metaRegion}
	defer s.close()
	request := &pb.Scan{StartRow: start, StopRow: stop, TimeRange: timeRange(kv.TimeRange{Min: since, Max: maxTimestamp}), Column: []*pb.Column{
		{Family: []byte("info"), Qualifier: [][]byte{[]byte("regioninfo"), []byte("server")}}, {Family: []byte("table")}}}
	for {
		block, more, err := s.next(ctx, request, 1000)
		for len(block) > 0 && err == nil {
			var at cell
			if block, err = at.decode(block); err == nil {
				if !bytes.Equal(key, at.row) {
					flush()
					key = at.row
				}
				next.take(&at)
			}
		}
		if err != nil || !more {
			flush()
			return rows, err
		}
	}
}

// take adds the content of a cell of hbase:meta.
func (m *metaRow) take(at *cell) {
	m.key, m.changed = string(at.row), max(m.changed, at.timestamp)
	switch string(at.family) + ":" + string(at.qualifier) {
	case "table:state":
		// TableState has one field, 0 if the table is enabled.
		m.table = string(at.row)
		if _, _, n := protowire.ConsumeTag(at.value); n > 0 {
			state, _ := protowire.ConsumeVarint(at.value[n:])
			m.off = state != 0
		}
	case "info:regioninfo":
		info := &pb.RegionInfo{}
		body, ok := bytes.CutPrefix(at.value, []byte("PBUF"))
		if !ok || proto.Unmarshal(body, info) != nil || info.GetOffline() || info.GetSplit() || info.GetReplicaId() != 0 {
			return
		}
		addr := ""
		if m.region != nil {
			addr = m.region.server.addr
		}
		m.region = &regionInfo{table: tablename.Of(info.GetTableName()), name: at.row, start: info.GetStartKey(), end: info.GetEndKey(),
			server: server{addr: addr}}
	case "info:server":
		if m.region != nil { // regioninfo comes first
			m.region.server.addr = string(at.value)
		}
	}
}

// tableRegions returns a table's regions in order, from the cache or hbase:meta.
func (c *cluster) tableRegions(ctx context.Context, table string) ([]*regionInfo, error) {
	c.mu.Lock()
	known := c.regions[table]
	c.mu.Unlock()
	if known != nil {
		return known, nil
	}
	rows, err := c.readMeta(ctx, []byte(table), []byte(table+"-"), 0)
	if err != nil {
		return nil, err
	}
	var found []*regionInfo
	for _, m := range rows {
		if m.region != nil && m.region.table == table {
			found = append(found, m.region)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%w: HBase has no table %s", kv.ErrNoTable, table)
	}
	c.learn(table, found)
	return found, nil
}

// learn caches a table's regions.
func (c *cluster) learn(table string, found []*regionInfo) {
	slices.SortFunc(found, func(a, b *regionInfo) int { return bytes.Compare(a.start, b.start) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.regions[table] = found
}

// forget removes a table's regions from the cache.
func (c *cluster) forget(table string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.regions, table)
}

// regionOf returns the region of a row; if before is set, that of the rows just before it, where an empty row
// means the end of the table.
func (c *cluster) regionOf(ctx context.Context, table string, row []byte, before bool) (*regionInfo, error) {
	all, err := c.tableRegions(ctx, table)
	if err != nil {
		return nil, err
	}
	i := sort.Search(len(all), func(i int) bool { return bytes.Compare(all[i].start, row) > 0 }) - 1
	if before {
		i = len(all) - 1
		if len(row) > 0 {
			i = sort.Search(len(all), func(i int) bool { return bytes.Compare(all[i].start, row) >= 0 }) - 1
		}
	}
	if i < 0 || !before && !all[i].contains(row) || all[i].server.addr == "" {
		return nil, &rpcError{moved, "", fmt.Sprintf("no server has the region of the table %s", table)}
	}
	return all[i], nil
}

// onRegion runs an operation on the region of a row, and repeats it if the region had moved and nothing was
// done.
func (c *cluster) onRegion(ctx context.Context, table string, row []byte, do func(context.Context, *regionInfo) error) error {
	return c.onTable(ctx, table, func(ctx context.Context) error {
		r, err := c.regionOf(ctx, table, row, false)
		if err != nil {
			return err
		}
		return do(ctx, r)
	})
}

// onTable runs an operation on a table's regions, and repeats it if one of them had moved and nothing was
// done.
func (c *cluster) onTable(ctx context.Context, table string, do func(context.Context) error) error {
	tries := 0
	return c.again(ctx, func(ctx context.Context) error {
		err := do(ctx)
		if tries++; tries > 3 && outcomeOf(err) == moved && err != nil {
			if no := c.unserved(ctx, table); no != nil {
				return no
			}
		}
		return err
	}, func(o outcome) {
		if o != busy {
			c.forget(table)
		}
	})
}

// unserved returns an error if a table is disabled or no longer exists.
func (c *cluster) unserved(ctx context.Context, table string) error {
	rows, err := c.readMeta(ctx, []byte(table), []byte(table+"-"), 0) // its own row, and its regions' after a comma
	for _, m := range rows {
		if m.table == table && m.off {
			return &rpcError{refused, "", fmt.Sprintf("the table %s is disabled in HBase", table)}
		}
	}
	if err != nil || len(rows) > 0 {
		return nil
	}
	return &rpcError{refused, exceptionNoTable, table}
}

// exceptionNoTable is HBase's exception for a missing table.
const exceptionNoTable = "org.apache.hadoop.hbase.TableNotFoundException"
