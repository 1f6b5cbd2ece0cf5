package hbase

import (
	"context"
	"sync"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/caught"
	"github.com/hbasekv/hbasekv/partition"
)

// parallelScan reads several regions concurrently. Blocks come from any of them, but
// the parts of a row one after the other.
type parallelScan struct {
	scans   []*tableScan // not begun yet; guarded by mu
	mu      sync.Mutex
	parts   chan part // closed at the end
	waiting []part    // received from other regions than the current row's
	row     *tableScan
	cancel  context.CancelFunc
	readers int
	// reached are the last rows of blocks that have been read, and ended regions,
	// since the last call for progress. given is the current block.
	reached map[*tableScan][]byte
	given   part
	ended   []*tableScan
	did     kv.ScanStats
}

// part is a block of a region; an empty one is its end.
type part struct {
	of      *tableScan
	block   []byte
	last    []byte // its last row
	partial bool   // the last row continues
	did     kv.ScanStats
	err     error
	taken   chan struct{} // signalled when the block is being read
}

// byRegion divides ranges of rows by the regions that have some.
func byRegion(scheme *partition.Scheme, ranges []partition.RowRange) (out [][]partition.RowRange) {
	for i := range scheme.Len() {
		var in []partition.RowRange
		for _, r := range ranges {
			if both, some := r.Intersect(scheme.Bounds(i)); some {
				in = append(in, both)
			}
		}
		if in != nil {
			out = append(out, in)
		}
	}
	return out
}

// begin starts the readers.
func (p *parallelScan) begin(ctx context.Context) {
	ctx, p.cancel = context.WithCancel(ctx)
	p.parts, p.reached = make(chan part, p.readers), map[*tableScan][]byte{}
	var all sync.WaitGroup
	cluster := p.scans[0].cluster
	for range p.readers {
		all.Add(1)
		cluster.seeThrough(func() {
			defer all.Done()
			p.work(ctx)
		})
	}
	go func() {
		all.Wait()
		close(p.parts)
	}()
}

// work reads one region after the other. One block is fetched while the previous
// one waits to be read.
func (p *parallelScan) work(ctx context.Context) {
	taken := make(chan struct{}, 1)
	taken <- struct{}{}
	send := func(out part) bool {
		select {
		case <-taken:
			p.parts <- out // there is room for one part of each reader
			return out.err == nil
		case <-ctx.Done():
			return false
		}
	}
	for t := p.take(); t != nil; t = p.take() {
		for goesOn := true; goesOn; {
			did := t.stats()
			var block []byte
			err := caught.Do(func() (err error) {
				block, err = t.next(ctx)
				return err
			})
			goesOn = len(block) > 0
			if !send(part{t, block, t.last.row, goesOn && t.partial, since(t.stats(), did), err, taken}) {
				t.close()
				return
			}
		}
	}
}

// take returns a region that nobody has begun; nil if there is none.
func (p *parallelScan) take() *tableScan {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.scans) == 0 {
		return nil
	}
	t := p.scans[0]
	p.scans = p.scans[1:]
	return t
}

func since(now, before kv.ScanStats) kv.ScanStats {
	return kv.ScanStats{Partitions: now.Partitions - before.Partitions, Requests: now.Requests - before.Requests, Bytes: now.Bytes - before.Bytes}
}

func (p *parallelScan) stats() kv.ScanStats { return p.did }

func (p *parallelScan) next(ctx context.Context) ([]byte, error) {
	if p.parts == nil {
		p.begin(ctx)
	}
	if p.given.of != nil {
		p.reached[p.given.of] = p.given.last
	}
	for {
		got, err := p.receive(ctx)
		if err != nil || got.of == nil {
			return nil, err
		}
		p.row = nil
		if got.partial {
			p.row = got.of
		}
		p.did = addStats(p.did, got.did)
		if p.given = got; len(got.block) == 0 && got.err == nil {
			p.ended = append(p.ended, got.of)
			delete(p.reached, got.of)
		}
		got.taken <- struct{}{}
		if len(got.block) > 0 || got.err != nil {
			return got.block, got.err
		}
	}
}

// receive returns the next part of the current row, or else any part; an empty one at
// the end.
func (p *parallelScan) receive(ctx context.Context) (part, error) {
	for i, w := range p.waiting {
		if p.row == nil || w.of == p.row {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			return w, nil
		}
	}
	for {
		select {
		case got, ok := <-p.parts:
			if !ok { // the readers or the context have ended
				return part{}, ctx.Err()
			}
			if p.row == nil || got.of == p.row {
				return got, nil
			}
			p.waiting = append(p.waiting, got)
		case <-ctx.Done():
			return part{}, ctx.Err()
		}
	}
}

func (p *parallelScan) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.scans = nil
	if p.cancel != nil {
		p.cancel()
	}
}
