package sqlfront

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// running is a statement under way, and its context: the caller's, which KILL
// can end too.
type running struct {
	context.Context
	text     string
	database string // the current one when it began
	killed   atomic.Bool
	ended    atomic.Bool
	moved    atomic.Pointer[kv.MoveProgress] // nil where no cells are being moved

	mu     sync.Mutex
	merged context.Context // made for the first who asks for Done
	stop   context.CancelFunc
}

var errInterrupted = mysqlerr.New(mysqlerr.QueryInterrupted, "Query execution was interrupted")

// Err is errInterrupted after KILL, else the caller's, and after the end some
// error, for contexts that were made of this one.
func (r *running) Err() error {
	if r.killed.Load() {
		return errInterrupted
	}
	if err := r.Context.Err(); err != nil || !r.ended.Load() {
		return err
	}
	return context.Canceled
}

// Done is made when someone asks for it: most statements never wait.
func (r *running) Done() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.merged == nil {
		r.merged, r.stop = context.WithCancel(r.Context)
		if r.ended.Load() {
			r.stop()
		}
	}
	return r.merged.Done()
}

func (r *running) kill() {
	r.killed.Store(true)
	r.end()
}

// end gives up what Done has made.
func (r *running) end() {
	r.ended.Store(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop != nil {
		r.stop()
	}
}

// Killed reports whether the session has been ended, by KILL of another or by
// COMMIT RELEASE. All that it is asked for fails.
func (s *Session) Killed() bool { return s.killed.Load() }

// enter begins work on the session that others must not end meanwhile.
func (s *Session) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed.Load() {
		return errInterrupted
	}
	s.busy++
	return nil
}

// leave ends what enter began. The last one of a killed session puts an end to
// it.
func (s *Session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left()
}

// left is leave; mu is held.
func (s *Session) left() {
	if s.busy--; s.busy == 0 && s.killed.Load() {
		s.giveUp()
	}
}

// giveUp undoes the transaction and frees the locks. Nobody else is at work on
// the session.
func (s *Session) giveUp() {
	s.endTransaction()
	s.engine.locks.releaseAll(s.id)
}

// disconnect ends the session once nobody is at work on it.
func (s *Session) disconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.killed.Store(true)
	if s.busy == 0 {
		s.giveUp()
	}
}

// interrupt ends the statements under way.
func (s *Session) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.statements {
		r.kill()
	}
}

// kill is KILL [CONNECTION | QUERY] id
// (https://dev.mysql.com/doc/refman/5.7/en/kill.html).
func (s *Session) kill(ctx context.Context, p *parse.Parsed, st *parse.Kill, args []value.Value) error {
	id, err := s.evaluate(ctx, p, st.ID, args)
	if err != nil {
		return err
	}
	victim := s.engine.session(id.String())
	if victim == nil {
		return mysqlerr.New(mysqlerr.NoSuchThread, "Unknown thread id: %s", id.String())
	}
	if !st.Query {
		victim.disconnect()
	}
	victim.interrupt()
	return ctx.Err() // its own end
}

// session is the open session of that number, or nil.
func (e *Engine) session(id string) *Session {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sessions[n]
}

// begins notes the statement that starts, and clears what the last one left.
func (s *Session) begins(ctx context.Context, text string, keepWarnings bool) (*running, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed.Load() {
		return nil, errInterrupted
	}
	s.busy++
	if !keepWarnings {
		s.warningsBefore = len(s.warnings)
		s.errorsBefore = countErrors(s.warnings)
		s.warnings = nil
	}
	r := s.spare
	s.spare = nil
	if r == nil {
		r = &running{}
	}
	r.Context, r.text, r.database = ctx, text, s.database
	r.killed.Store(false)
	r.ended.Store(false)
	s.statements = append(s.statements, r)
	s.since = time.Now()
	return r, nil
}

// ends notes the end of a statement. It reports whether nothing has been made
// of its context that may still look at it.
func (s *Session) ends(r *running) (alone bool) {
	r.end()
	s.mu.Lock()
	if i := slices.Index(s.statements, r); i >= 0 {
		s.statements = slices.Delete(s.statements, i, i+1)
	}
	if alone = r.merged == nil; alone {
		s.spare = r
	}
	s.shownDatabase = s.database
	s.since = s.since.Add(time.Since(s.since)) // now, for half of what time.Now costs
	s.left()
	s.mu.Unlock()
	return alone
}
