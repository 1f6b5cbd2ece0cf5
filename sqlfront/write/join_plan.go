package write

import (
	"cmp"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/write/change"
)

// isJoin reports whether FROM of an UPDATE or DELETE is a join.
func isJoin(from sqlparser.TableExprs) bool {
	_, single := from[0].(*sqlparser.AliasedTableExpr)
	return len(from) > 1 || !single
}

// joinedTable is a table of a join.
type joinedTable struct {
	// alias is the table's name in the statement: as, or its own name if as is empty.
	database, alias, as string
	// table is nil for derived tables and common table expressions.
	table *ast.Table
	// stored means that it can be changed.
	stored bool
}

// joinedTables returns the tables of FROM, in its order.
func (p *preparer) joinedTables(from sqlparser.TableExprs) (tables []joinedTable) {
	for _, e := range from {
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
			if aliased, ok := n.(*sqlparser.AliasedTableExpr); ok {
				tables = append(tables, p.joinedTable(aliased))
				return false, nil
			}
			_, isSelect := n.(*sqlparser.Subquery)
			return !isSelect, nil
		}, e)
	}
	return tables
}

func (p *preparer) joinedTable(e *sqlparser.AliasedTableExpr) joinedTable {
	out := joinedTable{alias: e.As.String(), as: e.As.String()}
	table, ok := e.Expr.(*ast.Table)
	if !ok {
		return out
	}
	out.alias = cmp.Or(out.alias, table.Name.String())
	if table.Common == nil {
		out.table, out.database = table, cmp.Or(table.Database(), p.Database)
		out.stored = schema.Stored(p.Catalog, out.database, table.Name.String()) != nil ||
			schema.Mapped(p.Catalog, out.database, table.Name.String()) != nil
	}
	return out
}

// changed makes parts of the chosen tables of a join, and checks the privileges to change them.
func (p *preparer) changed(tables []joinedTable, chosen []bool, hints ast.Hints, verb string,
	want rights.Privileges) (parts []part, err error) {
	for i, t := range tables {
		if !chosen[i] {
			continue
		}
		if t.table == nil {
			return nil, change.NonUpdatable(t.alias, verb)
		}
		r, err := p.Named(t.table, hints, t.as, verb, want)
		if err != nil {
			return nil, err
		}
		one := part{relation: r}
		if r.Typed != nil {
			if one.rules, err = p.Rules(r); err != nil {
				return nil, err
			}
		}
		parts = append(parts, one)
	}
	return parts, nil
}

// updateJoin plans an UPDATE of tables of a join. Its SELECT gives the columns of these tables, then
// the assigned columns, and then the values.
func (p *preparer) updateJoin(st *ast.Update) (change.Statement, error) {
	switch {
	case st.Node.OrderBy != nil:
		return nil, mysqlerr.New(mysqlerr.WrongUsage, "Incorrect usage of UPDATE and ORDER BY")
	case st.Node.Limit != nil:
		return nil, mysqlerr.New(mysqlerr.WrongUsage, "Incorrect usage of UPDATE and LIMIT")
	}
	parts, err := p.assignedParts(st)
	if err != nil {
		return nil, err
	}
	items := joinItems(parts, false)
	own := len(items) + len(st.Node.Exprs)
	items = append(items, assignedItems(st.Node.Exprs)...)
	sel := &sqlparser.Select{From: st.Node.TableExprs, Where: st.Node.Where, SelectExprs: items}
	s, err := p.join(parts, sel, own, st.Hints)
	if err != nil {
		return nil, err
	}
	s.ignore = st.Ignore
	return s, s.assign(st.Node.Exprs, own-len(st.Node.Exprs))
}

// join plans the SELECT of a Join; own is the number of leading items that are not in the text of the
// statement.
func (p *preparer) join(parts []part, sel *sqlparser.Select, own int, hints ast.Hints) (*Join, error) {
	targets := make([]*relation.Relation, len(parts))
	for i := range parts {
		targets[i] = parts[i].relation
	}
	rows, err := p.SelectPlain(p.Parsed, &ast.Select{Node: sel, Hints: hints}, targets, own)
	if err != nil {
		return nil, err
	}
	return &Join{rows: rows, exprs: p.RowExprs(p.Parsed, hints, relation.NoColumns()), parts: parts}, nil
}

