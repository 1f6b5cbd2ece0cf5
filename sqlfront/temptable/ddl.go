package temptable

import (
	"context"

	"github.com/hbasekv/hbasekv/kv/temporary"
	"github.com/hbasekv/hbasekv/sqlfront/ddl"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/turns"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Run runs a statement that makes, changes or drops temporary tables. done is false if the statement is about
// other tables, or about others too: rest is then the statement about them. The errors are those of package
// ddl, of the commit if the statement commits, 1235 for SPLIT and 1792 in a read-only transaction.
func (t *Tables) Run(ctx context.Context, database string, p *ast.Parsed,
	args []value.Value) (done bool, rest *ast.Parsed, err error) {
	switch st := p.Stmt.(type) {
	case *ast.CreateTable:
		if st.Temporary {
			return true, nil, t.change(ctx, p, args)
		}
	case *ast.CreateTableLike:
		if st.Temporary {
			return true, nil, t.change(ctx, p, args)
		}
	case *ast.DropTable:
		if st.Temporary {
			return true, nil, t.change(ctx, p, args)
		}
		return t.drop(ctx, database, p, st)
	case *ast.TruncateTable:
		return t.alter(ctx, database, p, st.Name, args)
	case *ast.AlterTable:
		if err := t.checkExchange(database, st); err != nil {
			return true, nil, err
		}
		return t.alter(ctx, database, p, st.Name, args)
	case *ast.SplitTable:
		if t.Owns(database, st.Name) {
			return true, nil, mysqlerr.Unsupported("SPLIT of a temporary table, which has no partitions")
		}
	}
	return false, p, nil
}

// checkExchange is error 1733 for EXCHANGE PARTITION with a temporary table.
func (t *Tables) checkExchange(database string, st *ast.AlterTable) error {
	for _, action := range st.Actions {
		if a, ok := action.(*ast.AlterExchangePartition); ok && t.Owns(database, a.Table) {
			return mysqlerr.New(mysqlerr.ExchangeTempTable, "Table to exchange with partition is temporary: '%s'", a.Table.Name)
		}
	}
	return nil
}

// change is CREATE and DROP TEMPORARY TABLE, which commit nothing.
func (t *Tables) change(ctx context.Context, p *ast.Parsed, args []value.Value) error {
	if err := t.CheckDDL(); err != nil {
		return err
	}
	_, err := t.DDL(ctx, p, args).Run(ctx, p.Stmt)
	t.Changed()
	return err
}

// CheckDDL refuses DDL in a read-only transaction, with error 1792. Otherwise a session may always have
// temporary tables.
func (t *Tables) CheckDDL() error {
	if tx := t.txns.Open; tx != nil && tx.Options.ReadOnly {
		return mysqlerr.New(mysqlerr.CantExecuteInReadOnly, "Cannot execute statement in a READ ONLY transaction.")
	}
	return nil
}

// DDL is the DDL of temporary tables. No other session has privileges on them.
func (t *Tables) DDL(ctx context.Context, p *ast.Parsed, args []value.Value) *ddl.DDL {
	if t.Tables == nil {
		t.Tables = temporary.New(t.store, t.memory, t.maker)
	}
	d := t.ddl(ctx, p, args)
	d.Store, d.Turns, d.Permit = t.Own(), &turns.Turns{}, nil
	return d
}

// Changed must be called when the temporary tables are others than before: an open transaction then has them
// too.
func (t *Tables) Changed() {
	t.look()
	if tx := t.txns.Open; tx != nil && t.Some() {
		tx.Txn = t.Join(tx.Txn)
	}
}

// alter is ALTER and TRUNCATE TABLE, which commit the open transaction.
func (t *Tables) alter(ctx context.Context, database string, p *ast.Parsed, name ast.TableName,
	args []value.Value) (done bool, rest *ast.Parsed, err error) {
	if !t.Owns(database, name) {
		return false, p, nil
	}
	if err := t.txns.Commit(ctx); err != nil {
		return true, nil, err
	}
	return true, nil, t.change(ctx, p, args)
}

// drop is DROP TABLE, which drops temporary tables before others of the same names.
func (t *Tables) drop(ctx context.Context, database string, p *ast.Parsed,
	st *ast.DropTable) (done bool, rest *ast.Parsed, err error) {
	own, others := *st, *st
	own.Names, others.Names = nil, nil
	for _, name := range st.Names {
		if t.Owns(database, name) {
			own.Names = append(own.Names, name)
		} else {
			others.Names = append(others.Names, name)
		}
	}
	if own.Names == nil {
		return false, p, nil
	}
	if err := t.txns.Commit(ctx); err != nil {
		return true, nil, err
	}
	parsed := *p
	parsed.Stmt = &own
	if err := t.change(ctx, &parsed, nil); err != nil || others.Names == nil {
		return true, nil, err
	}
	left := *p
	left.Stmt = &others
	return false, &left, nil
}
