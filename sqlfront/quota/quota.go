// Package quota counts what sessions keep in memory, and refuses what is too much: [All] is what the
// sessions of an engine keep together, [Memory] what one of them keeps, and [Claims] what the
// statements under way need of it. All may be used by many goroutines.
//
// The one error of the package is 1041, which says how much the session keeps and may have.
package quota

import (
	"sync/atomic"

	"github.com/dustin/go-humanize"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// DefaultAll is what the sessions of a store may keep together where nobody says, in bytes.
const DefaultAll = 1 << 30

// All is what all sessions keep, in bytes. The zero value allows nothing beyond each session's
// share of nothing: see Limit.
type All struct {
	bytes, limit, sessions atomic.Int64
}

// Limit says what all sessions together may keep, in bytes.
func (a *All) Limit(bytes int64) { a.limit.Store(bytes) }

// Bytes is what they keep.
func (a *All) Bytes() int64 { return max(a.bytes.Load(), 0) }

// Add counts n bytes that several sessions keep together, once for all of them; n may be negative.
func (a *All) Add(n int64) { a.bytes.Add(n) }

// Join and Leave count the sessions that there are.
func (a *All) Join()  { a.sessions.Add(1) }
func (a *All) Leave() { a.sessions.Add(-1) }

// fairShare is what each session may keep even where all together keep too much: so a session that
// keeps much leaves the others theirs, and all together keep at most twice the limit.
func (a *All) fairShare() int64 { return a.limit.Load() / max(a.sessions.Load(), 1) }

// Memory counts what one session keeps, in bytes: its statements, variables, locks and
// warnings, what its client is sending, and what the statements under way need beyond a
// little.
type Memory struct {
	All   *All
	Limit int64 // 0 is none
	// own is all that the session keeps, alone what no other session keeps too.
	own, alone atomic.Int64
}

// Take counts n bytes more: 1041 where they are too many, which leaves the count as it was.
func (m *Memory) Take(n int64) error { return m.TakeShared(n, n) }

// Give gives back what Take has counted.
func (m *Memory) Give(n int64) { m.GiveShared(n, n) }

// TakeShared is Take where other sessions keep, and have counted for all, what is not alone. The
// error is 1041, as Take's.
func (m *Memory) TakeShared(n, alone int64) error {
	own := m.own.Add(n)
	m.alone.Add(alone)
	all := m.All.bytes.Add(alone)
	limit := m.Limit
	switch {
	case limit == 0:
		return nil
	case own > limit:
	case all > m.All.limit.Load() && own > m.All.fairShare():
		limit = m.All.fairShare()
	default:
		return nil
	}
	m.GiveShared(n, alone)
	return errTooMuch(own-n, n, limit)
}

// GiveShared gives back what TakeShared has counted.
func (m *Memory) GiveShared(n, alone int64) {
	m.own.Add(-n)
	m.alone.Add(-alone)
	m.All.bytes.Add(-alone)
}

// GiveAll gives back everything, of a session that is over.
func (m *Memory) GiveAll() {
	m.own.Store(0)
	m.All.bytes.Add(-m.alone.Swap(0))
}

// Resize counts a part of the memory again, of which part is the present size. 1041 where it has
// become too large; it then counts as it did.
func (m *Memory) Resize(part *int64, bytes int64) error {
	if more := bytes - *part; more > 0 {
		if err := m.Take(more); err != nil {
			return err
		}
	} else {
		m.Give(-more)
	}
	*part = bytes
	return nil
}

// Shrink is Resize to what is no more, which cannot fail.
func (m *Memory) Shrink(part *int64, bytes int64) { _ = m.Resize(part, min(bytes, *part)) }

func errTooMuch(kept, more, limit int64) error {
	return mysqlerr.New(mysqlerr.OutOfResources, "Out of memory; the session keeps %s, needs %s more and may have %s "+
		"(sessionMemory): give up prepared statements (DEALLOCATE PREPARE), variables (SET @a = NULL), cursors and temporary tables "+
		"(DROP TEMPORARY TABLE), or write less at once", humanize.IBytes(uint64(max(kept, 0))), humanize.IBytes(uint64(more)), humanize.IBytes(uint64(limit)))
}

// Claims is what statements under way need of a session's memory beyond a little. They give
// it back when they end.
type Claims struct {
	Memory *Memory
	Bytes  atomic.Int64 // claimed
}

// Claim counts n bytes more: 1041 where they are too many.
func (c *Claims) Claim(n int64) error {
	if err := c.Memory.Take(n); err != nil {
		return err
	}
	c.Bytes.Add(n)
	return nil
}

// Release gives back all that was claimed.
func (c *Claims) Release() {
	if n := c.Bytes.Swap(0); n != 0 {
		c.Memory.Give(n)
	}
}