// assignedParts returns the tables that SET names. A column without a table is that of the first stored
// table that has it; if others have it, too, binding finds it ambiguous.
func (p *preparer) assignedParts(st *ast.Update) ([]part, error) {
	tables := p.joinedTables(st.Node.TableExprs)
	named := make([]bool, len(tables))
	for _, e := range st.Node.Exprs {
		of := e.Name.Qualifier
		i := slices.IndexFunc(tables, func(t joinedTable) bool {
			if of.IsEmpty() {
				return t.stored && p.hasColumn(st.Hints, t, e.Name)
			}
			database := of.Qualifier.String()
			return t.alias == of.Name.String() && (database == "" || database == t.database)
		})
		if i >= 0 {
			named[i] = true
		}
	}
	return p.changed(tables, named, st.Hints, "UPDATE", rights.Update)
}

// hasColumn reports whether a table of a join has a column of that name.
func (p *preparer) hasColumn(hints ast.Hints, t joinedTable, name *sqlparser.ColName) bool {
	r, err := p.TableNamed(hints, t.table, t.as)
	return err == nil && r.Find(name.Name.String()) >= 0
}

// joinItems returns the columns of the parts, or of their keys, and sets the positions of the parts.
func joinItems(parts []part, keys bool) (items sqlparser.SelectExprs) {
	for i := range parts {
		r := parts[i].relation
		parts[i].at = len(items)
		of := sqlparser.TableName{Name: sqlparser.NewTableIdent(r.Alias), Qualifier: sqlparser.NewTableIdent(r.Database)}
		for _, column := range readColumns(r, keys) {
			items = append(items, ast.NewItem(&sqlparser.ColName{Name: sqlparser.NewColIdent(r.Columns[column].Name), Qualifier: of}))
		}
	}
	return items
}

// readColumns returns the columns that the writer of a table needs: all stored ones, or those of its
// key.
func readColumns(r *relation.Relation, key bool) (columns []int) {
	last := r.Find(relation.ColumnV)
	switch {
	case r.Typed != nil && key:
		return r.Typed.Key
	case r.Typed != nil:
		last = len(r.Columns) - 1
	case key:
		last = r.Find(relation.ColumnT)
	}
	for i := range last + 1 {
		columns = append(columns, i)
	}
	return columns
}

// assignedItems returns the assigned columns and then the values, as items of the SELECT.
func assignedItems(set sqlparser.UpdateExprs) (items sqlparser.SelectExprs) {
	for _, e := range set {
		items = append(items, ast.NewItem(e.Name))
	}
	for _, e := range set {
		if change.IsDefault(e.Expr, e.Name.Name.String()) {
			items = append(items, ast.NewItem(&sqlparser.NullVal{}))
		} else {
			items = append(items, ast.NewItem(e.Expr))
		}
	}
	return items
}

// assign gives the parts their assignments. In the rows of the join, the assigned columns begin at at,
// and the values follow them.
func (s *Join) assign(set sqlparser.UpdateExprs, at int) error {
	columns := s.rows.Columns
	for i, e := range set {
		assigned, value := columns[at+i], at+len(set)+i
		p := s.part(assigned.Database, assigned.Table)
		if p == nil {
			return change.NonUpdatable(assigned.Table, "UPDATE")
		}
		a := change.Assignment{Column: p.relation.Find(assigned.OrgName)}
		isDefault := change.IsDefault(e.Expr, assigned.OrgName)
		isGenerated := p.isGenerated(a.Column)
		given := &expr.Column{Index: value - p.at, Name: columns[value].Name, T: columns[value].Type}
		switch {
		case isGenerated && !isDefault:
			return p.givenGenerated(a.Column)
		case isGenerated:
			continue
		case !isDefault && p.relation.Typed != nil:
			a.Node = given
		case !isDefault:
			a.Node = expr.Encoded(given)
		}
		p.set = append(p.set, a)
	}
	for i := range s.parts {
		if j := s.before(i); j >= 0 {
			s.parts[i].round = s.parts[j].round + 1
		}
	}
	return s.checkKeys()
}

