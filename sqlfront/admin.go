package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/answers"
	"github.com/hbasekv/hbasekv/sqlfront/ddl"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// use changes the current database; the error is 1049 if it does not exist.
func (s *Session) use(ctx context.Context, st *ast.Use) error {
	if err := s.engine.checkDatabase(ctx, st.Name); err != nil {
		return err
	}
	s.database = st.Name
	return nil
}

// ddl runs a statement that changes the catalog. It commits the open
// transaction first, as MySQL does
// (https://dev.mysql.com/doc/refman/5.7/en/implicit-commit.html).
func (s *Session) ddl(ctx context.Context, st *Statement, args []value.Value) (rows Rows, err error) {
	done, p, err := s.temp.Run(ctx, s.database, st.Parsed, args)
	if done || err != nil {
		return nil, err
	}
	if err := s.beforeDDL(ctx); err != nil {
		return nil, err
	}
	first, err := s.txns.Publish(ctx)
	if err != nil {
		return nil, err
	}
	defer s.txns.Published(first)
	d := s.newDDL(ctx, p, args)
	done, err = d.Run(ctx, p.Stmt)
	if !done && err == nil {
		return nil, mysqlerr.Unsupported("this statement")
	}
	if drop, ok := p.Stmt.(*ast.DropDatabase); ok && err == nil && drop.Name == s.database {
		s.database = ""
	}
	if d.Answer != nil {
		rows, err = answers.InMemory(d.Answer, err)
	}
	return rows, err
}

// beforeDDL refuses a change of the catalog in a read-only session or transaction, and commits the open
// transaction.
func (s *Session) beforeDDL(ctx context.Context) error {
	if err := s.txns.CheckWritable(nil); err != nil {
		return err
	}
	if err := s.txns.CheckReadLock(ctx); err != nil {
		return err
	}
	return s.txns.Commit(ctx)
}

func (s *Session) newDDL(ctx context.Context, p *ast.Parsed, args []value.Value) *ddl.DDL {
	d := &ddl.DDL{Store: s.engine.store, Others: s.temp.Store.Catalog, Database: s.database, Now: s.began, Params: args,
		Virtual: infoschema.Reserved, Turns: &s.engine.turns,
		Parsed: p, Planner: func(c *kv.Catalog) *plan.Planner { return s.viewPlanner(ctx, c) },
		Authority: s.authority, Permit: s.permits(p.Stmt), Definer: s.definer(),
		IgnoreForeignKeys: s.options.IgnoreForeignKeys,
		Note:              func(n mysqlerr.Number, message string) { s.note(n, "%s", message) }, Progress: s.underWay.Moved(metrics.MoveTold(ctx)),
		Building: s.underWay.Built()}
	if s.vars.Loose {
		d.Warn = s.warn
	}
	return d
}
