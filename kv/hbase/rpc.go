package hbase

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/tsuna/gohbase/hrpc"
	"github.com/tsuna/gohbase/pb"
	"github.com/tsuna/gohbase/region"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// This file is all that is spoken with ZooKeeper and HBase's servers. Of gohbase
// it uses one connection to one server, which sends each call once.

// transport sends one request to one server, once.
type transport interface {
	// call fills response. The cells that come beside it are valid for ever. Its
	// errors are of type *rpcError, but for the context's own.
	call(ctx context.Context, to server, method string, request, response proto.Message) (cells []byte, err error)
	close()
}

// server is a region server, or the master.
type server struct {
	addr   string
	master bool
}

// outcome is what is known of a request that failed.
type outcome uint8

const (
	refused  outcome = iota // the server says why, and has done nothing
	moved                   // the server does not serve the region, and has done nothing
	busy                    // the server has done nothing, and may do it later
	notSent                 // the server could not be reached
	lost                    // it may have been done or not
	gone                    // the scanner is no more
	canceled                // the context has ended; it may have been done or not
)

// rpcError is why a request failed: class and message are those of the
// exception, without its stack.
type rpcError struct {
	outcome        outcome
	class, message string
}

func (e *rpcError) Error() string {
	if e.class == "" {
		return e.message
	}
	return e.class + ": " + e.message
}

// outcomeOf is what is known of a request by its error.
func outcomeOf(err error) outcome {
	var e *rpcError
	if errors.As(err, &e) {
		return e.outcome
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return canceled
	}
	return refused
}

// exceptions are what is known by an exception's class; others are refusals.
var exceptions = map[string]outcome{
	"NotServingRegionException":           moved,
	"RegionMovedException":                moved,
	"RegionOpeningException":              busy,
	"WrongRegionException":                moved,
	"UnknownRegionException":              moved,
	"RegionServerAbortedException":        moved,
	"RegionServerStoppedException":        moved,
	"ServerNotRunningYetException":        busy,
	"MasterNotRunningException":           moved,
	"MasterStoppedException":              moved,
	"CallQueueTooBigException":            busy,
	"RpcThrottlingException":              busy,
	"RetryImmediatelyException":           busy,
	"MultiActionResultTooLarge":           busy,
	"RegionTooBusyException":              busy,
	"PleaseHoldException":                 busy,
	"CallDroppedException":                busy,
	"UnknownScannerException":             gone,
	"LeaseException":                      gone,
	"ScannerResetException":               gone,
	"OutOfOrderScannerNextException":      gone,
	"WALSyncTimeoutIOException":           lost,
	"WALClosedException":                  lost,
	"TimeoutIOException":                  lost,
	"InterruptedIOException":              lost,
	"ClosedChannelException":              lost,
	"FailedSyncBeforeLogCloseException":   lost,
	"RegionInRecoveryException":           busy,
	"FailedServerException":               notSent,
	"ConnectionClosedException":           lost,
	"CallTimeoutException":                lost,
	"DroppedSnapshotException":            lost,
	"ServerTooBusyException":              busy,
	"PreemptiveFastFailException":         busy,
	"MasterRegistryFetchException":        busy,
	"NoSuchProcedureException":            refused,
	"RegionStateStoreException":           busy,
	"UnexpectedStateException":            busy,
	"RegionServerAbortedIOException":      lost,
	"DamagedWALException":                 lost,
	"RegionServerRunningException":        busy,
	"StoppedRpcClientException":           lost,
	"ConnectionClosingException":          lost,
	"ClockOutOfSyncException":             refused,
	"FailedCloseWALAfterInitializedError": lost,
}

// exception makes an error of an exception's class and its stack.
func exception(class, stack string) *rpcError {
	short := class[strings.LastIndexAny(class, ".$")+1:]
	first, _, _ := strings.Cut(stack, "\n")
	message := strings.TrimPrefix(first, class+": ")
	known := exceptions[short]
	if short == "IOException" && strings.Contains(stack, "log is closed") {
		known = lost
	}
	return &rpcError{known, class, strings.TrimSpace(message)}
}

