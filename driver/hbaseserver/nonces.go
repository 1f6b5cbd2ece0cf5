package hbaseserver

import (
	"context"
	"sync"
	"time"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// nonce is a client's number for a mutation that must not be done twice; the zero nonce is none.
type nonce struct{ group, number uint64 }

func nonceOf(group uint64, m *pb.MutationProto) nonce {
	if m.GetNonce() == 0 {
		return nonce{}
	}
	return nonce{group, m.GetNonce()}
}

// nonces remembers the outcomes of mutations, so that one that is sent again, because its response
// was lost, is answered and not done again.
type nonces struct {
	mu   sync.Mutex
	done map[nonce]*remembered
	// old are the entries of done by age, oldest first.
	old []aged
	// bytes is roughly the size of the outcomes.
	bytes int64
}

type remembered struct {
	ended   chan struct{}
	outcome rowapi.Outcome
	bytes   int64 // guarded by nonces.mu
}

type aged struct {
	nonce nonce
	at    time.Time
}

// How long, and how many, outcomes are remembered.
const (
	rememberFor = 30 * time.Minute
	rememberMax = 1 << 20
	// rememberBytes limits the size of all outcomes together.
	rememberBytes = 64 << 20
)

// once calls do unless what has the nonce was done, or is being done. What has failed may be done
// again.
func (n *nonces) once(ctx context.Context, key nonce, do func() rowapi.Outcome) rowapi.Outcome {
	if key == (nonce{}) {
		return do()
	}
	for {
		mine, other := n.begin(key)
		if other == nil {
			return n.finish(key, mine, do)
		}
		select {
		case <-other.ended:
		case <-ctx.Done():
			return rowapi.Outcome{Err: ctx.Err()}
		}
		if other.outcome.Err == nil {
			return other.outcome
		}
	}
}

// begin returns a new entry, or the existing one.
func (n *nonces) begin(key nonce) (mine, other *remembered) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.done == nil {
		n.done = map[nonce]*remembered{}
	}
	if other := n.done[key]; other != nil {
		return nil, other
	}
	now := time.Now()
	for len(n.old) > 0 && (len(n.old) >= rememberMax || now.Sub(n.old[0].at) > rememberFor) {
		n.forgetOldest()
	}
	mine = &remembered{ended: make(chan struct{})}
	n.done[key] = mine
	n.old = append(n.old, aged{key, now})
	return mine, nil
}

// forgetOldest removes the oldest entry. The caller holds n.mu.
func (n *nonces) forgetOldest() {
	key := n.old[0].nonce
	if r := n.done[key]; r != nil {
		n.bytes -= r.bytes
		delete(n.done, key)
	}
	n.old = n.old[1:]
}

// keep counts the size of an entry's outcome, and removes the oldest entries to make room, if need be
// also itself.
func (n *nonces) keep(key nonce, r *remembered) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.done[key] != r {
		return // others have displaced it
	}
	if r.outcome.Result != nil {
		for i := range r.outcome.Result.Cells {
			c := &r.outcome.Result.Cells[i]
			r.bytes += int64(len(c.Row)+len(c.Family)+len(c.Qualifier)+len(c.Value)) + cellOverhead
		}
	}
	for n.bytes += r.bytes; n.bytes > rememberBytes && len(n.old) > 0; {
		n.forgetOldest()
	}
}

// cellOverhead is roughly what a cell takes in addition to its bytes.
const cellOverhead = 112

// finish calls do; if that panics or fails, the entry is removed.
func (n *nonces) finish(key nonce, mine *remembered, do func() rowapi.Outcome) rowapi.Outcome {
	mine.outcome.Err = context.Canceled // unless do returns
	defer func() {
		if mine.outcome.Err != nil {
			n.mu.Lock()
			if n.done[key] == mine {
				delete(n.done, key)
			}
			n.mu.Unlock()
		} else {
			n.keep(key, mine)
		}
		close(mine.ended)
	}()
	mine.outcome = do()
	return mine.outcome
}
