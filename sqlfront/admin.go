package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/access"
	"github.com/hbasekv/hbasekv/sqlfront/ddl"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// admin runs what is neither a query, nor a write, nor a transaction's end.
func (s *Session) admin(ctx context.Context, p *parse.Parsed, args []value.Value) (Rows, error) {
	switch st := p.Stmt.(type) {
	case *parse.Nothing:
		return nil, nil
	case *parse.Use:
		return nil, s.use(ctx, st.Name)
	case *parse.Set:
		return nil, s.set(ctx, p, st, args)
	case *parse.Explain:
		return s.explain(ctx, p, st, args)
	case *parse.Do:
		return nil, s.do(ctx, p, st, args)
	case *parse.Kill:
		return nil, s.kill(ctx, p, st, args)
	case *parse.Prepare:
		return nil, s.prepare(ctx, st)
	case *parse.Deallocate:
		return nil, s.deallocate(st)
	case *parse.ChecksumTable:
		return s.checksumTables(ctx, st)
	}
	if access.IsChange(p.Stmt) {
		return nil, s.changeAccounts(ctx, p.Stmt)
	}
	if done, rows, err := s.maintain(ctx, p.Stmt, args); done {
		return rows, err
	}
	if done, rows, err := s.ddl(ctx, p, args); done {
		return rows, err
	}
	return s.show(ctx, p, args)
}

// use changes the current database (1049 where it does not exist).
func (s *Session) use(ctx context.Context, name string) error {
	if err := s.engine.checkDatabase(ctx, name); err != nil {
		return err
	}
	s.database = name
	return nil
}

// checkDatabase is 1049 where there is no database of that name.
func (e *Engine) checkDatabase(ctx context.Context, name string) error {
	if infoschema.IsVirtual(name) {
		return nil
	}
	c, err := e.store.Catalog(ctx)
	if err == nil && c.Database(name) == nil {
		err = mysqlerr.UnknownDatabase(name)
	}
	return err
}

// ddl runs a statement that changes the catalog. It commits the open
// transaction first, as MySQL does
// (https://dev.mysql.com/doc/refman/5.7/en/implicit-commit.html).
func (s *Session) ddl(ctx context.Context, p *parse.Parsed, args []value.Value) (isDDL bool, rows Rows, err error) {
	if !ddl.IsDDL(p.Stmt) {
		return false, nil, nil
	}
	if drop, ok := p.Stmt.(*parse.DropTable); ok && drop.Temporary { // which commits nothing
		return true, nil, s.newDDL(ctx, p, args).DropTemporary(ctx, drop)
	}
	if err := s.beforeDDL(ctx); err != nil {
		return true, nil, err
	}
	first, err := s.publish(ctx)
	if err != nil {
		return true, nil, err
	}
	defer s.published(first)
	d := s.newDDL(ctx, p, args)
	_, err = d.Run(ctx, p.Stmt)
	if drop, ok := p.Stmt.(*parse.DropDatabase); ok && err == nil && drop.Name == s.database {
		s.database = ""
	}
	if d.Answer != nil {
		rows, err = inMemory(d.Answer, err)
	}
	return true, rows, err
}

// beforeDDL refuses a change of the catalog where nothing may be written, and
// commits the open transaction.
func (s *Session) beforeDDL(ctx context.Context) error {
	if err := s.checkWritable(nil); err != nil {
		return err
	}
	if err := s.checkReadLock(ctx); err != nil {
		return err
	}
	return s.commit(ctx)
}

func (s *Session) newDDL(ctx context.Context, p *parse.Parsed, args []value.Value) *ddl.DDL {
	return &ddl.DDL{Store: s.engine.store, Database: s.database, Now: s.began, Params: args, Virtual: infoschema.Reserved,
		Turns:  &s.engine.turns,
		Parsed: p, Planner: func(c *kv.Catalog) *plan.Planner { return s.planner(ctx, c, nil) },
		Authority: s.authority, Permit: s.permits(p.Stmt), Definer: s.definer(),
		Note: func(n mysqlerr.Number, message string) { s.note(n, "%s", message) }, Progress: s.moveProgress(ctx)}
}
