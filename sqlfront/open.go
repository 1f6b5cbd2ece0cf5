package sqlfront

import (
	"context"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/quota"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// NewEngine creates an engine with the machine's clock. The caller closes the store.
func NewEngine(store kv.Store) *Engine { return NewEngineAt(store, nil) }

// NewEngineAt is NewEngine with another clock, for NOW() and similar functions, and for the timestamps of
// cells without a T. It is called from many goroutines; nil means the machine's clock.
func NewEngineAt(store kv.Store, clock func() time.Time) *Engine {
	e := &Engine{
		store: store, limits: kv.LimitsOf(store), statements: statement.NewCache(kindOf),
		sessions: map[uint64]*Session{}, started: time.Now(), clock: clock,
	}
	e.LimitSessions(quota.DefaultAll)
	e.txns.Limits, e.txns.Clock = e.limits, clock
	e.accounts.Store = store
	e.estimator, _ = store.(kv.Estimator)
	e.info = infoschema.New(store, server{e})
	return e
}

// NewSession opens a session. Its errors are 1049 for a database that does not exist, 1231 for invalid
// Versions, and the store's.
func (e *Engine) NewSession(ctx context.Context, o SessionOptions) (*Session, error) {
	s := &Session{engine: e, options: o}
	s.memory.All = &e.kept
	s.claims.Memory, s.user.Memory, s.warnings.Memory = &s.memory, &s.memory, &s.memory
	s.underWay.GiveUp = s.giveUp
	if err := s.vars.Start(host{s}, &e.globals, &s.memory, o.variables(e)); err != nil {
		return nil, err
	}
	own := s.options.Account == (Account{}) // the program itself, whose memory is not limited
	if own {
		s.options.Account = Account{Name: rights.Root, User: "root", Host: "localhost", Peer: "localhost"}
	}
	s.self = s.options.Account.Name
	if o.Database != "" {
		if err := s.checkFirst(ctx, o.Database); err != nil {
			return nil, storeerr.Map(ctx, err)
		}
	}
	s.database = o.Database
	if s.memory.Limit = o.SessionMemory; o.SessionMemory == 0 && !own {
		s.memory.Limit = max(leastDefaultMemory, 4*max(s.vars.Spill.Memory, int64(s.vars.Packet)))
	}
	if s.id = o.ID; s.id == 0 {
		s.id = e.NextID()
	}
	s.temp.Start(e.store, e.estimator, &s.memory, &s.txns, IndexEntries, s.newDDL)
	s.txns.Start(&e.txns, &s.temp.Store, &s.vars.Settings, &s.memory, s.id, o.ReadOnly)
	e.add(s)
	s.base = s.baseInfo()
	return s, nil
}

// checkFirst refuses a first database that does not exist, or that the account has no privileges on.
func (s *Session) checkFirst(ctx context.Context, database string) error {
	if err := s.authorize(ctx); err != nil {
		return err
	}
	if err := s.authority.Enter(database); err != nil {
		return err
	}
	return s.engine.checkDatabase(ctx, database)
}

// clear resets the session to its initial state. No transaction is open.
func (s *Session) clear() {
	s.database = s.options.Database
	s.vars.Reset()
	s.user.Clear()
	s.warnings.Clear()
	s.txns.ForgetNext()
	s.tablesLocked = false
	s.lastInsertID, s.rowCount, s.foundRows = 0, 0, 0
}

// Reset rolls back an open transaction and resets the session to its initial state, as
// COM_RESET_CONNECTION of MySQL does.
func (s *Session) Reset() {
	if s.underWay.Enter() != nil {
		return // no transaction and no lock is left
	}
	defer s.underWay.Leave()
	s.giveUp()
	s.clear()
}

// Close ends the session. Its open Rows must have been closed before. The error is always nil.
func (s *Session) Close() error {
	s.underWay.Kill()
	s.engine.remove(s)
	s.memory.GiveAll()
	return nil
}

// baseInfo is the part of info that is the same for all statements of the session: its closures are
// allocated once.
func (s *Session) baseInfo() function.Session {
	return function.Session{
		User: s.options.Account.String(), CurrentUser: s.options.Account.Name.Plain(),
		Encryption: s.options.Encryption, Version: sysvar.ServerVersion, ConnectionID: s.id,
		Variable:        s.vars.Value,
		UserVariable:    s.user.Value,
		SetUserVariable: s.user.Set,
		SetLastInsertID: func(id int64) { s.lastInsertID, s.idTold = id, true },
		AddWarning:      s.warn,
		TakesNotes:      s.looksForNotes,
		AddNote:         func(code uint16, message string) { s.note(mysqlerr.Number(code), "%s", message) },
		Clock:           s.engine.clock,
		ReadFile:        s.readFile,
		Lock: func(ctx context.Context, call function.LockCall) (value.Value, error) {
			return s.engine.locks.Call(ctx, s.id, &s.memory, call)
		},
	}
}

// leastDefaultMemory is the smallest default of a client session's memory, in bytes: enough for an INSERT of
// 20 MB, whose syntax tree takes ten times as much.
const leastDefaultMemory = 512 << 20

// variables are the initial values of a session's variables.
func (o *SessionOptions) variables(e *Engine) sysvar.Options {
	return sysvar.Options{
		Endpoint: o.Endpoint, Versions: o.Versions, ReadOnly: o.ReadOnly, LockTimeout: o.LockTimeout,
		QueryMemory: o.QueryMemory, MaxAllowedPacket: o.MaxAllowedPacket, RefuseFullScan: o.RefuseFullScan,
		ScanLimit: o.ScanLimit, TempDir: o.TempDir, Parallelism: o.Parallelism, Most: o.Most, Spilled: &e.spilled,
	}
}
