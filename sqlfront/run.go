package sqlfront

import (
	"context"
	"io"
	"reflect"

	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/storeerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Prepare parses a statement; nothing is looked up in the catalog yet, so that
// a statement may be prepared before its table is made. The error is 1064 for a text that is no
// statement, 1153 for one beyond max_allowed_packet, 1041 for one that takes too much memory, or the
// context's.
func (s *Session) Prepare(ctx context.Context, sql string) (*Statement, error) {
	if err := s.checkText(ctx, sql); err != nil {
		return nil, err
	}
	st, err := s.engine.statements.Get(ctx, sql, s.reserve(sql))
	if err != nil && s.parsing != 0 {
		s.memory.Shrink(&s.parsing, 0)
	}
	return st, err
}

// reserve counts the memory that reading a text takes; it is nil for a text that takes little.
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

// Recode gives a string of a statement other bytes; introduced is true of one behind the
// name of a character set.
type Recode func(text []byte, introduced bool) []byte

// PrepareRecoded is Prepare of a text that was in another character set: recode gives the
// strings of its expressions the bytes that they are to have. Names, comments and messages
// are as in sql. Nothing of it is kept for the next one. Its errors are those of Prepare.
func (s *Session) PrepareRecoded(ctx context.Context, sql string, recode Recode) (*Statement, error) {
	if err := s.checkText(ctx, sql); err != nil {
		return nil, err
	}
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

// Run runs a statement: for its rows, or where it has no result set, which is nil
// Rows, for what it changes. Errors are *mysql.MySQLError, or the context's: 1210 for a wrong number of
// arguments, 1317 of a session that was killed, and what the statement gives.
func (s *Session) Run(ctx context.Context, st *Statement, args []value.Value) (Rows, Result, error) {
	return s.run(ctx, st, args)
}

// Query runs a statement for its rows. Of a statement without a result set the
// Rows have no columns. Its errors are those of Run.
func (s *Session) Query(ctx context.Context, st *Statement, args []value.Value) (Rows, error) {
	rows, _, err := s.run(ctx, st, args)
	if err != nil {
		return nil, err
	}
	if rows == nil {
		rows = &answers.Table{}
	}
	return rows, nil
}

// Exec runs a statement for what it changes. Rows that it gives are read and
// dropped. Its errors are those of Run.
func (s *Session) Exec(ctx context.Context, st *Statement, args []value.Value) (Result, error) {
	rows, result, err := s.run(ctx, st, args)
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

// WrongCount is the error of a statement with so many placeholders and arguments.
func WrongCount(placeholders, args int) error {
	return mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to EXECUTE: %d placeholders, %d values",
		placeholders, args)
}

func (s *Session) run(ctx context.Context, st *Statement, args []value.Value) (Rows, Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, Result{}, err
	}
	if n := st.NumInput(); n != len(args) {
		return nil, Result{}, WrongCount(n, len(args))
	}
	kind := st.Kind
	running, number, err := s.begins(ctx, kind, st.Text, st.KeepsWarnings)
	if err != nil {
		return nil, Result{}, err
	}
	ctx = running
	s.lastInfo = answers.Info{}
	if kind != metrics.KindSelect { // whose rows have work of their own
		s.writes.work = exec.Work{}
	}
	rows, result, err := s.execute(ctx, st, args)
	if open, ok := rows.(*queryRows); ok {
		open.number = number // ends when its rows are closed
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

// doneBy is what a statement has done that leaves nothing open.
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

// execute has the statement run by its handler, with the values of its literals.
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
