package function

import (
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// Held counts the strings and documents that expressions have made and still
// need, in bytes, for one goroutine of a statement. A nil Held counts nothing.
type Held struct {
	// Limit is the most that may be held at once; 0 is no limit.
	Limit int
	// Claims, if not nil, is asked for memory beyond a small amount.
	Claims interface{ Claim(bytes int64) error }
	room   int // what has been claimed, plus a small amount
	bytes  int
	floor  int // at the start of the current row
	kept   int
}

// Beside is a Held for another goroutine of the statement.
func (h *Held) Beside() *Held { return &Held{Limit: h.Limit, Claims: h.Claims} }

// Mark is the number of bytes held now, for Release.
func (h *Held) Mark() int {
	if h == nil {
		return 0
	}
	return h.bytes
}

// Release forgets what was made since Mark returned mark.
func (h *Held) Release(mark int) {
	if h != nil {
		h.bytes = mark
	}
}

// NewRow forgets what was made for the row before.
func (h *Held) NewRow() {
	if h != nil {
		h.bytes = h.floor
	}
}

// Enter begins the rows of a subquery; everything that is held now remains needed until Leave.
func (h *Held) Enter() (floor int) {
	if h == nil {
		return 0
	}
	floor, h.floor = h.floor, h.bytes
	return floor
}

// Leave forgets everything since Enter returned floor, except for a value of n bytes. The error is 1038.
func (h *Held) Leave(floor, n int) error {
	if h == nil {
		return nil
	}
	h.bytes, h.floor = h.floor, floor
	return h.Grow(n)
}

// Keep counts n bytes that are needed until the statement ends. The error is 1038.
func (h *Held) Keep(n int) error {
	if h == nil {
		return nil
	}
	h.kept += n
	return h.Grow(0)
}

// Grow counts n more bytes; the error is 1038 if that exceeds the limit, or that of Claims.
func (h *Held) Grow(n int) error {
	if h == nil {
		return nil
	}
	if h.bytes += n; h.Limit > 0 && h.bytes > h.Limit-h.kept {
		return h.Exceeded()
	}
	if h.bytes > h.room-h.kept {
		return h.claim(h.bytes + h.kept)
	}
	return nil
}

// The bytes that are held without a claim, and the maximum that is claimed at once beyond what is needed.
const (
	unclaimed  = 64 << 10
	mostClaims = 4 << 20
)

// claim claims memory up to a total of bytes.
func (h *Held) claim(bytes int) error {
	h.room = max(h.room, unclaimed)
	if bytes <= h.room {
		return nil
	}
	more := bytes - h.room + min(h.room/4, mostClaims)
	if h.Claims != nil {
		if err := h.Claims.Claim(int64(more)); err != nil {
			return err
		}
	}
	h.room += more
	return nil
}

// Exceeded is error 1038.
func (h *Held) Exceeded() error {
	return mysqlerr.New(mysqlerr.OutOfSortMemory,
		"Out of memory: the values of expressions take more than %d bytes at once (queryMemory, max_allowed_packet)", h.Limit)
}
