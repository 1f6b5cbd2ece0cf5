package sqlfront

import (
	"maps"
	"slices"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/metrics"
)

// counted sums the counts of all sessions, including ended ones.
func (e *Engine) counted() (all metrics.SessionCounts) {
	e.mu.Lock()
	all.Add(&e.counts.over)
	sessions := slices.Collect(maps.Values(e.sessions)) // a session that ends meanwhile keeps its counts
	e.mu.Unlock()
	for _, s := range sessions {
		s.underWay.AddCounts(&all)
	}
	return all
}

// Counts are the engine's figures since it was created.
func (e *Engine) Counts() metrics.Counts {
	counted := e.counted()
	out := metrics.Counts{
		Slow: e.counts.slow.Load(), Retries: e.txns.Retries.Load(), PlansHit: counted.Planned,
		PlansMade: e.statements.Made(), MostSessions: e.mostSessions(), Prepared: e.statements.Prepared(),
		SpilledParts: e.spilled.Parts.Load(), SpillFiles: e.spilled.Files.Load(), SpilledBytes: e.spilled.Bytes.Load(),
		SpillMerges: e.spilled.Merges.Load(), Connections: e.lastID.Load(), Questions: counted.Begun,
		SessionMemory: e.kept.Bytes(),
		Uptime:        time.Since(e.started), Statements: counted.All(),
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
