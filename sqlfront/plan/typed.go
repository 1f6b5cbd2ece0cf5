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

// typedQuery plans the rows of a typed table: a pivot of the cells of its families, by K. A row
// is there where its marker is, or of a mapped table any cell of a column, and its key can be read.
// It takes no rights: those on the typed table have been asked for, and do not open its families.
func (q *queryPlanner) typedQuery(r *relation.Relation, lock string) (*block.Query, error) {
	if p := r.View.Period; p != nil && p.Kind != clause.PeriodAsOf {
		return nil, mysqlerr.Unsupported("FOR SYSTEM_TIME of tables other than column families, but for AS OF")
	}
	planner := *q.Planner
	planner.Access, planner.Arguments, planner.Catalog = nil, nil, planner.Catalog.Stored()
	inner := queryPlanner{Planner: &planner, planning: q.planning, lock: lock, lockWait: q.lockWait}
	reads := q.reads
	defer func() { q.reads = reads }()
	b := inner.newBlock(pivotOf(r), &relation.Scope{}, nil)
	if err := b.planTyped(r); err != nil {
		return nil, err
	}
	columns := b.ResultColumns()
	return &block.Query{Columns: columns, Block: b.Block, Out: block.NewQuery(columns)}, nil
}

// pivotOf is SELECT ... FROM family, or table group, GROUP BY K, without its select list. Of a mapped table
// it has the cells of its columns alone.
func pivotOf(r *relation.Relation) *sqlparser.Select {
	family := r.Family()
	name := family.Name
	if len(r.Families()) > 1 {
		name = family.Group
	}
	table := sqlparser.TableName{Qualifier: sqlparser.NewTableIdent(family.Database), Name: sqlparser.NewTableIdent(name)}
	sel := &sqlparser.Select{
		From:    sqlparser.TableExprs{&sqlparser.AliasedTableExpr{Expr: &ast.Table{TableName: table}}},
		GroupBy: sqlparser.GroupBy{columnName(relation.ColumnK)},
	}
	if r.Typed.Mapped {
		sel.Where = &sqlparser.Where{Type: sqlparser.WhereStr, Expr: mappedCells(r.Typed)}
	}
	return sel
}

// mappedCells is the condition on a cell to be one of a mapped table's columns.
func mappedCells(face *typed.Table) (out sqlparser.Expr) {
	qualifiers := make([]sqlparser.ValTuple, len(face.Families()))
	for i := range face.Columns {
		if face.HasCell(i) {
			f := face.FamilyOf(i)
			qualifiers[f] = append(qualifiers[f], bytesOf(face.Columns[i].CellQualifier()))
		}
	}
	for f, list := range qualifiers {
		var are sqlparser.Expr = &sqlparser.ComparisonExpr{Operator: sqlparser.InStr, Left: columnName(relation.ColumnQ), Right: list}
		if len(qualifiers) > 1 {
			are = &sqlparser.AndExpr{Left: columnIs(relation.ColumnF, face.Families()[f]), Right: are}
		}
		if out != nil {
			are = &sqlparser.OrExpr{Left: out, Right: are}
		}
		out = are
	}
	return out
}

func bytesOf(text string) *ast.Literal { return &ast.Literal{Kind: ast.LitBytes, Bytes: []byte(text)} }

// columnIs is column = 'text'.
func columnIs(column, text string) sqlparser.Expr {
	return &sqlparser.ComparisonExpr{Operator: sqlparser.EqualStr, Left: columnName(column), Right: bytesOf(text)}
}

func columnName(name string) *sqlparser.ColName {
	return &sqlparser.ColName{Name: sqlparser.NewColIdent(name)}
}

