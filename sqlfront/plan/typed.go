package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/versions"
)

// typedQuery plans the rows of a typed table: a pivot of the cells of its family, by K. A row
// is there where its marker is and its key can be read. It takes no rights: those on the typed
// table have been asked for, and do not open its family.
func (q *queryPlanner) typedQuery(r *relation.Relation, lock string) (*block.Query, error) {
	if p := r.View.Period; p != nil && p.Kind != clause.PeriodAsOf {
		return nil, mysqlerr.Unsupported("FOR SYSTEM_TIME of tables other than column families, but for AS OF")
	}
	planner := *q.Planner
	planner.Access, planner.Arguments, planner.Catalog = nil, nil, planner.Catalog.Stored()
	inner := queryPlanner{Planner: &planner, planning: q.planning, lock: lock, lockWait: q.lockWait}
	reads := q.reads
	defer func() { q.reads = reads }()
	b := inner.newBlock(pivotOf(r.Database, r.Family().Name), &relation.Scope{}, nil)
	if err := b.planTyped(r); err != nil {
		return nil, err
	}
	columns := b.ResultColumns()
	return &block.Query{Columns: columns, Block: b.Block, Out: block.NewQuery(columns)}, nil
}

// pivotOf is SELECT ... FROM family GROUP BY K, without its select list.
func pivotOf(database, family string) *sqlparser.Select {
	name := sqlparser.TableName{Qualifier: sqlparser.NewTableIdent(database), Name: sqlparser.NewTableIdent(family)}
	return &sqlparser.Select{
		From:    sqlparser.TableExprs{&sqlparser.AliasedTableExpr{Expr: &ast.Table{TableName: name}}},
		GroupBy: sqlparser.GroupBy{columnName(relation.ColumnK)},
	}
}

func columnName(name string) *sqlparser.ColName {
	return &sqlparser.ColName{Name: sqlparser.NewColIdent(name)}
}

// planTyped binds the pivot: an item for each column of the typed table.
func (b *blockPlanner) planTyped(r *relation.Relation) error {
	from, err := b.planFrom(b.Node.From)
	if err != nil {
		return err
	}
	from.(*block.Leaf).Relation.View = rowsView(r.View)
	face := r.Typed
	for i := range face.Columns {
		n, err := b.typedColumn(face, i)
		if err != nil {
			return err
		}
		b.Items = append(b.Items, block.Item{Label: face.Columns[i].Name, Node: n})
	}
	b.Columns += len(b.Items)
	if err := b.bindGroups(); err != nil {
		return err
	}
	if b.Having, err = b.rowExists(face); err != nil {
		return err
	}
	return b.finish(from)
}

// rowsView is how the cells of a typed table's rows are read: the newest of each, whatever the
// session's view, or the newest of a moment.
func rowsView(c versions.Choice) versions.Choice {
	if c.Period != nil {
		return versions.Choice{Period: c.Period, A: c.A}
	}
	return versions.Choice{Versions: &clause.VersionsHint{N: clause.Operand{Const: 1, Param: -1}}}
}

// typedColumn is a column of a typed table over the groups of its pivot.
func (b *blockPlanner) typedColumn(face *typed.Table, i int) (expr.Node, error) {
	if part := face.KeyPart(i); part >= 0 && !face.HasCell(i) {
		k, err := b.bind(columnName(relation.ColumnK), "field list", b, true)
		if err != nil {
			return nil, err
		}
		return face.PartOf(k, part), nil
	}
	qualifier := face.Columns[i].CellQualifier()
	v, err := b.cell(qualifier, relation.ColumnV)
	if err != nil {
		return nil, err
	}
	var at expr.Node
	if face.TellsAbsent(i) {
		at, err = b.cell(qualifier, relation.ColumnT)
	}
	return face.ValueOf(v, at, i), err
}

// cell is MAX(CASE WHEN Q = qualifier THEN part END), a part of the cell.
func (b *blockPlanner) cell(qualifier, part string) (expr.Node, error) {
	is := &sqlparser.ComparisonExpr{Operator: sqlparser.EqualStr, Left: columnName(relation.ColumnQ),
		Right: &ast.Literal{Kind: ast.LitBytes, Bytes: []byte(qualifier)}}
	chosen := &sqlparser.CaseExpr{Whens: []*sqlparser.When{{Cond: is, Val: columnName(part)}}}
	most := &sqlparser.FuncExpr{Name: sqlparser.NewColIdent("MAX"),
		Exprs: sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: chosen}}}
	return b.bind(most, "field list", b, true)
}

// rowExists is the condition on a group of cells to be a row: that it has a marker, and a key of
// the table's form.
func (b *blockPlanner) rowExists(face *typed.Table) (expr.Node, error) {
	marker, err := b.cell(typed.Marker, relation.ColumnV)
	if err != nil {
		return nil, err
	}
	k, err := b.bind(columnName(relation.ColumnK), "having clause", b, true)
	if err != nil {
		return nil, err
	}
	return &expr.And{List: []expr.Node{&expr.IsNull{X: marker, Not: true}, face.Readable(k)}}, nil
}
