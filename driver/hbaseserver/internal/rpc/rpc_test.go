package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// echo answers each call with its message and its cells. Method panic panics, and wait waits for the
// deadline.
type echo struct{}

func (echo) Knows(service string) bool { return service == "Echo" }

func (echo) Open(context.Context, *Connection) (Session, error) { return echo{}, nil }

func (echo) Close() {}

func (echo) Call(ctx context.Context, r *Request) (*Response, error) {
	switch r.Method {
	case "panic":
		panic("asked for")
	case "wait":
		<-ctx.Done()
		return nil, ctx.Err()
	}
	out := &Response{Message: &pb.LongMsg{}, Block: r.Block}
	for {
		c, err := r.Cells.Next()
		if err == io.EOF {
			return out, Unmarshal(r.Param, out.Message)
		}
		if err != nil {
			return nil, Refused(err.Error())
		}
		out.Block = AppendCell(out.Block, &c)
	}
}

// dial is a connection to a server with echo.
func dial(t testing.TB, l Limits) (net.Conn, *Server) {
	t.Helper()
	s := &Server{Handler: echo{}, Log: slog.New(slog.DiscardHandler), Limits: l, Registry: &pb.LongMsg{LongMsg: proto.Int64(7)}}
	here, there := net.Pipe()
	ended := make(chan struct{})
	go func() {
		s.ServeConn(context.Background(), there)
		close(ended)
	}()
	t.Cleanup(func() {
		here.Close()
		<-ended
	})
	require.NoError(t, here.SetDeadline(time.Now().Add(30*time.Second)))
	return here, s
}

func hello(auth byte, h *pb.ConnectionHeader) []byte {
	data, err := proto.Marshal(h)
	if err != nil {
		panic(err)
	}
	out := append([]byte("HBas\x00"), auth)
	return append(binary.BigEndian.AppendUint32(out, uint32(len(data))), data...)
}

func simple(compressor string) []byte {
	h := &pb.ConnectionHeader{ServiceName: proto.String("Echo"), CellBlockCodecClass: proto.String(codecPrefix + "KeyValueCodec")}
	if compressor != "" {
		h.CellBlockCompressorClass = &compressor
	}
	return hello(authSimple, h)
}

