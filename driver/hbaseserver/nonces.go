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

// nonces remembers what has become of mutations, so that one that is sent again, since its answer was
// lost, is answered and not done again.
type nonces struct {
	mu   sync.Mutex
	done map[nonce]*remembered
	// old are those of done by age, from the oldest.
	old []aged
}

type remembered struct {
	ended   chan struct{}
	outcome rowapi.Outcome
}

type aged struct {
	nonce nonce
	at    time.Time
}

// How long, and how many, mutations are remembered.
const (
	rememberFor = 30 * time.Minute
	rememberMax = 1 << 20
)

// once does what has a nonce unless it was done, or is being done. What has failed may be done again.
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

// begin is a new entry, or the one that is there.
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
		delete(n.done, n.old[0].nonce)
		n.old = n.old[1:]
	}
	mine = &remembered{ended: make(chan struct{})}
	n.done[key] = mine
	n.old = append(n.old, aged{key, now})
	return mine, nil
}

// finish does it; where that panics or fails, the entry goes.
func (n *nonces) finish(key nonce, mine *remembered, do func() rowapi.Outcome) rowapi.Outcome {
	mine.outcome.Err = context.Canceled // unless do returns
	defer func() {
		if mine.outcome.Err != nil {
			n.mu.Lock()
			if n.done[key] == mine {
				delete(n.done, key)
			}
			n.mu.Unlock()
		}
		close(mine.ended)
	}()
	mine.outcome = do()
	return mine.outcome
}
