// Package quota counts what sessions keep in memory, and refuses what is too much: [All] is what the sessions
// of an engine keep together, [Memory] what one of them keeps, and [Claims] what its running statements need.
// All may be used by many goroutines.
//
// The package has one error, 1041, which says how much the session keeps and may keep.
package quota

import (
	"sync/atomic"

	"github.com/dustin/go-humanize"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// DefaultAll is what the sessions of a store may keep together by default, in bytes.
const DefaultAll = 1 << 30

// All is what all sessions keep, in bytes. The zero value allows nothing: see Limit.
type All struct {
	bytes, limit, sessions atomic.Int64
}

// Limit sets what all sessions together may keep, in bytes.
func (a *All) Limit(bytes int64) { a.limit.Store(bytes) }

// Bytes is what they keep.
func (a *All) Bytes() int64 { return max(a.bytes.Load(), 0) }

// Add counts n bytes that several sessions keep together, once for all of them; n may be negative.
func (a *All) Add(n int64) { a.bytes.Add(n) }

// Join and Leave count the sessions.
func (a *All) Join()  { a.sessions.Add(1) }
func (a *All) Leave() { a.sessions.Add(-1) }

// fairShare is what each session may keep even if all together keep too much: a session that keeps much
// leaves the others their share, and all together keep at most twice the limit.
func (a *All) fairShare() int64 { return a.limit.Load() / max(a.sessions.Load(), 1) }

// Memory counts what one session keeps, in bytes: its statements, variables, locks and warnings, what its
// client is sending, and what the running statements need beyond a little.
type Memory struct {
	All   *All
	Limit int64 // 0 is none
	// own is all that the session keeps, alone what no other session keeps as well.
	own, alone atomic.Int64
}

// Take counts n bytes more. If there are too many, the error is 1041 and the count stays as it was.
func (m *Memory) Take(n int64) error { return m.TakeShared(n, n) }

// Give gives back what Take has counted.
func (m *Memory) Give(n int64) { m.GiveShared(n, n) }

// TakeShared is Take for n bytes of which other sessions keep all but alone, and have counted them for all.
// The error is 1041, like Take's.
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

// GiveAll gives back everything, for a session that has ended.
func (m *Memory) GiveAll() {
	m.own.Store(0)
	m.All.bytes.Add(-m.alone.Swap(0))
}

// Resize changes the counted size of a part of the memory, *part, to bytes. If that is too much, the error is
// 1041 and the count stays as it was.
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

// Shrink is Resize to a size that is not larger, which cannot fail.
func (m *Memory) Shrink(part *int64, bytes int64) { _ = m.Resize(part, min(bytes, *part)) }

func errTooMuch(kept, more, limit int64) error {
	return mysqlerr.New(mysqlerr.OutOfResources, "Out of memory; the session keeps %s, needs %s more and may have %s "+
		"(sessionMemory): give up prepared statements (DEALLOCATE PREPARE), variables (SET @a = NULL), cursors and temporary tables "+
		"(DROP TEMPORARY TABLE), or write less at once", humanize.IBytes(uint64(max(kept, 0))), humanize.IBytes(uint64(more)), humanize.IBytes(uint64(limit)))
}

// Claims is what running statements need of a session's memory beyond a little. They give it back when they
// end.
type Claims struct {
	Memory *Memory
	Bytes  atomic.Int64 // claimed
}

// Claim counts n bytes more; the error is 1041 if there are too many.
func (c *Claims) Claim(n int64) error {
	if err := c.Memory.Take(n); err != nil {
		return err
	}
	c.Bytes.Add(n)
	return nil
}

// Release gives back everything that was claimed.
func (c *Claims) Release() {
	if n := c.Bytes.Swap(0); n != 0 {
		c.Memory.Give(n)
	}
}