func callOf(id uint32, method string, number int64, block []byte, timeout uint32) []byte {
	header := &pb.RequestHeader{CallId: &id, MethodName: &method, RequestParam: proto.Bool(true), Timeout: &timeout}
	if len(block) > 0 {
		header.CellBlockMeta = &pb.CellBlockMeta{Length: proto.Uint32(uint32(len(block)))}
	}
	body, _ := appendDelimited(nil, header)
	body, _ = appendDelimited(body, &pb.LongMsg{LongMsg: &number})
	body = append(body, block...)
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func appendDelimited(out []byte, m proto.Message) ([]byte, error) {
	options := proto.MarshalOptions{AllowPartial: true}
	return options.MarshalAppend(protowire.AppendVarint(out, uint64(options.Size(m))), m)
}

// answer reads an answer: its header, its message and its block.
func answer(t testing.TB, r io.Reader) (*pb.ResponseHeader, int64, []byte) {
	t.Helper()
	var head [4]byte
	_, err := io.ReadFull(r, head[:])
	require.NoError(t, err)
	body, err := readN(r, int(binary.BigEndian.Uint32(head[:])))
	require.NoError(t, err)
	data, used := protowire.ConsumeBytes(body)
	require.Positive(t, used)
	h := &pb.ResponseHeader{}
	require.NoError(t, proto.Unmarshal(data, h))
	if h.Exception != nil {
		return h, 0, nil
	}
	data, more := protowire.ConsumeBytes(body[used:])
	require.Positive(t, more)
	m := &pb.LongMsg{}
	require.NoError(t, proto.Unmarshal(data, m))
	block := body[used+more:]
	require.Len(t, block, int(h.GetCellBlockMeta().GetLength()))
	return h, m.GetLongMsg(), block
}

// TestCalls sends many calls on one connection and gets an answer to each, in any order, with the cells of
// each compressed as the client requests.
func TestCalls(t *testing.T) {
	block := AppendCell(nil, &Cell{Row: []byte("row"), Family: []byte("f"), Qualifier: []byte{}, Timestamp: -5, Type: TypePut,
		Value: bytes.Repeat([]byte("value"), 100_000)})
	block = AppendCell(block, &Cell{Row: []byte{0xff}, Type: TypeDelete})
	for _, name := range []string{"", "GzipCodec", "DefaultCodec", "SnappyCodec"} {
		var by compressor
		sent, class := block, ""
		if name != "" {
			class = "org.apache.hadoop.io.compress." + name
			by = compressors[class]
			sent = by.compress(block)
		}
		conn, _ := dial(t, DefaultLimits())
		const calls = 20
		go func() {
			conn.Write(simple(class))
			for i := range calls {
				conn.Write(callOf(uint32(i), "echo", int64(i), sent, 0))
			}
		}()
		seen := map[uint32]bool{}
		for range calls {
			h, number, got := answer(t, conn)
			require.Nil(t, h.Exception)
			require.EqualValues(t, h.GetCallId(), number)
			seen[h.GetCallId()] = true
			if by != nil {
				var err error
				got, err = by.decompress(got, len(block))
				require.NoError(t, err)
				_, err = by.decompress(sent, len(block)-1)
				require.ErrorIs(t, err, errBlockTooLong)
			}
			require.Equal(t, block, got)
		}
		require.Len(t, seen, calls)
	}
}

// TestGreetings: each wrong beginning is answered as HBase answers it.
func TestGreetings(t *testing.T) {
	unknown := func(change func(*pb.ConnectionHeader)) []byte {
		h := &pb.ConnectionHeader{ServiceName: proto.String("Echo")}
		change(h)
		return hello(authSimple, h)
	}
	for _, c := range []struct {
		sent  []byte
		class string
	}{
		{[]byte("GET / "), "ipc.FatalConnectionException"},
		{[]byte("HBas\x09\x50"), "ipc.FatalConnectionException"},
		{[]byte("HBas\x00\x07"), "ipc.BadAuthException"},
		{unknown(func(h *pb.ConnectionHeader) { h.ServiceName = proto.String("Nothing") }), "ipc.UnknownServiceException"},
		{unknown(func(h *pb.ConnectionHeader) { h.CellBlockCodecClass = proto.String("x.Codec") }), "ipc.UnsupportedCellCodecException"},
		{unknown(func(h *pb.ConnectionHeader) { h.CellBlockCompressorClass = proto.String("x.Zip") }),
			"ipc.UnsupportedCompressionCodecException"},
	} {
		conn, _ := dial(t, DefaultLimits())
		go conn.Write(c.sent)
		h, _, _ := answer(t, conn)
		require.Equal(t, Prefix+c.class, h.GetException().GetExceptionClassName())
		_, err := conn.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
	}
	conn, _ := dial(t, DefaultLimits())
	go conn.Write([]byte(asksSecurity + asksRegistry))
	h, _, _ := answer(t, conn)
	require.Equal(t, Prefix+"ipc.SecurityNotEnabledException", h.GetException().GetExceptionClassName())
	_, number, _ := answer(t, conn)
	require.EqualValues(t, 7, number)
}

// TestKerberos: a client that would authenticate continues without.
func TestKerberos(t *testing.T) {
	conn, _ := dial(t, DefaultLimits())
	whole := hello(authKerberos, &pb.ConnectionHeader{ServiceName: proto.String("Echo")})
	go func() {
		conn.Write(append(whole[:preambleLength:preambleLength], 0, 0, 0, 2, 'o', 'k'))
		conn.Write(whole[preambleLength:])
		conn.Write(callOf(1, "echo", 4, nil, 0))
	}()
	var plain [8]byte
	_, err := io.ReadFull(conn, plain[:])
	require.NoError(t, err)
	require.Equal(t, [8]byte{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xa8}, plain)
	_, number, _ := answer(t, conn)
	require.EqualValues(t, 4, number)
}

// TestBadCalls: an error in one call does not affect others, unless it breaks the framing.
func TestBadCalls(t *testing.T) {
	limits := DefaultLimits()
	limits.MaxCall = 1 << 10
	conn, _ := dial(t, limits)
	go func() {
		conn.Write(simple(""))
		conn.Write(callOf(1, "panic", 1, nil, 0))
		conn.Write(callOf(2, "wait", 1, nil, 1))
		conn.Write(callOf(3, "echo", 1, []byte("no cell"), 0))
	}()
	classes := map[uint32]string{}
	for i := range 4 {
		if i == 3 { // it ends the connection
			go conn.Write(callOf(4, "echo", 1, make([]byte, 2<<10), 0))
		}
		h, _, _ := answer(t, conn)
		classes[h.GetCallId()] = strings.TrimPrefix(h.GetException().GetExceptionClassName(), Prefix)
	}
	require.Equal(t, map[uint32]string{1: "java.io.IOException", 2: "java.io.IOException", 3: "DoNotRetryIOException",
		4: "exceptions.RequestTooBigException"}, classes)
}

// TestQueue refuses calls beyond the limit of running ones, and accepts them afterwards.
func TestQueue(t *testing.T) {
	limits := DefaultLimits()
	limits.MaxQueued = 1 << 10
	conn, s := dial(t, limits)
	s.queued.Store(1 << 10)
	go conn.Write(append(simple(""), callOf(1, "echo", 1, nil, 0)...))
	h, _, _ := answer(t, conn)
	require.Equal(t, Prefix+"CallQueueTooBigException", h.GetException().GetExceptionClassName())
	s.queued.Store(0)
	go conn.Write(callOf(2, "echo", 1, nil, 0))
	h, _, _ = answer(t, conn)
	require.Nil(t, h.Exception)
}

// TestRoom: as many calls begin as there is room for their responses, estimated from earlier ones.
func TestRoom(t *testing.T) {
	l := Limits{MaxCalls: 20, MaxAnswers: 1000}
	c := newCalls()
	begin := func() (n int) {
		for c.room(&l) || c.under == 0 {
			c.begin(&l)
			n++
		}
		return n
	}
	require.Equal(t, firstCalls, begin(), "before it is known how long answers are")
	c.answered(100)
	require.Equal(t, 2, begin(), "9 of 100 bytes beside the one that is there")
	c.end(100)
	require.Equal(t, 1, begin())
	for range 10 {
		c.answered(1)
		c.end(1)
	}
	require.Equal(t, l.MaxCalls, begin(), "of small ones as many as there may be")
	c.answered(2000)
	require.Zero(t, begin())
	for range l.MaxCalls - 1 {
		c.answered(0)
		c.end(0)
		require.False(t, c.room(&l))
	}
	c.end(2000)
	require.False(t, c.any())
	c.begin(&l)
	c.answered(5000)
	c.end(5000)
	require.Equal(t, 1, begin(), "one is always let in")
}

// TestQueueAsItComes: bytes of calls are counted as they arrive, and released whatever the call's outcome.
func TestQueueAsItComes(t *testing.T) {
	limits := DefaultLimits()
	limits.MaxQueued = 100 << 10
	conn, s := dial(t, limits)
	long := callOf(1, "echo", 1, AppendCell(nil, &Cell{Row: []byte("r"), Type: TypePut, Value: make([]byte, 200<<10)}), 0)
	go conn.Write(append(simple(""), long...))
	h, _, _ := answer(t, conn)
	require.Equal(t, Prefix+"CallQueueTooBigException", h.GetException().GetExceptionClassName())
	require.EqualValues(t, 1, h.GetCallId())
	require.Zero(t, s.queued.Load())
	short := callOf(2, "echo", 1, AppendCell(nil, &Cell{Row: []byte("r"), Type: TypePut, Value: make([]byte, 90<<10)}), 0)
	go conn.Write(short)
	h, _, _ = answer(t, conn)
	require.Nil(t, h.Exception)
	_, err := conn.Write(short[:60<<10])
	require.NoError(t, err)
	require.Eventually(t, func() bool { return s.queued.Load() > 60<<10 }, time.Minute, time.Millisecond)
	require.LessOrEqual(t, s.queued.Load(), int64(91<<10))
	require.NoError(t, conn.Close())
	require.Eventually(t, func() bool { return s.queued.Load() == 0 }, time.Minute, time.Millisecond)
}

// TestEnd: when the server ends, calls that have arrived are answered, and interrupted if they take longer
// than Grace.
func TestEnd(t *testing.T) {
	for _, grace := range []time.Duration{0, 10 * time.Millisecond, time.Minute} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		conn, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		defer conn.Close()
		there, err := l.Accept()
		require.NoError(t, err)
		begun, goOn := make(chan struct{}, 2), make(chan struct{})
		limits := DefaultLimits()
		limits.Grace = grace
		s := &Server{Handler: waiting{begun: begun, until: goOn}, Log: slog.New(slog.DiscardHandler), Limits: limits}
		ctx, end := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			s.ServeConn(ctx, there)
			close(ended)
		}()
		_, err = conn.Write(append(simple(""), callOf(1, "wait", 5, nil, 0)...))
		require.NoError(t, err)
		<-begun
		end()
		if grace == time.Minute {
			_, err = conn.Write(callOf(2, "wait", 5, nil, 0)) // it may arrive too late
			require.NoError(t, err)
			close(goOn)
		}
		in, seen := bufio.NewReader(conn), map[uint32]bool{}
		for {
			if _, err := in.Peek(1); err != nil {
				require.ErrorIs(t, err, io.EOF)
				break
			}
			h, number, _ := answer(t, in)
			seen[h.GetCallId()] = true
			if grace == time.Minute {
				require.EqualValues(t, 5, number)
			} else {
				require.Contains(t, string(h.GetException().GetStackTrace()), "context canceled")
			}
		}
		require.True(t, seen[1])
		require.NoError(t, conn.Close())
		<-ended
	}
}

