package sqlfront

import (
	"cmp"
	"context"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/temporary"
	"github.com/hbasekv/hbasekv/sqlfront/ddl"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/infoschema"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// ownTables are the session's temporary tables
// (https://dev.mysql.com/doc/refman/5.7/en/create-temporary-table.html).
type ownTables struct {
	*temporary.Tables // nil before the first
	plans             statement.Own
}

func (o *ownTables) some() bool { return o.Tables != nil && o.Len() > 0 }

// tables is the engine's store, with the session's own tables where it has some.
func (s *Session) tables() kv.Store {
	if s.temp.some() {
		return s.temp.Tables
	}
	return s.engine.store
}

// estimator is the engine's, nil where it has none.
func (s *Session) estimator() kv.Estimator {
	if e := s.engine.estimator; e == nil || !s.temp.some() {
		return e
	}
	return temporary.Estimator(s.engine.estimator)
}

// owns reports whether a name is that of one of the session's own tables.
func (s *Session) owns(name parse.TableName) bool {
	return s.temp.some() && s.temp.Has(cmp.Or(name.Database, s.database), name.Name)
}

// dropOwn drops all of the session's own tables.
func (s *Session) dropOwn() {
	if s.temp.Tables != nil {
		_ = s.temp.Close() // which cannot fail
		s.temp = ownTables{}
	}
}

// writesOwn reports whether a statement writes nothing but the session's own tables, which a
// read-only transaction and a read lock let it do. Of a join all tables count.
func (s *Session) writesOwn(st parse.Statement) bool {
	if !s.temp.some() {
		return false
	}
	switch st := st.(type) {
	case *parse.Insert:
		return s.owns(parse.TableName{Database: st.Node.Table.Qualifier.String(), Name: st.Node.Table.Name.String()})
	case *parse.Update:
		return s.ownsAll(st.Node.TableExprs)
	case *parse.Delete:
		return s.ownsAll(st.Node.TableExprs)
	case *parse.LoadData:
		return s.owns(parse.TableName{Database: st.Table.Database(), Name: st.Table.Name.String()})
	}
	return false
}

func (s *Session) ownsAll(from sqlparser.TableExprs) bool {
	all := true
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if t, ok := n.(*parse.Table); ok {
			all = all && s.owns(parse.TableName{Database: t.Database(), Name: t.Name.String()})
		}
		return all, nil
	}, from)
	return all
}

// ownDDL runs a statement that makes, changes or drops tables of the session's own; done is false
// where it is about others, or others too: rest is the statement about them.
func (s *Session) ownDDL(ctx context.Context, p *parse.Parsed, args []value.Value) (done bool, rest *parse.Parsed, err error) {
	switch st := p.Stmt.(type) {
	case *parse.CreateTable:
		if st.Temporary {
			return true, nil, s.changeOwn(ctx, p, args)
		}
	case *parse.CreateTableLike:
		if st.Temporary {
			return true, nil, s.changeOwn(ctx, p, args)
		}
	case *parse.DropTable:
		if st.Temporary {
			return true, nil, s.changeOwn(ctx, p, args)
		}
		return s.dropTables(ctx, p, st)
	case *parse.TruncateTable:
		return s.alterOwn(ctx, p, st.Name, args)
	case *parse.AlterTable:
		return s.alterOwn(ctx, p, st.Name, args)
	case *parse.SplitTable:
		if s.owns(st.Name) {
			return true, nil, mysqlerr.Unsupported("SPLIT of a temporary table, which has no partitions")
		}
	}
	return false, p, nil
}

// changeOwn is CREATE and DROP TEMPORARY TABLE, which commit nothing.
func (s *Session) changeOwn(ctx context.Context, p *parse.Parsed, args []value.Value) error {
	if err := s.checkOwnDDL(); err != nil {
		return err
	}
	_, err := s.ownChange(ctx, p, args).Run(ctx, p.Stmt)
	s.ownChanged()
	return err
}

// checkOwnDDL refuses DDL in a read-only transaction. Elsewhere nothing keeps a session from
// having tables of its own.
func (s *Session) checkOwnDDL() error {
	if tx := s.txns.Open; tx != nil && tx.Options.ReadOnly {
		return mysqlerr.New(mysqlerr.CantExecuteInReadOnly, "Cannot execute statement in a READ ONLY transaction.")
	}
	return nil
}

// ownChange is DDL of the session's own tables. Nobody else has rights on them.
func (s *Session) ownChange(ctx context.Context, p *parse.Parsed, args []value.Value) *ddl.DDL {
	if s.temp.Tables == nil {
		s.temp.Tables = temporary.New(s.engine.store, &s.memory)
	}
	d := s.newDDL(ctx, p, args)
	d.Store, d.Turns, d.Permit = s.temp.Own(), &ddl.Turns{}, nil
	return d
}

// ownChanged is to be called when there are other tables of the session's own: an open transaction
// has them too.
func (s *Session) ownChanged() {
	s.temp.plans = statement.Own{}
	if tx := s.txns.Open; tx != nil && s.temp.some() {
		tx.Txn = s.temp.Join(tx.Txn)
	}
}

// alterOwn is ALTER and TRUNCATE TABLE, which commit the open transaction.
func (s *Session) alterOwn(ctx context.Context, p *parse.Parsed, name parse.TableName,
	args []value.Value) (done bool, rest *parse.Parsed, err error) {
	if !s.owns(name) {
		return false, p, nil
	}
	if err := s.txns.Commit(ctx); err != nil {
		return true, nil, err
	}
	return true, nil, s.changeOwn(ctx, p, args)
}

// dropTables is DROP TABLE, which drops tables of the session's own before others of their names.
func (s *Session) dropTables(ctx context.Context, p *parse.Parsed, st *parse.DropTable) (done bool, rest *parse.Parsed, err error) {
	own, others := *st, *st
	own.Names, others.Names = nil, nil
	for _, name := range st.Names {
		if s.owns(name) {
			own.Names = append(own.Names, name)
		} else {
			others.Names = append(others.Names, name)
		}
	}
	if own.Names == nil {
		return false, p, nil
	}
	if err := s.txns.Commit(ctx); err != nil {
		return true, nil, err
	}
	parsed := *p
	parsed.Stmt = &own
	if err := s.changeOwn(ctx, &parsed, nil); err != nil || others.Names == nil {
		return true, nil, err
	}
	left := *p
	left.Stmt = &others
	return false, &left, nil
}

// viewPlanner plans the SELECT of a view that becomes a part of a catalog: a table of the
// session's own hides what others would see there, and is refused.
func (s *Session) viewPlanner(ctx context.Context, c *kv.Catalog) *plan.Planner {
	if s.temp.some() {
		c = s.temp.Over(c)
	}
	p := s.planner(ctx, c, nil)
	p.ForView = true
	return p
}

// information answers SHOW and DESCRIBE of a table: of one of the session's own as of a catalog
// that has no others.
func (s *Session) information(c *exec.Context, table parse.TableName) *infoschema.Information {
	if !s.owns(table) {
		return s.engine.info
	}
	c.Authority = nil // nobody else has rights on it
	return infoschema.New(s.temp.Own(), server{s.engine})
}
