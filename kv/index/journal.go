package index

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"
)

// journals are the journals of the indexes that are being built, by the IDs of their tables of entries.
type journals struct {
	mu sync.Mutex
	of map[uint64]*journal
}

// journal records which rows have got other entries in an index while it is built. A transaction is recorded
// before it is committed, and may never be.
type journal struct {
	turn  chan struct{} // has one element while the index is built
	users int           // how many build it or wait for that; guarded by journals.mu

	mu    sync.Mutex
	parts map[partID]struct{}
}

// part is a row, or a column of one if each has its own entries.
type part struct{ row, qualifier []byte }

type partID struct{ row, qualifier string }

// fullJournal is the number of rows above which a build mends these before it reads others: they take about
// 32 MiB.
const fullJournal = 256 << 10

// begin starts the journal of an index, once nobody else builds it. It fails if the context ends.
func (js *journals) begin(ctx context.Context, entries uint64) (*journal, error) {
	js.mu.Lock()
	j := js.of[entries]
	if j == nil {
		j = &journal{turn: make(chan struct{}, 1), parts: map[partID]struct{}{}}
		if js.of == nil {
			js.of = map[uint64]*journal{}
		}
		js.of[entries] = j
	}
	j.users++
	js.mu.Unlock()
	select {
	case j.turn <- struct{}{}:
		return j, nil
	case <-ctx.Done():
		js.leave(entries, j)
		return nil, ctx.Err()
	}
}

// end ends the journal, unless others wait to build the index.
func (js *journals) end(entries uint64, j *journal) {
	<-j.turn
	js.leave(entries, j)
}

func (js *journals) leave(entries uint64, j *journal) {
	js.mu.Lock()
	defer js.mu.Unlock()
	if j.users--; j.users == 0 {
		delete(js.of, entries)
	}
}

// note records a row, or a column of it, in the journal of an index, if it is being built.
func (js *journals) note(entries uint64, row, qualifier []byte) {
	js.mu.Lock()
	j := js.of[entries]
	js.mu.Unlock()
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.parts[partID{string(row), string(qualifier)}] = struct{}{}
}

func (j *journal) full() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.parts) >= fullJournal
}

// take empties the journal, and returns its content, sorted.
func (j *journal) take() []part {
	j.mu.Lock()
	taken := j.parts
	j.parts = map[partID]struct{}{}
	j.mu.Unlock()
	out := make([]part, 0, len(taken))
	for p := range taken {
		out = append(out, part{[]byte(p.row), []byte(p.qualifier)})
	}
	slices.SortFunc(out, func(a, b part) int {
		return cmp.Or(bytes.Compare(a.row, b.row), bytes.Compare(a.qualifier, b.qualifier))
	})
	return out
}