// planTyped binds the pivot, with an item for each column of the typed table.
func (b *blockPlanner) planTyped(r *relation.Relation) error {
	from, err := b.planFrom(b.Node.From)
	if err != nil {
		return err
	}
	leaf := from.(*block.Leaf).Relation
	leaf.View, leaf.Pivoted = rowsView(r.View), true
	if err := b.bindWhere(); err != nil {
		return err
	}
	if err := b.addTyped(r.Typed); err != nil {
		return err
	}
	b.Columns += len(b.Items)
	if err := b.bindGroups(); err != nil {
		return err
	}
	if b.Having, err = b.rowExists(r); err != nil {
		return err
	}
	return b.finish(from)
}

// addTyped adds the items: first those of cells and keys, then the virtual columns over these and over
// each other.
func (b *blockPlanner) addTyped(face *typed.Table) (err error) {
	b.Items = make([]block.Item, len(face.Columns))
	for i := range face.Columns {
		b.Items[i].Label = face.Columns[i].Name
		if face.IsVirtual(i) {
			continue
		}
		if b.Items[i].Node, err = b.typedColumn(face, i); err != nil {
			return err
		}
	}
	for i := range face.Columns {
		if !face.IsVirtual(i) {
			continue
		}
		_, e, err := relation.ParseValue(face.Columns[i].Generated.Text)
		if err != nil {
			return err
		}
		x, err := b.bind(e, "field list", typedItems{b, face}, true)
		if err != nil {
			return err
		}
		b.Items[i].Node = face.VirtualOf(x, i)
	}
	return nil
}

// typedItems is a scope in which the columns of a typed table are the items of its pivot.
type typedItems struct {
	*blockPlanner
	face *typed.Table
}

// Resolve finds an item.
func (t typedItems) Resolve(_, column string) (expr.Node, error) {
	if i := t.face.Column(column); i >= 0 {
		return t.Items[i].Node, nil
	}
	return nil, mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in 'generated column function'", column)
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
	v, err := b.cell(face, i, relation.ColumnV)
	if err != nil {
		return nil, err
	}
	var at expr.Node
	if face.TellsAbsent(i) {
		at, err = b.cell(face, i, relation.ColumnT)
	}
	return face.ValueOf(v, at, i), err
}

// cell is MAX(CASE WHEN Q = qualifier THEN part END), a part of the cell of a column.
func (b *blockPlanner) cell(face *typed.Table, column int, part string) (expr.Node, error) {
	is := columnIs(relation.ColumnQ, face.Columns[column].CellQualifier())
	if families := face.Families(); len(families) > 1 {
		is = &sqlparser.AndExpr{Left: columnIs(relation.ColumnF, families[face.FamilyOf(column)]), Right: is}
	}
	return b.most(is, part)
}

// most is MAX(CASE WHEN condition THEN part END).
func (b *blockPlanner) most(is sqlparser.Expr, part string) (expr.Node, error) {
	chosen := &sqlparser.CaseExpr{Whens: []*sqlparser.When{{Cond: is, Val: columnName(part)}}}
	return b.call("MAX", chosen)
}

func (b *blockPlanner) call(name string, argument sqlparser.Expr) (expr.Node, error) {
	call := &sqlparser.FuncExpr{Name: sqlparser.NewColIdent(name),
		Exprs: sqlparser.SelectExprs{&sqlparser.AliasedExpr{Expr: argument}}}
	return b.bind(call, "field list", b, true)
}

// rowExists is the condition on a group of cells to be a row: that it has a marker, or of a mapped
// table a value, and a key of the table's form.
func (b *blockPlanner) rowExists(r *relation.Relation) (expr.Node, error) {
	var there expr.Node
	var err error
	if r.Typed.Mapped {
		there, err = b.call("COUNT", columnName(relation.ColumnV))
	} else if there, err = b.most(columnIs(relation.ColumnQ, typed.Marker), relation.ColumnV); err == nil {
		there = &expr.IsNull{X: there, Not: true}
	}
	if err != nil {
		return nil, err
	}
	k, err := b.bind(columnName(relation.ColumnK), "having clause", b, true)
	if err != nil {
		return nil, err
	}
	return &expr.And{List: []expr.Node{there, r.Typed.Readable(k)}}, nil
}
