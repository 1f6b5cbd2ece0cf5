package sqlfront

import (
	"context"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// prepare runs PREPARE. An existing statement of that name is deallocated first, whether or not the new text
// is valid.
func (s *Session) prepare(ctx context.Context, st *ast.Prepare) error {
	name, text := strings.ToLower(st.Name), st.Text
	if st.Variable != "" {
		text = s.user.Value(st.Variable).String()
	}
	s.forget(name)
	made, err := s.Prepare(ctx, text)
	if err != nil {
		return err
	}
	if !statement.Preparable(made.Parsed.Stmt) {
		return statement.ErrNotPrepared()
	}
	if _, err := s.columns(ctx, made); err != nil {
		return err
	}
	if err := s.holdPrepared(made); err != nil {
		return err
	}
	if s.prepared == nil {
		s.prepared = map[string]prepared{}
	}
	s.prepared[name] = prepared{made, s.database}
	return nil
}

// executePrepared runs EXECUTE with the current values of the user variables that it names.
func (s *Session) executePrepared(ctx context.Context, execute *Statement, _ []value.Value) (Rows, Result, error) {
	st := execute.Parsed.Stmt.(*ast.Execute)
	s.rowCount = 0
	p, ok := s.prepared[strings.ToLower(st.Name)]
	if !ok {
		return nil, Result{}, unknownPrepared(st.Name, "EXECUTE")
	}
	if len(st.Using) != p.statement.Parsed.NumParams {
		return nil, Result{}, mysqlerr.New(mysqlerr.WrongArguments, "Incorrect arguments to EXECUTE")
	}
	args := make([]value.Value, len(st.Using))
	for i, name := range st.Using {
		args[i] = s.user.Value(name)
	}
	for _, i := range p.statement.Parsed.Limits {
		if v := args[i]; v.Kind() != value.Uint && v.AsInt() < 0 {
			return nil, Result{}, mysqlerr.New(mysqlerr.WrongArguments,
				"Incorrect arguments to EXECUTE: LIMIT takes a number from 0 on, @%s is %s",
				st.Using[i], v.ShortString())
		}
	}
	was := s.database
	s.database = p.database
	rows, result, err := s.execute(ctx, p.statement, args)
	if drop, ok := p.statement.Parsed.Stmt.(*ast.DropDatabase); ok && err == nil && drop.Name == was {
		was = ""
	}
	s.database = was
	return rows, result, err
}

// deallocate runs DEALLOCATE PREPARE.
func (s *Session) deallocate(_ context.Context, st *ast.Deallocate) error {
	if !s.forget(strings.ToLower(st.Name)) {
		return unknownPrepared(st.Name, "DEALLOCATE PREPARE")
	}
	return nil
}

func unknownPrepared(name, in string) error {
	return mysqlerr.New(mysqlerr.UnknownStmtHandler, "Unknown prepared statement handler (%.64s) given to %s", name, in)
}
