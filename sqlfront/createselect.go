package sqlfront

import (
	"context"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/ddl"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/value"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// createSelect runs CREATE TABLE ... SELECT. The table gets its name once its rows are written: a
// statement that fails leaves nothing.
// (https://dev.mysql.com/doc/refman/5.7/en/create-table-select.html)
func (s *Session) createSelect(ctx context.Context, p *ast.Parsed, st *ast.CreateTable,
	args []value.Value) (Result, error) {
	s.rowCount = 0
	if st.Temporary {
		return s.createOwnSelect(ctx, p, st, args)
	}
	if err := s.beforeDDL(ctx); err != nil {
		return Result{}, err
	}
	first, err := s.txns.Publish(ctx)
	if err != nil {
		return Result{}, err
	}
	defer s.txns.Published(first)
	return s.createFilled(ctx, s.newDDL(ctx, p, args), p, st, args,
		func(insert *Statement, _ *ddl.Unfinished) (change.Result, error) {
			return s.changeAlone(ctx, insert, args)
		})
}

// createOwnSelect runs CREATE TEMPORARY TABLE ... SELECT, which commits nothing. The table and its rows
// survive a rollback of the open transaction.
func (s *Session) createOwnSelect(ctx context.Context, p *ast.Parsed, st *ast.CreateTable,
	args []value.Value) (Result, error) {
	tx, err := s.txns.Current(ctx, s.began)
	if err == nil {
		err = s.temp.CheckDDL()
	}
	if err != nil {
		return Result{}, err
	}
	defer s.temp.Changed()
	return s.createFilled(ctx, s.temp.DDL(ctx, p, args), p, st, args,
		func(insert *Statement, made *ddl.Unfinished) (result change.Result, err error) {
			s.temp.Changed() // the planner must see the table
			if tx == nil {
				return s.changeAlone(ctx, insert, args)
			}
			if result, err = s.changeIn(ctx, tx, insert, args); err == nil {
				err = s.temp.Settle(ctx, tx.Txn, s.temp.Find(made.Name.Database, made.Name.Name))
			}
			return result, err
		})
}

// createFilled creates the table under a hidden name, calls fill with the INSERT of its rows, and
// renames it.
func (s *Session) createFilled(ctx context.Context, d *ddl.DDL, p *ast.Parsed, st *ast.CreateTable, args []value.Value,
	fill func(insert *Statement, made *ddl.Unfinished) (change.Result, error)) (Result, error) {
	made, err := s.unfinished(ctx, d, p, st, args)
	if made == nil || err != nil {
		return Result{}, err
	}
	insert := s.filler(p, st.Fill, made)
	defer func() { s.filling = ast.TableName{} }()
	changed, err := fill(insert, made)
	if finished, err := made.End(ctx, err); !finished {
		return Result{}, err
	}
	return s.changed(insert.Parsed.Stmt, changed), nil
}

// unfinished creates the hidden table that the rows are written to.
func (s *Session) unfinished(ctx context.Context, d *ddl.DDL, p *ast.Parsed, st *ast.CreateTable,
	args []value.Value) (*ddl.Unfinished, error) {
	rows := &ast.Select{Node: st.Fill.Node.Rows.(sqlparser.SelectStatement), Hints: st.Fill.SelectHints}
	return d.CreateUnfinished(ctx, st, func() ([]relation.Column, error) {
		catalog, err := s.temp.Store.Catalog(ctx)
		if err != nil {
			return nil, err
		}
		planned, err := s.planner(ctx, catalog, args).Select(p, rows)
		if err != nil {
			return nil, err
		}
		return planned.Columns, nil
	})
}

// filler is the INSERT of the rows into the hidden table.
func (s *Session) filler(p *ast.Parsed, st *ast.Insert, made *ddl.Unfinished) *Statement {
	insert, node, parsed := *st, *st.Node, *p
	node.Table = sqlparser.TableName{
		Qualifier: sqlparser.NewTableIdent(made.Name.Database), Name: sqlparser.NewTableIdent(made.Name.Name)}
	for _, name := range made.Columns {
		node.Columns = append(node.Columns, sqlparser.NewColIdent(name))
	}
	insert.Node, parsed.Stmt = &node, &insert
	s.filling = made.Name
	return statement.New(&parsed, "", metrics.KindInsert)
}
