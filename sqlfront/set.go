package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/cancelcheck"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/sysvar"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// set runs the assignments of one SET. As in MySQL all or none take effect: they are checked before the first
// is stored.
func (s *Session) set(ctx context.Context, p *ast.Parsed, st *ast.Set, args []value.Value) error {
	before, user := s.vars.Save(), s.user.Save()
	err := s.assignAll(ctx, p, st, args)
	if err == nil {
		err = s.vars.Count()
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		s.user.Restore(user)
		s.vars.Restore(before)
	}
	return err
}

// assignUnits is the cost of an assignment in units of cancellation checks.
const assignUnits = 1 << 10

func (s *Session) assignAll(ctx context.Context, p *ast.Parsed, st *ast.Set, args []value.Value) error {
	meter := cancelcheck.Meter{Ctx: ctx}
	for _, a := range st.Assignments {
		if err := s.assign(ctx, p, a, args); err != nil {
			return err
		}
		if err := meter.Step(assignUnits); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) assign(ctx context.Context, p *ast.Parsed, a ast.SetVar, args []value.Value) error {
	switch a.Scope {
	case ast.ScopeNames, ast.ScopeCharset:
		name := a.Value.Word
		if a.Value.Default {
			name = "utf8mb4"
		}
		return s.vars.SetNames(name, a.Collate)
	}
	v, err := s.setValue(ctx, p, a, args)
	if err != nil {
		return err
	}
	if a.Scope == ast.ScopeUser {
		return s.user.Set(a.Name, v)
	}
	autocommit := s.vars.Autocommit
	next, err := s.vars.Assign(&sysvar.Assignment{
		Name: a.Name, Value: v, Default: a.Value.Default, Global: a.Scope == ast.ScopeGlobal, Next: a.Next})
	switch {
	case err != nil:
		return err
	case next != TxOptions{}:
		return s.txns.SetNext(next)
	case s.vars.Autocommit && !autocommit:
		return s.txns.Commit(ctx)
	}
	return nil
}

func (s *Session) setValue(ctx context.Context, p *ast.Parsed, a ast.SetVar,
	args []value.Value) (value.Value, error) {
	switch {
	case a.Value.Default:
		return value.Value{}, nil
	case a.Value.Word != "":
		return value.NewString(a.Value.Word), nil
	}
	return s.evaluate(ctx, p, a.Value.Expr, args)
}
