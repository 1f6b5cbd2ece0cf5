package hbase

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/caught"
)

// readAhead requests the next block of a scanner while the current one is read,
// from the second one on.
type readAhead struct {
	of      *tableScan
	limited bool
	calls   int
	pending chan fetched
	did     kv.ScanStats // of what was returned
	cancel  context.CancelFunc
}

type fetched struct {
	block []byte
	err   error
}

func (r *readAhead) next(ctx context.Context) (block []byte, err error) {
	if r.pending != nil {
		select {
		case f := <-r.pending:
			r.pending = nil
			r.cancel()
			block, err = f.block, f.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	} else {
		block, err = r.of.next(ctx)
	}
	r.did = r.of.stats()
	if r.calls++; err == nil && len(block) > 0 && !r.of.done && (r.calls > 1 || !r.limited && len(block) > scanBytes/2) {
		r.ahead(ctx)
	}
	return block, err
}

func (r *readAhead) ahead(ctx context.Context) {
	ctx, r.cancel = context.WithCancel(ctx)
	pending := make(chan fetched, 1)
	r.pending = pending
	go func() {
		var f fetched
		f.err = caught.Do(func() (err error) {
			f.block, err = r.of.next(ctx)
			return err
		})
		pending <- f
	}()
}

func (r *readAhead) close() {
	if r.pending == nil {
		r.of.close()
		return
	}
	r.cancel()
	pending := r.pending
	r.pending = nil
	r.of.cluster.seeThrough(func() {
		<-pending
		r.of.close()
	})
}

func (r *readAhead) stats() kv.ScanStats { return r.did }
