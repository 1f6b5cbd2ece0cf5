package rpc

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"
)

// Handler does clients' calls. Many goroutines call its methods at once.
type Handler interface {
	// Knows reports whether the service exists.
	Knows(service string) bool
	// Open is called when a client has said who it is. An error is sent to the client and ends its
	// connection.
	Open(ctx context.Context, c *Connection) (Session, error)
}

// Session is a handler's state of a connection.
type Session interface {
	// Call does one call. Many goroutines call it at once. An error that is not an *Exception is sent as an
	// IOException; ErrNoAnswer ends the connection.
	Call(ctx context.Context, r *Request) (*Response, error)
	// Close is called once, after the last call.
	Close()
}

// ErrNoAnswer makes the client of a call lose its connection instead of getting the response.
var ErrNoAnswer = errors.New("no answer is to be sent")

// Request is a call.
type Request struct {
	Service, Method string
	// Param is the message; Unmarshal reads it.
	Param []byte
	// Cells are the cells beside the message.
	Cells *CellReader
	// CellBlocks says that cells of the response go into Response.Block, not into its message.
	CellBlocks bool
	// Block is empty; Response.Block may be appended to it.
	Block []byte
}

// Response is the answer to a call.
type Response struct {
	Message proto.Message
	// Block is cells, by AppendCell. The connection then owns it, and reuses it for other responses.
	Block []byte
}

// Server is what connections share.
type Server struct {
	Handler Handler
	// Registry is the answer to clients that ask for HBase's GetConnectionRegistryResponse.
	Registry proto.Message
	Log      *slog.Logger
	Limits   Limits
	// Received and Sent, if not nil, count bytes.
	Received, Sent *atomic.Uint64

	queued atomic.Int64 // bytes of running calls
	relief relief
}

// Limits are the limits of connections. Each must be set.
type Limits struct {
	// MaxCall is the maximum size of a call in bytes, MaxQueued that of all running calls together.
	MaxCall   int
	MaxQueued int64
	// MaxCalls is the maximum number of running calls of a connection, MaxAnswers roughly that of the bytes
	// of their responses, estimated from earlier ones; beyond either, the connection is not read.
	MaxCalls   int
	MaxAnswers int64
	// Setup is how long a client may take until its first call, Idle how long it may be silent with nothing
	// running, and Stall how long it may take to send more of a call or to take more of a response.
	Setup, Idle, Stall time.Duration
	// Grace is how long running calls may go on when the server ends; 0 interrupts them at once.
	Grace time.Duration
}

// DefaultLimits are HBase's limits, as far as HBase has them.
func DefaultLimits() Limits {
	return Limits{MaxCall: 64 << 20, MaxQueued: 1 << 30, MaxCalls: 256, MaxAnswers: 64 << 20,
		Setup: 10 * time.Second, Idle: time.Hour, Stall: time.Minute}
}

// queue counts bytes of running calls, unless there are too many.
func (s *Server) queue(bytes int64) bool {
	if s.queued.Add(bytes) <= s.Limits.MaxQueued {
		return true
	}
	s.queued.Add(-bytes)
	return false
}

// tooBusy is the exception for a call that does not fit beside the running ones.
var tooBusy = &Exception{Class: Prefix + "CallQueueTooBigException",
	Message: "Call queue is full, too many bytes of calls are under way: try again"}