// named is the exception that a Multi's answer has for one of its parts.
func named(e *pb.NameBytesPair) *rpcError { return exception(e.GetName(), string(e.GetValue())) }

// fromGohbase makes an error of one of gohbase's, which holds a whole stack.
func fromGohbase(err error) *rpcError {
	text := err.Error()
	if _, rest, ok := strings.Cut(text, "HBase Java exception "); ok {
		class, stack, _ := strings.Cut(rest, ":\n")
		return exception(class, stack)
	}
	return &rpcError{lost, "", "the connection to the server broke: " + text}
}

// call is one request on gohbase's connection.
type call struct {
	ctx      context.Context
	method   string
	request  proto.Message
	response proto.Message
	cells    []byte
	answer   chan hrpc.RPCResult
}

func (c *call) Table() []byte                   { return nil }
func (c *call) Name() string                    { return c.method }
func (c *call) Description() string             { return c.method }
func (c *call) Key() []byte                     { return nil }
func (c *call) Region() hrpc.RegionInfo         { return nil }
func (c *call) SetRegion(hrpc.RegionInfo)       {}
func (c *call) ToProto() proto.Message          { return c.request }
func (c *call) NewResponse() proto.Message      { return c.response }
func (c *call) ResultChan() chan hrpc.RPCResult { return c.answer }
func (c *call) Context() context.Context        { return c.ctx }
func (c *call) DeserializeCellBlocks(_ proto.Message, b []byte) (uint32, error) {
	c.cells = b
	return uint32(len(b)), nil
}

type dialer func(ctx context.Context, network, addr string) (net.Conn, error)

// wire is the connections to the servers, one to each.
type wire struct {
	user string
	dial dialer
	kind region.ClientType // of region servers' connections

	mu    sync.Mutex
	conns map[server]*connection
}

func newWire(user string, dial dialer) *wire {
	return &wire{user: user, dial: dial, kind: region.RegionClient, conns: map[server]*connection{}}
}

// connection is a connection to one server. It is dead once its reader has failed.
type connection struct {
	client hrpc.RegionClient
	dialed error
	dead   atomic.Bool
}

// watchedConn tells the connection of its end.
type watchedConn struct {
	net.Conn
	of *connection
}

func (w watchedConn) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	if err != nil {
		w.of.dead.Store(true)
	}
	return n, err
}

func (w watchedConn) Close() error {
	w.of.dead.Store(true)
	return w.Conn.Close()
}

// readTimeout is how long a server may be silent while it owes an answer.
const readTimeout = 2 * time.Minute

func (w *wire) connection(to server) *connection {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.conns[to]; c != nil && !c.dead.Load() {
		return c
	}
	kind := w.kind
	if to.master {
		kind = region.MasterClient
	}
	c := &connection{}
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := w.dial(ctx, network, addr)
		if c.dialed = err; err != nil {
			return nil, err
		}
		return watchedConn{conn, c}, nil
	}
	c.client = region.NewClient(to.addr, kind, 1, 0, w.user, readTimeout, nil, dial, slog.New(slog.DiscardHandler))
	w.conns[to] = c
	return c
}

// drop forgets a connection that is of no use any more.
func (w *wire) drop(to server, c *connection) {
	c.dead.Store(true)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conns[to] == c {
		delete(w.conns, to)
	}
}

func (w *wire) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for to, c := range w.conns {
		c.client.Close()
		delete(w.conns, to)
	}
}

