package spill

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
)

// Options say how much a statement may take.
type Options struct {
	// Memory limits what the statement keeps in memory, in bytes; 0 for no limit. It is exceeded
	// slightly: by larger rows, and by an eighth for each part of a statement, if several keep rows.
	Memory int64
	// Dir is the directory of temporary files; if empty, the system's.
	Dir string
	// Workers is how many goroutines may read files concurrently; 0 means one.
	Workers int
	// Claims, if not nil, is asked for the memory that the statement takes beyond a small amount. If it
	// refuses, the statement uses temporary files as if it had reached Memory.
	Claims interface{ Claim(bytes int64) error }
	// Counters count for all statements; may be nil.
	Counters *Counters
}

// Counters count the use of temporary files.
type Counters struct {
	// Parts is the number of sorts and similar structures that did not fit in memory.
	Parts atomic.Int64
	// Files is the number of temporary files created; Rows and Bytes are what was written to them.
	Files, Rows, Bytes atomic.Int64
	// Merges is the number of merges of several sorted runs into one.
	Merges atomic.Int64
}

// Space has the memory and files of one statement. Call Init before the first use, and Close after the
// last. It is safe for concurrent use; what is made with it is not.
type Space struct {
	ctx  context.Context
	opts Options
	used atomic.Int64
	// claimed is what it may use; next is the use from which it claims more; short means that it was
	// refused more.
	claimed, next atomic.Int64
	short         atomic.Bool
	refused       error // why it is short; guarded by mu
	// own counts for this statement only.
	own Counters

	closed atomic.Bool
	writes atomic.Bool // it has files, or is about to have some
	mu     sync.Mutex
	files  map[*file]struct{}
}

// Init makes the space ready. The context ends long operations.
func (s *Space) Init(ctx context.Context, o Options) {
	s.ctx, s.opts = ctx, o
	s.claimed.Store(unclaimed)
	s.next.Store(unclaimed)
}

// unclaimed is what a statement takes without a claim, and each of its parts if a claim was refused;
// mostClaims limits what is claimed at once beyond what is needed.
const (
	unclaimed  = 64 << 10
	mostClaims = 4 << 20
)

// claim claims what is used beyond what has been claimed.
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

// Close removes the remaining temporary files. It may be called again. The error is that of closing a
// file.
func (s *Space) Close() error {
	s.closed.Store(true)
	if !s.writes.Load() { // the common case: a writer that begins now finds the space closed
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

// floor is the memory that each part may have regardless of the others.
func (s *Space) floor() int64 { return s.opts.Memory / 8 }

// The limits of a block, which is read and written at once.
const (
	minBlock = 1 << 10
	maxBlock = 256 << 10
)

func (s *Space) block() int {
	return int(min(max(s.opts.Memory/64, minBlock), maxBlock))
}

// fanIn is the number of runs that are merged at once: their blocks take half of the memory, or less if
// other parts leave less.
func (s *Space) fanIn() int {
	left := max(s.opts.Memory-s.used.Load(), s.floor())
	return max(4, int(min(left, s.opts.Memory/2))/s.block())
}

// Account is the memory that one part of a statement takes of its space. The zero Account counts
// nothing.
type Account struct {
	space *Space
	own   int64
	most  int64
}

// Account opens an account.
func (s *Space) Account() Account { return Account{space: s} }

// Grow adds so many bytes, or subtracts them if negative.
func (a *Account) Grow(bytes int) {
	if a.space != nil {
		a.own += int64(bytes)
		a.most = max(a.most, a.own)
		if used := a.space.used.Add(int64(bytes)); bytes > 0 && used > a.space.next.Load() {
			a.space.claim(used)
		}
	}
}

// Peak is the most memory that the part has taken at any time, in bytes.
func (a *Account) Peak() int64 { return a.most }

// Full reports whether this part must free memory: there is too little, and this part has at least its
// share.
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

// Refused returns why a part may not keep more rows that cannot be written to files: the statement was
// refused the memory (1041). It is nil if the part may.
func (a *Account) Refused() error {
	s := a.space
	if s == nil || !s.short.Load() || a.own <= unclaimed {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// Release subtracts everything that was added.
func (a *Account) Release() {
	if a.space != nil {
		a.space.used.Add(-a.own)
		a.own = 0
	}
}
