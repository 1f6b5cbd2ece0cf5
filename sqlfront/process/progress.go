package process

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// Moved returns a function for the progress of the last statement in moving cells, which the process list
// shows; tell, if not nil, is called too.
func (p *Process) Moved(tell func(metrics.MoveProgress)) func(kv.MoveProgress) {
	say := p.saying()
	return func(m kv.MoveProgress) {
		state := "copy to new partitions"
		if m.AllCells > 0 {
			state += fmt.Sprintf(" %d%%", 100*m.Cells/m.AllCells)
		}
		say(state)
		if tell != nil {
			tell(metrics.MoveProgress{Cells: m.Cells, AllCells: m.AllCells})
		}
	}
}

// Collected returns a function for the progress of the last statement in removing what retention hides.
func (p *Process) Collected() func(kv.Collected) {
	say := p.saying()
	return func(c kv.Collected) { say(fmt.Sprintf("collecting, %d versions and %d ranges", c.Versions, c.Ranges)) }
}

// Built returns a function for the number of rows that the last statement has read to build an index.
func (p *Process) Built() func(rows int64) {
	say := p.saying()
	return func(rows int64) { say(fmt.Sprintf("building an index, %d rows", rows)) }
}

// saying returns a function for what the last statement is doing; the process list shows the latest text.
func (p *Process) saying() func(string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := new(atomic.Pointer[string])
	if n := len(p.statements); n > 0 {
		if last := &p.statements[n-1]; last.at == nil {
			last.at = at
		}
		at = p.statements[n-1].at
	}
	return func(state string) { at.Store(&state) }
}

// state is what the statement is doing.
func (st *Statement) state() string {
	if st.at == nil {
		return ""
	}
	if state := st.at.Load(); state != nil {
		return *state
	}
	return ""
}

// Read notes what the last statement reads, in the form of exec.Progress.
func (p *Process) Read(of any, tables []*kv.Table, scan *kv.Scan, cells int64, partitions float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.soFar.Number != p.counts.Begun {
		p.soFar = metrics.Reading{Number: p.counts.Begun}
	}
	p.soFar.Add(of, tables, scan, cells, partitions)
}

// SoFar is what the last statement has read so far.
func (p *Process) SoFar() metrics.Reading {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.soFar
}

// Show sets what the process list shows of the session, and returns what its last statement has read if it
// has been reading for long.
func (p *Process) Show(out *infoschema.Process) (r metrics.Reading) {
	p.mu.Lock()
	defer p.mu.Unlock()
	out.Command, out.Database = "Sleep", p.database
	if n := len(p.statements); n > 0 {
		last := &p.statements[n-1]
		out.Command, out.Text, out.Database, out.State = "Query", lex.Shown(last.Text), last.Database, last.state()
		if last.Number == p.soFar.Number && out.State == "" {
			r = p.soFar
		}
	}
	if p.Killed.Load() {
		out.Command = "Killed"
	}
	if !p.since.IsZero() {
		out.Seconds = int64(time.Since(p.since) / time.Second)
	}
	return r
}