func (w *wire) call(ctx context.Context, to server, method string, request, response proto.Message) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	conn := w.connection(to)
	if err := conn.client.Dial(ctx); err != nil {
		w.drop(to, conn)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if conn.dialed != nil {
			err = conn.dialed
		}
		return nil, &rpcError{notSent, "", fmt.Sprintf("the server %s cannot be reached: %v", to.addr, err)}
	}
	c := &call{ctx: ctx, method: method, request: request, response: response, answer: make(chan hrpc.RPCResult, 1)}
	conn.client.QueueRPC(c)
	select {
	case r := <-c.answer:
		if r.Error == nil {
			return c.cells, nil
		}
		if _, broken := r.Error.(region.ServerError); broken {
			w.drop(to, conn)
		}
		return nil, fromGohbase(r.Error)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// quorum finds servers by ZooKeeper.
type quorum struct {
	hosts []string
	root  string
	dial  dialer
}

type quietly struct{}

func (quietly) Printf(string, ...any) {}

// locate reads the address that a znode below the root holds: of meta-region-server
// or of master. It ends with the context.
func (q *quorum) locate(ctx context.Context, node string) (string, error) {
	var lastDial atomic.Value
	dial := func(network, addr string, timeout time.Duration) (net.Conn, error) {
		limited, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		conn, err := q.dial(limited, network, addr)
		if err != nil {
			lastDial.Store(err.Error())
		}
		return conn, err
	}
	conn, _, err := zk.Connect(q.hosts, 10*time.Second, zk.WithLogger(quietly{}), zk.WithDialer(dial))
	if err != nil {
		return "", fmt.Errorf("the ZooKeeper quorum %s cannot be reached: %w", strings.Join(q.hosts, ","), err)
	}
	type answer struct {
		data []byte
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		data, _, err := conn.Get(q.root + "/" + node)
		got <- answer{data, err}
		conn.Close()
	}()
	select {
	case a := <-got:
		if errors.Is(a.err, zk.ErrNoNode) {
			return "", fmt.Errorf("ZooKeeper at %s has no znode %s/%s: no HBase is running, or its znode is another", strings.Join(q.hosts, ","), q.root, node)
		}
		if a.err != nil {
			return "", fmt.Errorf("the ZooKeeper quorum %s cannot be reached: %w", strings.Join(q.hosts, ","), a.err)
		}
		return parseServer(node, a.data)
	case <-ctx.Done():
		go conn.Close()
		why, _ := lastDial.Load().(string)
		if why == "" {
			why = "no answer"
		}
		return "", fmt.Errorf("the ZooKeeper quorum %s cannot be reached: %s: %w", strings.Join(q.hosts, ","), why, ctx.Err())
	}
}

// parseServer reads a znode: a byte 0xff, a length and that many bytes of no
// interest, the letters PBUF, and a message.
func parseServer(node string, data []byte) (string, error) {
	bad := fmt.Errorf("the znode %s cannot be read", node)
	if len(data) < 5 || data[0] != 0xff {
		return "", bad
	}
	rest := data[5:]
	n := binary.BigEndian.Uint32(data[1:])
	if uint64(n)+4 > uint64(len(rest)) {
		return "", bad
	}
	message, ok := bytes.CutPrefix(rest[n:], []byte("PBUF"))
	if !ok {
		return "", bad
	}
	var name *pb.ServerName
	if node == "master" {
		m := &pb.Master{}
		if proto.Unmarshal(message, m) != nil {
			return "", bad
		}
		name = m.GetMaster()
	} else {
		m := &pb.MetaRegionServer{}
		if proto.Unmarshal(message, m) != nil {
			return "", bad
		}
		name = m.GetServer()
	}
	return net.JoinHostPort(name.GetHostName(), strconv.Itoa(int(name.GetPort()))), nil
}

// cell is one key and value as HBase sends it. Its bytes are those of the answer.
type cell struct {
	row, family, qualifier []byte
	timestamp              int64
	value                  []byte
}

// decode reads the first cell of some, in HBase's KeyValue format.
func (c *cell) decode(b []byte) (rest []byte, err error) {
	const head = 4 + 4 + 4 + 2
	if len(b) < head {
		return nil, io.ErrUnexpectedEOF
	}
	size := int(binary.BigEndian.Uint32(b))
	keyLen, valueLen := int(binary.BigEndian.Uint32(b[4:])), int(binary.BigEndian.Uint32(b[8:]))
	rowLen := int(binary.BigEndian.Uint16(b[12:]))
	if size < 0 || len(b)-4 < size || keyLen < 12+rowLen || valueLen < 0 || 8+keyLen+valueLen > size {
		return nil, io.ErrUnexpectedEOF
	}
	key, value := b[head:12+keyLen], b[12+keyLen:12+keyLen+valueLen]
	c.row = key[:rowLen:rowLen]
	familyLen := int(key[rowLen])
	end := len(key) - 9
	if rowLen+1+familyLen > end {
		return nil, io.ErrUnexpectedEOF
	}
	c.family = key[rowLen+1 : rowLen+1+familyLen]
	c.qualifier = key[rowLen+1+familyLen : end : end]
	c.timestamp = int64(binary.BigEndian.Uint64(key[end:]))
	c.value = value[:valueLen:valueLen]
	return b[4+size:], nil
}

// Fields of newer servers, which gohbase's messages do not have.

// setField adds a field to a message.
func setField(m proto.Message, field []byte) {
	r := m.ProtoReflect()
	r.SetUnknown(append(bytes.Clone(r.GetUnknown()), field...))
}

// boolField is the bytes of a bool field.
func boolField(number protowire.Number, v bool) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), protowire.EncodeBool(v))
}

