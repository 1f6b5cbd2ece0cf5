package spill

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
)

// Options say what a statement may take.
type Options struct {
	// Memory is the limit of what the statement keeps in memory, in bytes; 0
	// is none. It is overrun by a little: by rows that are larger than it, and
	// where several parts of a statement keep rows by an eighth for each.
	Memory int64
	// Dir is the directory of temporary files; empty is the system's.
	Dir string
	// Workers is how many goroutines may read files at the same time; 0 is one.
	Workers int
	// Claims, where it is not nil, is asked for the memory that the statement takes beyond a
	// little. Where it refuses, the statement goes to temporary files as if it had reached Memory.
	Claims interface{ Claim(bytes int64) error }
	// Counters count for all statements; they may be nil.
	Counters *Counters
}

// Counters count what went to temporary files.
type Counters struct {
	// Parts is the number of sorts and the like that did not fit into memory.
	Parts atomic.Int64
	// Files is the number of temporary files made, Rows and Bytes what was
	// written to them.
	Files, Rows, Bytes atomic.Int64
	// Merges is the number of merges of several sorted runs into one.
	Merges atomic.Int64
}

// Space is what one statement takes. Init comes before the first use, and
// Close after the last. It is safe for concurrent use; what is made with it is
// not.
type Space struct {
	ctx  context.Context
	opts Options
	used atomic.Int64
	// claimed is what it may use, next from how much on it claims more, and short that it was
	// refused that.
	claimed, next atomic.Int64
	short         atomic.Bool
	refused       error // why it is short; guarded by mu
	// own counts for this statement alone.
	own Counters

	closed atomic.Bool
	writes atomic.Bool // it has, or will have, files
	mu     sync.Mutex
	files  map[*file]struct{}
}

// Init makes the space ready. The context ends what takes long.
func (s *Space) Init(ctx context.Context, o Options) {
	s.ctx, s.opts = ctx, o
	s.claimed.Store(unclaimed)
	s.next.Store(unclaimed)
}

// unclaimed is what a statement takes without a claim, and each of its parts where a claim was
// refused; mostClaims is the most that is claimed at once beyond what is needed.
const (
	unclaimed  = 64 << 10
	mostClaims = 4 << 20
)

// claim claims what is used beyond what was claimed.
func (s *Space) claim(used int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	claimed := s.claimed.Load()
	if s.opts.Claims == nil || used <= claimed || s.closed.Load() {
		return
	}
	more := used - claimed + min(claimed/4, mostClaims)
	if err := s.opts.Claims.Claim(more); err != nil {
		s.refused = err
		s.short.Store(true)
		s.next.Store(used + unclaimed)
		return
	}
	s.short.Store(false)
	s.claimed.Add(more)
	s.next.Store(claimed + more)
}

// Close removes the temporary files that are left. It may be called again. The error is that of closing
// a file.
func (s *Space) Close() error {
	s.closed.Store(true)
	if !s.writes.Load() { // as most: a writer that begins now finds it closed
		return nil
	}
	s.mu.Lock()
	files := s.files
	s.files = nil
	s.mu.Unlock()
	var first error
	for f := range files {
		if err := f.release(); first == nil {
			first = err
		}
	}
	return first
}

func (s *Space) dir() string {
	if s.opts.Dir != "" {
		return s.opts.Dir
	}
	return os.TempDir()
}

// count adds to the statement's counters and to those of all statements.
func (s *Space) count(f func(*Counters)) {
	f(&s.own)
	if s.opts.Counters != nil {
		f(s.opts.Counters)
	}
}

// floor is the memory that each part may have however much the others have.
func (s *Space) floor() int64 { return s.opts.Memory / 8 }

// The bounds of a block: what is read and written at once.
const (
	minBlock = 1 << 10
	maxBlock = 256 << 10
)

func (s *Space) block() int {
	return int(min(max(s.opts.Memory/64, minBlock), maxBlock))
}

// fanIn is the number of runs that are merged at once: their blocks take half of the
// memory, or what others leave of it.
func (s *Space) fanIn() int {
	left := max(s.opts.Memory-s.used.Load(), s.floor())
	return max(4, int(min(left, s.opts.Memory/2))/s.block())
}

// Account is what one part of a statement takes of its space. The zero Account
// counts for nobody.
type Account struct {
	space *Space
	own   int64
	most  int64
}

// Account opens an account.
func (s *Space) Account() Account { return Account{space: s} }

// Grow adds so many bytes, or with a negative number takes them back.
func (a *Account) Grow(bytes int) {
	if a.space != nil {
		a.own += int64(bytes)
		a.most = max(a.most, a.own)
		if used := a.space.used.Add(int64(bytes)); bytes > 0 && used > a.space.next.Load() {
			a.space.claim(used)
		}
	}
}

// Peak is how many bytes the part has taken at a time.
func (a *Account) Peak() int64 { return a.most }

// Full reports whether this part has to give up memory: there is too little,
// and this part has its share.
func (a *Account) Full() bool {
	s := a.space
	if s == nil || s.opts.Memory == 0 {
		return false
	}
	if s.short.Load() && a.own >= min(unclaimed, s.floor()) && s.used.Load() > s.claimed.Load() {
		return true
	}
	return a.own >= s.floor() && s.used.Load() > s.opts.Memory
}

// Refused is why a part may not keep more that it cannot write to files: the statement was
// refused the memory. It is nil where it may.
func (a *Account) Refused() error {
	s := a.space
	if s == nil || !s.short.Load() || a.own <= unclaimed {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// Release takes back all.
func (a *Account) Release() {
	if a.space != nil {
		a.space.used.Add(-a.own)
		a.own = 0
	}
}
