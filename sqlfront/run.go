package sqlfront

import (
	"context"
	"io"
	"reflect"
	"time"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/interrupt"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/process"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Prepare parses a statement. It does not look anything up in the catalog, so a statement may be prepared
// before its table exists. The error is 1064 for invalid syntax, 1153 for a text longer than
// max_allowed_packet, 1041 for one that takes too much memory, or the context's.
func (s *Session) Prepare(ctx context.Context, sql string) (*Statement, error) {
	if err := s.checkText(ctx, sql); err != nil {
		return nil, err
	}
	sql = s.textModes().Standard(sql)
	st, err := s.engine.statements.Get(ctx, sql, s.reserve(sql))
	if err != nil && s.parsing != 0 {
		s.memory.Shrink(&s.parsing, 0)
	}
	return st, err
}

// reserve returns the function that counts the memory of parsing; nil for a short text, which takes little.
func (s *Session) reserve(sql string) func(bytes int) error {
	if len(sql) < lex.TokenRoom {
		return nil
	}
	return s.parses
}

func (s *Session) checkText(ctx context.Context, sql string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(sql) >= s.vars.Packet {
		return mysqlerr.New(mysqlerr.NetPacketTooLarge, "Got a packet bigger than 'max_allowed_packet' bytes")
	}
	return nil
}

// Recode converts the bytes of a string literal; introduced says that a character set introducer precedes it.
type Recode func(text []byte, introduced bool) []byte

// PrepareRecoded is Prepare for a text that has been converted from another character set: recode returns the
// bytes of each string literal in expressions. Names, comments and messages stay as they are in sql. The
// statement is not cached. Its errors are those of Prepare.
func (s *Session) PrepareRecoded(ctx context.Context, sql string, recode Recode) (*Statement, error) {
	if err := s.checkText(ctx, sql); err != nil {
		return nil, err
	}
	sql = s.textModes().Standard(sql)
	text, err := lex.Lex(ctx, sql, s.reserve(sql))
	if err != nil {
		s.memory.Shrink(&s.parsing, 0)
		return nil, err
	}
	defer text.Release()
	text.Recode = recode
	p, err := parse.ParseText(ctx, text)
	if err != nil {
		s.memory.Shrink(&s.parsing, 0)
		return nil, err
	}
	return statement.New(p, sql, kindOf(p.Stmt)), nil
}

// Run runs a statement. For one without a result set, Rows is nil and Result says what it has changed. Errors
// are *mysql.MySQLError or the context's: 1210 for a wrong number of arguments, 1317 for a session that was
// killed, and those of the statement.
func (s *Session) Run(ctx context.Context, st *Statement, args []value.Value) (Rows, Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, Result{}, err
	}
	if n := st.Parsed.NumParams; n != len(args) {
		return nil, Result{}, WrongCount(n, len(args))
	}
	kind := st.Kind
	running, number, err := s.begins(ctx, kind, st.Text, st.KeepsWarnings)
	if err != nil {
		return nil, Result{}, err
	}
	ctx = running
	s.lastInfo = answers.Info{}
	if kind != metrics.KindSelect { // a SELECT counts its work in its own workspace
		s.writes.work = exec.Work{}
	}
	rows, result, err := s.execute(ctx, st, args)
	if open, ok := rows.(*queryRows); ok {
		open.number = number // the statement ends when its rows are closed
		return rows, result, nil
	}
	if err != nil {
		err = storeerr.Map(ctx, err)
		s.rowCount = -1
		s.failed(err)
	}
	d := s.doneBy(kind, rows, result, err)
	s.ends(number, &d)
	if err != nil {
		return nil, Result{}, err
	}
	return rows, result, nil
}

// Query runs a statement and returns its rows, which have no columns if the statement has no result set. Its
// errors are those of Run.
func (s *Session) Query(ctx context.Context, st *Statement, args []value.Value) (Rows, error) {
	rows, _, err := s.Run(ctx, st, args)
	if err != nil {
		return nil, err
	}
	if rows == nil {
		rows = &answers.Table{}
	}
	return rows, nil
}

// Exec runs a statement and returns what it has changed. Rows of a result set are read and dropped. Its
// errors are those of Run.
func (s *Session) Exec(ctx context.Context, st *Statement, args []value.Value) (Result, error) {
	rows, result, err := s.Run(ctx, st, args)
	if err != nil || rows == nil {
		return result, err
	}
	for err == nil {
		_, err = rows.Next()
	}
	closing := rows.Close()
	if err != io.EOF {
		return Result{}, err
	}
	return Result{}, closing
}

// WrongCount is error 1210 for a statement with different numbers of placeholders and arguments.
func WrongCount(placeholders, args int) error {
	return mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to EXECUTE: %d placeholders, %d values",
		placeholders, args)
}

