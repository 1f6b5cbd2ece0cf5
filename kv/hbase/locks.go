package hbase

import (
	"context"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// The master grants locks to clients, by a service of its own for which gohbase has no messages.

// lockNamespace need not exist: a table lock in the changed namespace would block the change itself, too.
const lockNamespace = "hbasekv"

// lockLease is the master's default for how long a silent client keeps a lock.
const lockLease = 30 * time.Second

// The state of a granted lock in the response to a heartbeat.
const locked = 2

// exclusive runs do while no other process of hbasekv runs something for that namespace. It must
// end within the lock's lease.
func (c *cluster) exclusive(ctx context.Context, namespace string, do func(context.Context) error) error {
	ctx, cancel := c.within(ctx, procedureTimeout)
	defer cancel()
	request, err := lockRequest(namespace)
	if err != nil {
		return err
	}
	granted := &pb.CreateTableResponse{} // its first field is a procedure, too
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

// lockRequest returns a LockRequest: the kind, the table, a description and a nonce, by which a
// request that is sent twice is done once.
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

// heartbeat keeps a lock, or the place in its queue, or releases it. held is true if this client
// has the lock.
func (c *cluster) heartbeat(ctx context.Context, id uint64, keep bool) (held bool, err error) {
	request := &pb.CreateTableResponse{ProcId: &id}
	setField(request, boolField(2, keep))
	answer := &pb.CreateTableResponse{}
	err = c.onLocks(ctx, "LockHeartbeat", request, answer)
	return answer.GetProcId() == locked, err
}

// awaitLock waits until this client has the lock.
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

// unlock releases a lock, even if the context has ended. If that fails, the lock ends with its lease.
func (c *cluster) unlock(ctx context.Context, id uint64) {
	c.seeThrough(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.timeout)
		defer cancel()
		_, _ = c.heartbeat(ctx, id, false)
	})
}

// onLocks sends a request to the master's lock service. A request that is sent twice is done once.
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
