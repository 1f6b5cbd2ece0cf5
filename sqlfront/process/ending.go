package process

import (
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/interrupt"
)

// Enter begins work on the session, during which it is not ended; the error is 1317 if the session has been
// killed.
func (p *Process) Enter() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Killed.Load() {
		return interrupt.ErrKilled
	}
	p.busy++
	return nil
}

// Leave ends what Enter began. The last one in a killed session ends it.
func (p *Process) Leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy--; p.busy == 0 && p.Killed.Load() {
		p.GiveUp()
	}
}

// Kill ends the session once no work on it is left.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Killed.Store(true)
	if p.busy == 0 {
		p.GiveUp()
	}
}

// Interrupt ends the running statements, whose contexts fail with 1317.
func (p *Process) Interrupt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.statements {
		ctx := p.statements[i].Ctx
		if ctx.Kill(); ctx == p.background {
			p.background = nil
		}
	}
}

// Abandon ends a session that no longer has a goroutine, whatever its counts: what it holds is released
// immediately.
func (p *Process) Abandon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Killed.Store(true)
	for i := range p.statements {
		p.statements[i].Ctx.Kill()
	}
	p.statements, p.busy = nil, 0
	p.GiveUp()
}

// Interrupted reports whether the session was ended, or the last statement was interrupted: by KILL, by the
// end of its context or by max_execution_time.
func (p *Process) Interrupted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.Killed.Load() || len(p.statements) == 0 {
		return p.Killed.Load()
	}
	last := &p.statements[len(p.statements)-1]
	return last.Ctx.Err() != nil || !last.until.IsZero() && time.Now().After(last.until)
}