// doneBy is the record of a statement that has ended, for the metrics.
func (s *Session) doneBy(kind metrics.Kind, rows Rows, r Result, err error) metrics.Done {
	d := metrics.Done{Err: err, Changed: r.RowsAffected}
	if kind != metrics.KindSelect {
		d.Work = &s.writes.work
	}
	if table, ok := rows.(*answers.Table); ok {
		d.Given = int64(len(table.Body))
	}
	return d
}

// execute calls the handler of the statement, with the values of its literals after its arguments.
func (s *Session) execute(ctx context.Context, st *Statement, args []value.Value) (Rows, Result, error) {
	for _, w := range st.Parsed.Warnings {
		s.warn(uint16(mysqlerr.Parse), w)
	}
	all := args
	if len(st.Values) > 0 {
		all = st.Arguments(args)
	}
	if s.options.Accounts != nil {
		if err := s.permit(ctx, st.Parsed.Stmt); err != nil {
			return nil, Result{}, err
		}
	}
	run := handlers[reflect.TypeOf(st.Parsed.Stmt)].run
	rows, result, err := run(s, ctx, st, all)
	if err != nil {
		err = s.explained(ctx, st, args, err)
	}
	return rows, result, err
}

// begins registers a statement that starts, and clears the warnings of the one before. It returns the
// statement's context, and its number for ends.
func (s *Session) begins(ctx context.Context, kind metrics.Kind, text string,
	keepWarnings bool) (*interrupt.Context, uint64, error) {
	st, err := s.underWay.Begin(ctx, kind, text, s.database)
	if err != nil {
		return nil, 0, err
	}
	s.warnings.Begin(keepWarnings)
	if s.began = st.Began; s.engine.clock != nil {
		s.began = s.engine.clock()
	}
	return st.Ctx, st.Number, nil
}

// ends removes the statement from the running ones, counts it, and logs it if it was slow.
func (s *Session) ends(number uint64, d *metrics.Done) {
	end := process.End{Planned: s.plansFound, Database: s.database, Slow: s.vars.Slow}
	counted := d
	if s.engine.counts.none {
		counted = nil
	}
	s.plansFound = 0
	if s.parsing != 0 {
		s.memory.Shrink(&s.parsing, 0)
	}
	if s.claims.Bytes.Load() != 0 {
		s.claims.Release()
	}
	if took, slow := s.underWay.End(number, counted, &end); slow != nil {
		s.logSlow(slow, took, d)
	}
}

func (s *Session) logSlow(st *process.Statement, took time.Duration, d *metrics.Done) {
	s.engine.counts.slow.Add(1)
	metrics.LogSlow(s.options.SlowLog, &metrics.Slow{Connection: s.id, User: s.options.Account.String(),
		Database: st.Database, Text: st.Text, Kind: st.Kind, Took: took, Done: *d})
}

// Do calls run for work that is not an SQL statement, such as a call of another protocol. While it runs, the
// process list shows text, it is counted under kind, and KILL ends its context. Several may run at the same
// time. The error is that of run, or 1317 if the session has been killed.
func (s *Session) Do(ctx context.Context, kind metrics.Kind, text string, run func(context.Context) error) error {
	st, err := s.underWay.Begin(ctx, kind, text, s.database)
	if err != nil {
		return err
	}
	done := &metrics.Done{Err: interrupt.ErrKilled} // in case run panics
	defer func() {
		end := process.End{Database: s.database, Slow: s.vars.Slow}
		if took, slow := s.underWay.End(st.Number, done, &end); slow != nil {
			s.logSlow(slow, took, done)
		}
	}()
	done.Err = run(st.Ctx)
	return done.Err
}

// Read implements exec.Progress.
func (s *Session) Read(ctx context.Context, of any, tables []*kv.Table, scan *kv.Scan, cells int64,
	partitions float64) {
	s.underWay.Read(of, tables, scan, cells, partitions)
	metrics.TellReading(ctx, s.engine.estimator, s.underWay.SoFar)
}

// Killed reports whether the session has been ended, by KILL in another session or by COMMIT RELEASE. All
// further calls of the session fail.
func (s *Session) Killed() bool { return s.underWay.Killed.Load() }

// Abandon ends a session whose goroutine has panicked: it rolls back its transaction and releases its
// locks. No other goroutine may use the session.
func (s *Session) Abandon() {
	s.underWay.Abandon()
	s.engine.wire.Panics.Add(1)
	s.engine.remove(s)
}

// Interrupted reports whether the session was ended, or the current statement was interrupted by KILL, by the
// end of its context or by max_execution_time. It may be called from any goroutine.
func (s *Session) Interrupted() bool { return s.underWay.Interrupted() }

// giveUp rolls back the transaction, and drops the session's temporary tables and locks. No other
// goroutine may use the session.
func (s *Session) giveUp() {
	s.txns.Rollback()
	s.temp.Drop()
	s.forgetPrepared()
	s.engine.locks.ReleaseAll(s.id)
	s.txns.FreeReadLock()
}