// messageField is the bytes of a field that is a message.
func messageField(number protowire.Number, m proto.Message) ([]byte, error) {
	b, err := proto.Marshal(m)
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), b), err
}

// The numbers of Scan's and Condition's fields.
const (
	scanIncludeStart   = 21
	scanIncludeStop    = 22
	conditionTimeRange = 6
	conditionFilter    = 7
)

// regionSpecifier names a region in a request.
func regionSpecifier(name []byte) *pb.RegionSpecifier {
	return &pb.RegionSpecifier{Type: pb.RegionSpecifier_REGION_NAME.Enum(), Value: name}
}

// conditionOn is the condition that a row has a cell, of those in a time range,
// that passes a filter.
func conditionOn(row []byte, filter *pb.Filter, times *pb.TimeRange) (*pb.Condition, error) {
	c := &pb.Condition{Row: row, Family: []byte{}, Qualifier: []byte{}, CompareType: pb.CompareType_EQUAL.Enum(),
		Comparator: &pb.Comparator{Name: proto.String(comparators + "NullComparator")}}
	field, err := messageField(conditionFilter, filter)
	if err != nil {
		return nil, err
	}
	setField(c, field)
	return withTimes(c, times)
}

// absence is the condition that a column has no cell in a time range. HBase takes
// an empty value for none.
func absence(row, family, qualifier []byte, times *pb.TimeRange) (*pb.Condition, error) {
	null, err := proto.Marshal(&pb.BinaryComparator{Comparable: &pb.ByteArrayComparable{Value: []byte{}}})
	if err != nil {
		return nil, err
	}
	c := &pb.Condition{Row: row, Family: family, Qualifier: qualifier, CompareType: pb.CompareType_EQUAL.Enum(),
		Comparator: &pb.Comparator{Name: proto.String(comparators + "BinaryComparator"), SerializedComparator: null}}
	return withTimes(c, times)
}

func withTimes(c *pb.Condition, times *pb.TimeRange) (*pb.Condition, error) {
	if times == nil {
		return c, nil
	}
	field, err := messageField(conditionTimeRange, times)
	if err != nil {
		return nil, err
	}
	setField(c, field)
	return c, nil
}

const (
	filters     = "org.apache.hadoop.hbase.filter."
	comparators = filters
)