// part returns the part of a table, or nil if it is not changed.
func (s *Join) part(database, alias string) *part {
	i := slices.IndexFunc(s.parts, func(p part) bool { return p.relation.Database == database && p.relation.Alias == alias })
	if i < 0 {
		return nil
	}
	return &s.parts[i]
}

func (p *part) isGenerated(column int) bool {
	if t := p.relation.Typed; t != nil {
		return t.IsGenerated(column)
	}
	return column > change.ColV
}

func (p *part) givenGenerated(column int) error {
	if t := p.relation.Typed; t != nil {
		return t.GivenGenerated(column, p.relation.Name)
	}
	return generatedValue(p.relation.Table(), column)
}

// isKey reports whether a column belongs to the table's primary key.
func (p *part) isKey(column int) bool {
	if t := p.relation.Typed; t != nil {
		return t.KeyPart(column) >= 0
	}
	return column < change.ColV
}

// checkKeys returns error 1706 for assignments to the key of a table that is updated under several
// aliases.
func (s *Join) checkKeys() error {
	setsKey := func(p *part) bool {
		return slices.ContainsFunc(p.set, func(a change.Assignment) bool { return p.isKey(a.Column) })
	}
	for i := range s.parts {
		for j := range i {
			a, b := &s.parts[j], &s.parts[i]
			if a.relation.IsSame(b.relation) && (setsKey(a) || setsKey(b)) {
				return mysqlerr.New(mysqlerr.MultiUpdateKeyConflict, "Primary key/partition key update is not allowed since the "+
					"table is updated both as '%s' and '%s'.", a.relation.Alias, b.relation.Alias)
			}
		}
	}
	return nil
}

// deleteNamed plans a DELETE that names its target tables among those of FROM or USING.
func (p *preparer) deleteNamed(st *ast.Delete) (change.Statement, error) {
	tables := p.joinedTables(st.Node.TableExprs)
	chosen := make([]bool, len(tables))
	for _, t := range st.Node.Targets {
		i, err := p.deleted(tables, t)
		if err == nil && chosen[i] {
			err = notUnique(t)
		}
		if err != nil {
			return nil, err
		}
		chosen[i] = true
	}
	if err := p.readAll(tables); err != nil {
		return nil, err
	}
	if !isJoin(st.Node.TableExprs) {
		return p.deleteOne(st)
	}
	parts, err := p.changed(tables, chosen, st.Hints, "DELETE", rights.Delete)
	if err != nil {
		return nil, err
	}
	items := joinItems(parts, true)
	s, err := p.join(parts, &sqlparser.Select{From: st.Node.TableExprs, Where: st.Node.Where, SelectExprs: items}, len(items), st.Hints)
	if err != nil {
		return nil, err
	}
	s.deletes, s.ignore = true, st.Ignore
	return s, nil
}

// readAll checks the privilege to read each table of FROM or USING of a DELETE, including its targets,
// as MariaDB does.
func (p *preparer) readAll(tables []joinedTable) error {
	for _, t := range tables {
		if t.table == nil || t.table.Common != nil {
			continue
		}
		if err := p.Allow(rights.Select, t.table); err != nil {
			return err
		}
	}
	return nil
}

// deleted finds the table of a target of DELETE: by its alias, without a database, or by its own name
// (https://dev.mysql.com/doc/refman/8.0/en/delete.html). The error is 1109 if there is none.
func (p *preparer) deleted(tables []joinedTable, target sqlparser.TableName) (int, error) {
	found, name, database := -1, target.Name.String(), target.Qualifier.String()
	for i, t := range tables {
		switch {
		case t.alias != name, t.as != "" && database != "",
			t.as == "" && t.table != nil && t.database != cmp.Or(database, p.Database):
		case found >= 0:
			return 0, notUnique(target)
		default:
			found = i
		}
	}
	if found < 0 {
		return 0, mysqlerr.New(mysqlerr.UnknownTable, "Unknown table '%s' in MULTI DELETE", name)
	}
	return found, nil
}

func notUnique(t sqlparser.TableName) error {
	return mysqlerr.New(mysqlerr.NonUniqTable, "Not unique table/alias: '%s'", t.Name.String())
}
