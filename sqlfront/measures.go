package sqlfront

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

// Kind is a sort of statements that are counted together.
type Kind uint8

// The kinds.
const (
	KindSelect Kind = iota
	KindInsert
	KindReplace
	KindUpdate
	KindDelete
	KindLoad
	KindTransaction
	KindDDL
	KindShow
	KindSet
	KindOther
	kinds
)

var kindNames = [kinds]string{"select", "insert", "replace", "update", "delete", "load", "transaction", "ddl", "show",
	"set", "other"}

func (k Kind) String() string { return kindNames[k] }

func kindOf(st parse.Statement) Kind {
	switch st := st.(type) {
	case *parse.Select:
		return KindSelect
	case *parse.Insert:
		if st.Node.Action == "replace" {
			return KindReplace
		}
		return KindInsert
	case *parse.Update:
		return KindUpdate
	case *parse.Delete:
		return KindDelete
	case *parse.LoadData:
		return KindLoad
	case *parse.Begin, *parse.Commit, *parse.Rollback, *parse.Savepoint, *parse.ReleaseSavepoint, *parse.SetTransaction:
		return KindTransaction
	case *parse.Show, *parse.Describe, *parse.Explain:
		return KindShow
	case *parse.Set, *parse.Use:
		return KindSet
	case *parse.CreateTable, *parse.CreateTableLike, *parse.CreateDatabase, *parse.CreateTableGroup, *parse.CreateView,
		*parse.AlterTable, *parse.AlterDatabase, *parse.AlterTableGroup, *parse.DropTable, *parse.DropDatabase,
		*parse.DropTableGroup, *parse.DropView, *parse.TruncateTable, *parse.RenameTable, *parse.SplitTable:
		return KindDDL
	}
	return KindOther
}

// Outcome is how a statement ended.
type Outcome uint8

// The outcomes.
const (
	Succeeded Outcome = iota
	Failed
	Interrupted // by KILL, its context or max_execution_time
	outcomes
)

var outcomeNames = [outcomes]string{"ok", "error", "interrupted"}

func (o Outcome) String() string { return outcomeNames[o] }

func outcomeOf(err error) Outcome {
	switch {
	case err == nil:
		return Succeeded
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		mysqlerr.Is(err, mysqlerr.QueryInterrupted), mysqlerr.Is(err, mysqlerr.QueryTimeout):
		return Interrupted
	}
	return Failed
}

// LatencyBounds are the upper bounds of the classes that statements' times are
// counted in; one more class is above them.
var LatencyBounds = [...]time.Duration{
	10 * time.Microsecond, 25 * time.Microsecond, 50 * time.Microsecond, 100 * time.Microsecond, 250 * time.Microsecond,
	500 * time.Microsecond, time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond,
	25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second, time.Minute,
}

// counts are what an engine counts of its statements, but for what its sessions
// count themselves: a counter for all is memory that the processors would hand to and
// fro.
type counts struct {
	slow atomic.Uint64
	// planned is how many statements over tables got a new plan.
	planned atomic.Uint64
	// retries are statements that were run again because others were faster.
	retries atomic.Uint64
	// over is what sessions that are over have counted; it is guarded by the engine's mu.
	over sessionCounts
	// none has nothing counted of a statement, for a benchmark.
	none bool
}

// sessionCounts are what a session counts of its statements.
type sessionCounts struct {
	begun   uint64 // also those that are under way
	ended   [kinds]*StatementCounts
	planned uint64 // that found a plan
}

// of are the counts of a kind.
func (c *sessionCounts) of(kind Kind) *StatementCounts {
	if c.ended[kind] == nil {
		c.ended[kind] = &StatementCounts{Kind: kind}
	}
	return c.ended[kind]
}

func (c *sessionCounts) add(o *sessionCounts) {
	c.begun += o.begun
	c.planned += o.planned
	for kind, each := range o.ended {
		if each != nil {
			c.of(Kind(kind)).add(each)
		}
	}
}

// count counts a statement that has ended.
func (c *StatementCounts) count(d *done, took time.Duration) {
	c.Outcomes[outcomeOf(d.err)]++
	at := 0
	for at < len(LatencyBounds) && took > LatencyBounds[at] {
		at++
	}
	c.Latency[at]++
	c.Took += took
	c.RowsGiven += uint64(d.given)
	c.RowsChanged += uint64(d.changed)
	if w := d.work; w != nil {
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

// counted is what all sessions have counted, those too that are over.
func (e *Engine) counted() (all sessionCounts) {
	e.mu.Lock()
	all.add(&e.counts.over)
	sessions := slices.Collect(maps.Values(e.sessions)) // one that ends from now on keeps its counts
	e.mu.Unlock()
	for _, s := range sessions {
		s.mu.Lock()
		all.add(&s.counts)
		s.mu.Unlock()
	}
	return all
}

// done is what a statement has done.
type done struct {
	err            error
	given, changed int64 // rows
	work           *exec.Work
}

// StatementCounts are those of the statements of one kind that have ended.
type StatementCounts struct {
	Kind     Kind
	Outcomes [outcomes]uint64
	// Latency is how many took at most as long as each of LatencyBounds, and longer
	// than the one before; the last is above all.
	Latency [len(LatencyBounds) + 1]uint64
	Took    time.Duration // together
	// RowsGiven are those of result sets, RowsChanged those that were written.
	RowsGiven, RowsChanged uint64
	// Cells are those looked at, Seeks the repositionings, Partitions those opened.
	Cells, Seeks, Partitions uint64
}

// Ended is how many there were.
func (c *StatementCounts) Ended() (n uint64) {
	for _, each := range c.Outcomes {
		n += each
	}
	return n
}

// Counts are an engine's figures at one moment.
type Counts struct {
	Statements []StatementCounts // by Kind
	// Slow took longer than long_query_time.
	Slow, Retries                          uint64
	MostSessions                           int // at a time
	PlansHit, PlansMade                    uint64
	Sessions, Running, Prepared            int
	Transactions, LockWaits                int   // now open, and of these now waiting
	SpilledParts, SpillFiles, SpilledBytes int64 // what did not fit into memory
	Uptime                                 time.Duration
}

// Counts are the engine's figures since it was made.
func (e *Engine) Counts() Counts {
	counted := e.counted()
	out := Counts{
		Slow: e.counts.slow.Load(), Retries: e.counts.retries.Load(), PlansHit: counted.planned,
		PlansMade: e.counts.planned.Load(), MostSessions: e.mostSessions(), Prepared: int(e.prepared.Load()),
		SpilledParts: e.spilled.Parts.Load(), SpillFiles: e.spilled.Files.Load(), SpilledBytes: e.spilled.Bytes.Load(),
		Uptime: time.Since(e.started), Statements: make([]StatementCounts, kinds),
	}
	for i := range out.Statements {
		out.Statements[i] = *counted.of(Kind(i))
	}
	out.Sessions, out.Running = server{e}.threads()
	for _, t := range (server{e}).Transactions() {
		out.Transactions++
		if !t.State.WaitsSince.IsZero() {
			out.LockWaits++
		}
	}
	return out
}

// Outcomes are all outcomes, as indices of StatementCounts.Outcomes.
func Outcomes() []Outcome { return []Outcome{Succeeded, Failed, Interrupted} }
