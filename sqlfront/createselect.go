package sqlfront

import (
	"context"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/ddl"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/statement"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// createSelect is CREATE TABLE ... SELECT. The table has its name when it has its
// rows: where the statement fails, nothing is left.
// (https://dev.mysql.com/doc/refman/5.7/en/create-table-select.html)
func (s *Session) createSelect(ctx context.Context, p *parse.Parsed, st *parse.CreateTable,
	args []value.Value) (result Result, err error) {
	s.rowCount = 0
	if err := s.beforeDDL(ctx); err != nil {
		return Result{}, err
	}
	first, err := s.txns.Publish(ctx)
	if err != nil {
		return Result{}, err
	}
	defer s.txns.Published(first)
	rows := &parse.Select{Node: st.Fill.Node.Rows.(sqlparser.SelectStatement), Hints: st.Fill.SelectHints}
	made, err := s.newDDL(ctx, p, args).CreateUnfinished(ctx, st, func() ([]plan.Column, error) {
		catalog, err := s.engine.store.Catalog(ctx)
		if err != nil {
			return nil, err
		}
		planned, err := s.planner(ctx, catalog, args).Select(p, rows)
		if err != nil {
			return nil, err
		}
		return planned.Columns, nil
	})
	if made == nil || err != nil {
		return Result{}, err
	}
	result, err = s.fill(ctx, p, st.Fill, made, args)
	if finished, err := made.End(ctx, err); !finished {
		return Result{}, err
	}
	return result, nil
}

// fill inserts the rows of the SELECT, in a transaction of its own.
func (s *Session) fill(ctx context.Context, p *parse.Parsed, st *parse.Insert, made *ddl.Unfinished,
	args []value.Value) (Result, error) {
	insert, node, parsed := *st, *st.Node, *p
	node.Table = sqlparser.TableName{
		Qualifier: sqlparser.NewTableIdent(made.Name.Database), Name: sqlparser.NewTableIdent(made.Name.Name)}
	for _, name := range made.Columns {
		node.Columns = append(node.Columns, sqlparser.NewColIdent(name))
	}
	insert.Node, parsed.Stmt = &node, &insert
	s.filling = made.Name
	defer func() { s.filling = parse.TableName{} }()
	result, err := s.changeAlone(ctx, statement.New(&parsed, "", metrics.KindInsert), args)
	if err != nil {
		return Result{}, err
	}
	return s.changed(&insert, result), nil
}
