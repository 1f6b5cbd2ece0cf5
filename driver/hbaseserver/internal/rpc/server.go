package rpc

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"
)

// Handler has what clients call. Its methods are called by many goroutines at once.
type Handler interface {
	// Knows reports whether there is a service of that name.
	Knows(service string) bool
	// Open is told of a client that has said who it is. The client is told an error, which ends its connection.
	Open(ctx context.Context, c *Connection) (Session, error)
}

// Session is what a handler has of a connection.
type Session interface {
	// Call does one call. It is called by many goroutines at once. An error that is no *Exception is told as an
	// IOException; ErrNoAnswer ends the connection.
	Call(ctx context.Context, r *Request) (*Response, error)
	// Close is called once, behind the last call.
	Close()
}

// ErrNoAnswer is of a call whose client is to lose its connection in place of the answer.
var ErrNoAnswer = errors.New("no answer is to be sent")

// Request is a call.
type Request struct {
	Service, Method string
	// Param is the message; Unmarshal reads it.
	Param []byte
	// Cells are those beside the message.
	Cells *CellReader
	// CellBlocks is true where cells of the answer go into Response.Block, else into its message.
	CellBlocks bool
	// Block is empty, and has room for Response.Block, which may be made in it.
	Block []byte
}

// Response is the answer to a call.
type Response struct {
	Message proto.Message
	// Block is cells, by AppendCell. It is the connection's from then on, and made other answers of.
	Block []byte
}

// Server is what connections have in common.
type Server struct {
	Handler Handler
	// Registry is what clients are told that ask for HBase's GetConnectionRegistryResponse.
	Registry proto.Message
	Log      *slog.Logger
	Limits   Limits
	// Received and Sent count bytes, where they are not nil.
	Received, Sent *atomic.Uint64

	queued atomic.Int64 // bytes of calls under way
	relief relief
}

// Limits of connections. Each must be set.
type Limits struct {
	// MaxCall is the most bytes of a call, MaxQueued those of all calls under way together.
	MaxCall   int
	MaxQueued int64
	// MaxCalls is the most calls under way of one connection, MaxAnswers about the most bytes of their answers, by the
	// size of those before them; beyond either it is not read.
	MaxCalls   int
	MaxAnswers int64
	// Setup is how long a client may take until it calls; Idle how long it may be silent, with nothing under
	// way; Stall how long until more comes of a call, or is taken of an answer.
	Setup, Idle, Stall time.Duration
	// Grace is how long calls may go on when the server ends; 0 is not at all.
	Grace time.Duration
}

// DefaultLimits are those of HBase where it has them.
func DefaultLimits() Limits {
	return Limits{MaxCall: 64 << 20, MaxQueued: 1 << 30, MaxCalls: 256, MaxAnswers: 64 << 20,
		Setup: 10 * time.Second, Idle: time.Hour, Stall: time.Minute}
}

// queue counts bytes of calls under way, unless there are too many.
func (s *Server) queue(bytes int64) bool {
	if s.queued.Add(bytes) <= s.Limits.MaxQueued {
		return true
	}
	s.queued.Add(-bytes)
	return false
}

// tooBusy is what a client is told whose call does not fit beside those that are under way.
var tooBusy = &Exception{Class: Prefix + "CallQueueTooBigException",
	Message: "Call queue is full, too many bytes of calls are under way: try again"}