// waiting answers each call when it is told to, or when it is interrupted.
type waiting struct {
	echo
	begun, until chan struct{}
}

func (w waiting) Open(context.Context, *Connection) (Session, error) { return w, nil }

func (w waiting) Call(ctx context.Context, r *Request) (*Response, error) {
	w.begun <- struct{}{}
	select {
	case <-w.until:
		out := &Response{Message: &pb.LongMsg{}}
		return out, Unmarshal(r.Param, out.Message)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestLongCall: while a call waits for another call of its connection, the connection is still read, and a
// disconnect is noticed, after many calls one by one too.
func TestLongCall(t *testing.T) {
	for _, lone := range []bool{false, true} {
		begun, goOn := make(chan struct{}, 3), make(chan struct{})
		s := &Server{Handler: waiting{begun: begun, until: goOn}, Log: slog.New(slog.DiscardHandler), Limits: DefaultLimits()}
		here, there := net.Pipe()
		ended := make(chan struct{})
		go func() {
			s.ServeConn(context.Background(), there)
			close(ended)
		}()
		require.NoError(t, here.SetDeadline(time.Now().Add(30*time.Second)))
		_, err := here.Write(simple(""))
		require.NoError(t, err)
		call := func() {
			_, err := here.Write(callOf(1, "wait", 1, nil, 0))
			require.NoError(t, err)
			<-begun
		}
		end := func() {
			goOn <- struct{}{}
			h, _, _ := answer(t, here)
			require.Nil(t, h.Exception)
		}
		for lone && !s.relief.rare() {
			call()
			end()
		}
		call()
		for range 2 {
			call()
			end()
		}
		require.NoError(t, here.Close()) // it ends the call that still waits
		<-ended
		require.Eventually(t, func() bool {
			s.relief.mu.Lock()
			defer s.relief.mu.Unlock()
			return len(s.relief.watched) == 0
		}, time.Minute, time.Millisecond)
	}
}

// rare reports whether all connections have had so many calls one by one that relief looks rarely.
func (r *relief) rare() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.watched {
		if c.turn.lone < reliefIdle {
			return false
		}
	}
	return len(r.watched) > 0
}

// TestDeadline: a deadline is set again for another timeout, and when it has become an eighth older.
func TestDeadline(t *testing.T) {
	var d deadline
	set := 0
	renew := func(timeout time.Duration) {
		before := time.Now()
		require.NoError(t, d.renew(timeout, func(until time.Time) error {
			set++
			require.False(t, until.Before(before.Add(timeout)))
			return nil
		}))
	}
	for range 3 {
		renew(time.Hour)
	}
	require.Equal(t, 1, set)
	renew(2 * time.Hour)
	require.Equal(t, 2, set)
	d.since = d.since.Add(-2 * time.Hour / 8)
	renew(2 * time.Hour)
	require.Equal(t, 3, set)
}

// TestLengthsCostNothing announces much and sends little.
func TestLengthsCostNothing(t *testing.T) {
	allocated := testing.AllocsPerRun(1, func() {
		_, err := readN(bytes.NewReader([]byte("little")), 1<<30)
		require.Error(t, err)
	})
	require.Less(t, allocated, 50.0)
	out, err := readN(bytes.NewReader(make([]byte, 1<<20)), 1<<20)
	require.NoError(t, err)
	require.Len(t, out, 1<<20)
}

// FuzzCells reads a block of arbitrary bytes; what is read is written identically.
func FuzzCells(f *testing.F) {
	f.Add([]byte{})
	f.Add(AppendCell(nil, &Cell{Row: []byte("r"), Family: []byte("f"), Qualifier: []byte("q"), Timestamp: 1, Type: TypePut, Value: []byte("v")}))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0})
	f.Add([]byte("\x00\x00\x00\x14\xff\xff\xff\xff\x00\x00\x00\x00\xff\xff\xff0000000000000"))
	f.Fuzz(func(t *testing.T, block []byte) {
		for r := NewCellReader(block); ; {
			c, err := r.Next()
			if err != nil {
				return
			}
			again, err := NewCellReader(AppendCell(nil, &c)).Next()
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint(c), fmt.Sprint(again))
		}
	})
}

// FuzzConnection sends arbitrary bytes to a server, which must end.
func FuzzConnection(f *testing.F) {
	f.Add(simple(""))
	f.Add(append(simple("org.apache.hadoop.io.compress.SnappyCodec"), callOf(1, "echo", 1, []byte("\x00\x00\x00\x09\x00"), 0)...))
	f.Add(append(simple("org.apache.hadoop.io.compress.GzipCodec"), callOf(1, "echo", 1, []byte("no gzip"), 0)...))
	f.Add([]byte("HBas\x00\x51\x7f\xff\xff\xff"))
	f.Add([]byte(asksSecurity + asksRegistry))
	f.Add(append(simple(""), 0x7f, 0xff, 0xff, 0xff, 1, 2, 3))
	f.Fuzz(func(t *testing.T, sent []byte) {
		conn, _ := dial(t, DefaultLimits())
		go io.Copy(io.Discard, conn)
		conn.Write(sent)
	})
}
