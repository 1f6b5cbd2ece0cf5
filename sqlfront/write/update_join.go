package write

import (
	"encoding/binary"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// isJoin reports whether UPDATE changes a table of a join.
func isJoin(from sqlparser.TableExprs) bool {
	_, single := from[0].(*sqlparser.AliasedTableExpr)
	return len(from) > 1 || !single
}

// updateJoin plans UPDATE of the one stored table of a join. Its SELECT gives
// the table's columns, then the columns that are assigned to, which must be of
// that table, and what is assigned: all values are those from before
// (https://dev.mysql.com/doc/refman/5.7/en/update.html).
func (p *preparer) updateJoin(st *parse.Update) (Statement, error) {
	switch {
	case st.Node.OrderBy != nil:
		return nil, mysqlerr.New(mysqlerr.WrongUsage, "Incorrect usage of UPDATE and ORDER BY")
	case st.Node.Limit != nil:
		return nil, mysqlerr.New(mysqlerr.WrongUsage, "Incorrect usage of UPDATE and LIMIT")
	}
	r, err := p.joined(st)
	if err != nil {
		return nil, err
	}
	sel := &sqlparser.Select{From: st.Node.TableExprs, Where: st.Node.Where, SelectExprs: joinItems(r, st.Node.Exprs)}
	rows, err := p.SelectPlain(p.parsed, &parse.Select{Node: sel, Hints: st.Hints}, r, len(r.Columns)+len(st.Node.Exprs))
	if err != nil {
		return nil, err
	}
	t := target{table: r.Table(), relation: r, rows: rows, exprs: p.RowExprs(p.parsed, st.Hints, r), rereads: true}
	set, err := joinAssignments(r, rows.Columns, st.Node.Exprs)
	return &Update{target: t, set: set, ignore: st.Ignore, joined: true}, err
}

// joined finds the stored table of a join; without one it is 1288.
func (p *preparer) joined(st *parse.Update) (*plan.Relation, error) {
	var found, first *sqlparser.AliasedTableExpr
	for _, e := range st.Node.TableExprs {
		_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
			aliased, ok := n.(*sqlparser.AliasedTableExpr)
			if ok && first == nil {
				first = aliased
			}
			if table := tableOf(aliased); table != nil && table.Common == nil {
				found = aliased
			}
			_, inner := n.(*sqlparser.Subquery)
			return !inner, nil
		}, e)
	}
	if found == nil {
		name := first.As.String()
		if table := tableOf(first); table != nil {
			name += table.Name.String()
		}
		return nil, notUpdatable(name, "UPDATE")
	}
	return p.named(tableOf(found), st.Hints, found.As.String(), "UPDATE", rights.Update)
}

// tableOf is a table in FROM, nil of a derived one.
func tableOf(e *sqlparser.AliasedTableExpr) *parse.Table {
	if e == nil {
		return nil
	}
	table, _ := e.Expr.(*parse.Table)
	return table
}

// joinItems are the select list of updateJoin.
func joinItems(r *plan.Relation, set sqlparser.UpdateExprs) sqlparser.SelectExprs {
	var out sqlparser.SelectExprs
	add := func(e sqlparser.Expr) { out = append(out, parse.NewItem(e)) }
	of := sqlparser.TableName{Name: sqlparser.NewTableIdent(r.Alias)}
	for _, c := range r.Columns {
		add(&sqlparser.ColName{Name: sqlparser.NewColIdent(c.Name), Qualifier: of})
	}
	for _, e := range set {
		add(e.Name)
	}
	for _, e := range set {
		if isDefault(e.Expr, e.Name.Name.String()) {
			add(&sqlparser.NullVal{})
		} else {
			add(e.Expr)
		}
	}
	return out
}

// joinAssignments are the assignments over the rows of joinItems.
func joinAssignments(r *plan.Relation, columns []plan.Column, set sqlparser.UpdateExprs) ([]assignment, error) {
	var out []assignment
	for i, e := range set {
		assigned, value := columns[len(r.Columns)+i], len(r.Columns)+len(set)+i
		if assigned.Table != r.Alias || assigned.Database != r.Database {
			return nil, notUpdatable(assigned.Table, "UPDATE")
		}
		a := assignment{column: r.Find(assigned.OrgName)}
		isDefault := isDefault(e.Expr, assigned.OrgName)
		switch {
		case a.column > colV && !isDefault:
			return nil, generatedValue(r.Table(), a.column)
		case a.column > colV:
			continue
		case !isDefault:
			a.node = &expr.Column{Index: value, Name: columns[value].Name, T: columns[value].Type}
		}
		out = append(out, a)
	}
	return out, nil
}

// fresh reports whether a row of a join is one of the table that the join has
// not given before: each is changed once, as in MySQL. Where an outer join has
// no row of the table there is none to change.
func (w *writer) fresh(row []value.Value) bool {
	if row[colK].IsNull() {
		return false
	}
	key := binary.AppendUvarint(nil, uint64(len(row[colK].Raw())))
	key = append(append(key, row[colK].Raw()...), row[colQ].Raw()...)
	key = binary.BigEndian.AppendUint64(key, uint64(row[colT].Int()))
	if w.changing[string(key)] {
		return false
	}
	w.changing[string(key)] = true
	return true
}
