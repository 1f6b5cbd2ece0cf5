package metrics

import (
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
)

// SessionCounts are a session's counts of its statements.
type SessionCounts struct {
	Begun   uint64 // including running ones
	Planned uint64 // those that used a cached plan
	ended   [kinds]*StatementCounts
}

// Of are the counts of a kind.
func (c *SessionCounts) Of(kind Kind) *StatementCounts {
	if c.ended[kind] == nil {
		c.ended[kind] = &StatementCounts{Kind: kind}
	}
	return c.ended[kind]
}

// Add adds the counts of another session.
func (c *SessionCounts) Add(o *SessionCounts) {
	c.Begun += o.Begun
	c.Planned += o.Planned
	for kind, each := range o.ended {
		if each != nil {
			c.Of(Kind(kind)).add(each)
		}
	}
}

// Count counts a statement that has ended.
func (c *StatementCounts) Count(d *Done, took time.Duration) {
	outcome := Succeeded
	if d.Err != nil {
		outcome = OutcomeOf(d.Err)
	}
	c.Outcomes[outcome]++
	at := 0
	for at < len(LatencyBounds) && took > LatencyBounds[at] {
		at++
	}
	c.Latency[at]++
	c.Took += took
	c.RowsGiven += uint64(d.Given)
	c.RowsChanged += uint64(d.Changed)
	if w := d.Work; w != nil {
		c.Cells += uint64(w.Cells.Load())
		c.Seeks += uint64(w.Seeks.Load())
		c.Partitions += uint64(w.Partitions.Load())
	}
}

func (c *StatementCounts) add(o *StatementCounts) {
	for i, n := range o.Outcomes {
		c.Outcomes[i] += n
	}
	for i, n := range o.Latency {
		c.Latency[i] += n
	}
	c.Took += o.Took
	c.RowsGiven += o.RowsGiven
	c.RowsChanged += o.RowsChanged
	c.Cells += o.Cells
	c.Seeks += o.Seeks
	c.Partitions += o.Partitions
}

// All are the counts by Kind.
func (c *SessionCounts) All() []StatementCounts {
	out := make([]StatementCounts, kinds)
	for i := range out {
		out[i] = *c.Of(Kind(i))
	}
	return out
}

// Done is the work of a statement.
type Done struct {
	Err            error
	Given, Changed int64      // rows
	Work           *exec.Work // nil if it was not counted
}

// StatementCounts are the counts of ended statements of one kind.
type StatementCounts struct {
	Kind     Kind
	Outcomes [outcomes]uint64
	// Latency is the number of statements that took at most as long as each of LatencyBounds, and longer than
	// the one before; the last is those above all.
	Latency [len(LatencyBounds) + 1]uint64
	Took    time.Duration // in total
	// RowsGiven are the rows of result sets, RowsChanged the written ones.
	RowsGiven, RowsChanged uint64
	// Cells are the cells that were read, Seeks the repositionings, Partitions those opened.
	Cells, Seeks, Partitions uint64
}

// Ended is the number of statements.
func (c *StatementCounts) Ended() (n uint64) {
	for _, each := range c.Outcomes {
		n += each
	}
	return n
}
