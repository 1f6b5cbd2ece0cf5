package hbase

import (
	"context"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// The master gives locks to clients, by a service of its own that gohbase has no messages for.

// lockNamespace is one that there need not be: a lock of a table in the namespace that is changed
// would keep the change out, too.
const lockNamespace = "hbasekv"

// lockLease is how long the master leaves a lock to a client that it does not hear of, by default.
const lockLease = 30 * time.Second

// What the answer to a heartbeat says of a lock.
const locked = 2

// exclusive does something while no other program of hbasekv does such a thing for that namespace.
// It must be done within the lock's lease.
func (c *cluster) exclusive(ctx context.Context, namespace string, do func(context.Context) error) error {
	ctx, cancel := c.within(ctx, procedureTimeout)
	defer cancel()
	request, err := lockRequest(namespace)
	if err != nil {
		return err
	}
	granted := &pb.CreateTableResponse{} // whose first field is a procedure, too
	if err := c.onLocks(ctx, "RequestLock", request, granted); err != nil {
		return err
	}
	defer c.unlock(ctx, granted.GetProcId())
	if err := c.awaitLock(ctx, granted.GetProcId()); err != nil {
		return err
	}
	ctx, cancel = c.timeouts.Within(ctx, lockLease*2/3)
	defer cancel()
	return do(ctx)
}

// lockRequest is LockRequest: the kind, the table, a description and a nonce, by which one that is
// sent twice asks once.
func lockRequest(namespace string) (proto.Message, error) {
	const kindField, tableField, descriptionField, groupField, nonceField = 1, 3, 5, 6, 7
	const exclusive = 1
	number := func(b []byte, field protowire.Number, v uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
	}
	table, err := messageField(tableField, pbTable(lockNamespace, namespace))
	fields := append(number(nil, kindField, exclusive), table...)
	fields = protowire.AppendString(protowire.AppendTag(fields, descriptionField, protowire.BytesType), "views of "+namespace)
	fields = number(number(fields, groupField, *nonce()), nonceField, *nonce())
	request := &pb.ListNamespaceDescriptorsRequest{} // an empty message
	setField(request, fields)
	return request, err
}

// heartbeat keeps a lock, or the place in the queue for it, or gives it up. held says whether it is
// this client's.
func (c *cluster) heartbeat(ctx context.Context, id uint64, keep bool) (held bool, err error) {
	request := &pb.CreateTableResponse{ProcId: &id}
	setField(request, boolField(2, keep))
	answer := &pb.CreateTableResponse{}
	err = c.onLocks(ctx, "LockHeartbeat", request, answer)
	return answer.GetProcId() == locked, err
}

// awaitLock waits until the lock is this client's.
func (c *cluster) awaitLock(ctx context.Context, id uint64) error {
	for wait := 2 * time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		held, err := c.heartbeat(ctx, id, true)
		if err != nil || held {
			return err
		}
		select {
		case <-ctx.Done():
			return ended(ctx, nil)
		case <-time.After(wait):
		}
	}
}

// unlock gives a lock up, also where the context has ended. Where that fails, the lease ends it.
func (c *cluster) unlock(ctx context.Context, id uint64) {
	c.seeThrough(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
		defer cancel()
		_, _ = c.heartbeat(ctx, id, false)
	})
}

// onLocks sends a request to the master's service of locks. What is asked for twice is done once.
func (c *cluster) onLocks(ctx context.Context, method string, request, response proto.Message) error {
	return c.again(ctx, func(ctx context.Context) error {
		to, err := c.masterAddr(ctx)
		if err != nil {
			return err
		}
		to.locks = true
		_, err = c.rpc.call(ctx, to, method, request, response)
		if err != nil && outcomeOf(err) == lost {
			return &rpcError{notSent, "", err.Error()}
		}
		return err
	}, func(outcome) { c.set(&c.master, server{}) })
}
