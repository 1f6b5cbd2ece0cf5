package hbaseserver

import (
	"context"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/faulty"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/guard"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
)

// method does the calls of one name.
type method func(ctx context.Context, r *rpc.Request) (*rpc.Response, error)

// on makes a method that answers a message with a message.
func on[M any, P rpc.Message[M], A proto.Message](do func(context.Context, P) (A, error)) method {
	return withCells(func(ctx context.Context, _ *rpc.Request, m P) (*rpc.Response, error) {
		answer, err := do(ctx, m)
		return &rpc.Response{Message: answer}, err
	})
}

// withCells makes a method that reads or returns cells beside its messages.
func withCells[M any, P rpc.Message[M]](do func(context.Context, *rpc.Request, P) (*rpc.Response, error)) method {
	return func(ctx context.Context, r *rpc.Request) (*rpc.Response, error) {
		m := P(new(M))
		if err := rpc.Unmarshal(r.Param, m); err != nil {
			return nil, rpc.Refused("the message of " + r.Method + " cannot be read: " + err.Error())
		}
		if err := guard.Permit(ctx, r.Method, m); err != nil {
			return nil, err
		}
		return do(ctx, r, m)
	}
}

// The names of services. A client names one when it connects.
const (
	clientService   = "ClientService"
	masterService   = "MasterService"
	adminService    = "AdminService"
	registryService = "ClientMetaService"
	// bootstrapService has the same methods, and answers the questions in place
	// of a preamble.
	bootstrapService = "ConnectionRegistryService"
)

func (s *server) methods() map[string]map[string]method {
	return map[string]map[string]method{
		clientService:    s.clientMethods(),
		masterService:    s.masterMethods(),
		adminService:     s.adminMethods(),
		registryService:  s.registryMethods(),
		bootstrapService: s.registryMethods(),
	}
}

// Knows implements rpc.Handler.
func (s *server) Knows(service string) bool { return s.services[service] != nil }

// call does a call.
func (s *server) call(ctx context.Context, r *rpc.Request) (*rpc.Response, error) {
	do := s.services[r.Service][r.Method]
	if do == nil {
		return nil, rpc.Refused(fmt.Sprintf("java.lang.UnsupportedOperationException: %s.%.100s is not supported", r.Service, r.Method))
	}
	if f := s.options.Faults; f != nil {
		return faulty.Do(ctx, r, func(ctx context.Context, op faulty.Op, run func() error) error {
			return f.Do(ctx, Op(op), run)
		}, do)
	}
	return do(ctx, r)
}
