package views

import (
	"bytes"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
)

// unflushed knows which rows may have cells in memory. A file has a filter that tells that
// it does not have a row. In memory that takes a seek in the skip list of each memtable; a
// young store has up to eight, and these seeks cost more than all files.
//
// The rows are known by the beginnings of their keys. They are in sets, and a set is
// dropped once everything in it has been flushed. Deletions are not added: callers want to
// know that nothing is stored.
type unflushed struct {
	hash *rowlock.Hasher
	// sets do not change, except the last one, which is being filled.
	sets atomic.Pointer[[]*rowSet]
	// blind is true while there may be rows in memory that are in no set: those written
	// before blindTo. 0 stands for the next written batch.
	blind   atomic.Bool
	blindTo pebble.SeqNum
	mu      sync.Mutex // guards changes
}

func (u *unflushed) init(h *rowlock.Hasher) {
	u.hash, u.blindTo = h, math.MaxUint64
	u.sets.Store(&[]*rowSet{})
}

// mayHold reports whether a row, which nobody is writing, may have cells in memory.
func (u *unflushed) mayHold(row []byte) bool {
	if u.blind.Load() {
		return true
	}
	h := u.hash.Beginning(row)
	return slices.ContainsFunc(*u.sets.Load(), func(s *rowSet) bool { return s.mayHold(h) })
}

// written adds the rows of a committed batch.
func (u *unflushed) written(b *pebble.Batch) { u.take(b, true) }

// copied adds the rows of a batch that was applied while others committed. If loseSight
// was called meanwhile, the batch may be older than that, so its sequence number does not
// tell when sight is regained.
func (u *unflushed) copied(b *pebble.Batch) { u.take(b, false) }

// take adds the rows of a batch. The records of a large one now belong to Pebble, which
// flushes them next.
func (u *unflushed) take(b *pebble.Batch, last bool) {
	if b.Empty() {
		if b.Count() > 0 {
			u.loseSight()
		}
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if last && u.blindTo == 0 {
		u.blindTo = b.SeqNum()
	}
	behind := b.SeqNum() + pebble.SeqNum(b.Count())
	var row []byte
	for r := b.Reader(); ; {
		kind, key, _, ok, err := r.Next()
		if !ok || err != nil {
			return
		}
		if kind == pebble.InternalKeyKindSet && (row == nil || !bytes.HasPrefix(key, row)) {
			row = key[:cellkey.SplitAtRow(key)]
			u.roomy().add(u.hash.Beginning(row), behind)
		}
	}
}

// roomy returns the set that is being filled.
func (u *unflushed) roomy() *rowSet {
	sets := *u.sets.Load()
	if n := len(sets); n > 0 && sets[n-1].rows < rowsOfSet {
		return sets[n-1]
	}
	s := &rowSet{}
	more := append(slices.Clone(sets), s)
	u.sets.Store(&more)
	return s
}

// loseSight notes that there may be rows in memory that were never written: those of files
// that wait there to be ingested.
func (u *unflushed) loseSight() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.blindTo = 0
	u.blind.Store(true)
}

// flushed notes the files that a flush has written, once they can be read. What was
// written before the last cell in them is no longer in memory.
func (u *unflushed) flushed(files []pebble.TableInfo) {
	var last pebble.SeqNum
	for _, f := range files {
		last = max(last, f.LargestSeqNum)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.blindTo > 0 && u.blindTo <= last {
		u.blindTo = math.MaxUint64
		u.blind.Store(false)
	}
	kept := slices.DeleteFunc(slices.Clone(*u.sets.Load()), func(s *rowSet) bool { return s.behind <= last+1 })
	u.sets.Store(&kept)
}

// A set has 16 bits for each row, so that 1 of 200 other rows seems to be in it, and takes
// 256 KiB. Memory full of rows of one cell of 100 bytes takes four sets.
const (
	setBits   = 21
	rowsOfSet = 1 << setBits / 16
)

// rowSet is a set of rows, each represented by four bits of one word, chosen by its hash.
type rowSet struct {
	words  [1 << setBits / 64]atomic.Uint64
	rows   int
	behind pebble.SeqNum // after all that was added
}

func bitsOf(h uint64) (word, bits uint64) {
	return h >> (64 - setBits + 6), 1<<(h&63) | 1<<(h>>6&63) | 1<<(h>>12&63) | 1<<(h>>18&63)
}

func (s *rowSet) add(h uint64, behind pebble.SeqNum) {
	s.behind = max(s.behind, behind)
	if word, bits := bitsOf(h); s.words[word].Load()&bits != bits {
		s.words[word].Or(bits)
		s.rows++
	}
}

func (s *rowSet) mayHold(h uint64) bool {
	word, bits := bitsOf(h)
	return s.words[word].Load()&bits == bits
}
