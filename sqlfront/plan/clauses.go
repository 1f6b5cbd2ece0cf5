package plan

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/exec/order"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/expr/member"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/ordering"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/condition"
)

// aliases is a scope in which a name is first looked up among the columns of the relations, and then
// among the labels of the select list.
type aliases struct{ *blockPlanner }

// Resolve finds a column, or a label if there is no such column.
func (a aliases) Resolve(table, column string) (expr.Node, error) {
	n, err := a.blockPlanner.Resolve(table, column)
	if table != "" || !mysqlerr.Is(err, mysqlerr.BadField) {
		return n, err
	}
	if it, aliasErr := a.labelled(column); it != nil || aliasErr != nil {
		return itemNode(it), cmp.Or(aliasErr, a.checkAlias(it))
	}
	return n, err
}

func itemNode(it *block.Item) expr.Node {
	if it == nil {
		return nil
	}
	return it.Node
}

// labelled is the item with that label, nil if there is none: as in MySQL the first one that is not a plain
// column, otherwise the column. Two different columns are error 1052.
func (b *blockPlanner) labelled(label string) (*block.Item, error) {
	var found *block.Item
	if err := b.Meter.Step(len(b.Items)); err != nil {
		return nil, err
	}
	for i := range b.Items {
		it := &b.Items[i]
		if !strings.EqualFold(it.Label, label) {
			continue
		}
		if !condition.IsColumn(it.Node) {
			return it, nil
		}
		if found != nil && found.Node.(*expr.Column).Index != it.Node.(*expr.Column).Index {
			return nil, mysqlerr.New(mysqlerr.NonUniq, "Column '%s' in %s is ambiguous", label, b.clause)
		}
		found = it
	}
	return found, nil
}

// position reads an integer in GROUP BY or ORDER BY as the number of an item; ok is false for any other
// expression.
func (b *blockPlanner) position(e sqlparser.Expr, clause string) (it *block.Item, ok bool, err error) {
	n, ok := b.positionNumber(e)
	if !ok {
		return nil, false, nil
	}
	if n < 1 || n > uint64(len(b.Items)) {
		return nil, true, mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in '%s'", positionText(e, n), clause)
	}
	return &b.Items[n-1], true, nil
}

// positionText is a position as it is written, or the value of its argument.
func positionText(e sqlparser.Expr, n uint64) string {
	if _, ok := e.(*ast.Param); ok {
		return strconv.FormatUint(n, 10)
	}
	return sqlparser.String(e)
}

// positionNumber is the value of an integer literal or argument. TRUE and FALSE are integers, as in
// MySQL; a negative one is 0, which is no item's number. A literal beyond 64 bits is a DECIMAL and not
// a position.
func (b *blockPlanner) positionNumber(e sqlparser.Expr) (uint64, bool) {
	switch v := e.(type) {
	case sqlparser.BoolVal:
		if v {
			return 1, true
		}
		return 0, true
	case *ast.Param:
		n, ok := b.Arguments.Position(v.Index)
		return uint64(n), ok
	case *ast.Number:
		if _, err := strconv.ParseInt(v.Text, 10, 64); err == nil && v.Text[0] == '-' {
			return 0, true
		}
		n, err := strconv.ParseUint(v.Text, 10, 64)
		return n, err == nil
	}
	return 0, false
}

// bindGroups binds GROUP BY: a name is a column of a relation or else a label.
func (b *blockPlanner) bindGroups() error {
	const clause = "group statement"
	for _, e := range b.GroupBy() {
		b.Aggregated = true
		e = ast.Unparenthesized(e)
		it, isPosition, err := b.position(e, clause)
		if err != nil {
			return err
		}
		var n expr.Node
		if isPosition {
			n = it.Node
		} else if n, err = b.groupExpr(e, clause); err != nil {
			return err
		}
		if err := b.checkAlias(it); err != nil {
			return err
		}
		if b.ReadsAggregate(n) || b.readsGrouping(n) {
			position, _ := b.positionNumber(e)
			return mysqlerr.New(mysqlerr.WrongGroupField, "Can't group on '%s'", positionText(e, position))
		}
		if err := b.AddKey(n); err != nil {
			return err
		}
	}
	return nil
}

// groupExpr binds an expression of GROUP BY. A name that is ambiguous among the relations is the label, if
// there is one.
func (b *blockPlanner) groupExpr(e sqlparser.Expr, clause string) (expr.Node, error) {
	n, err := b.bind(e, clause, aliases{b}, false)
	if c, ok := e.(*sqlparser.ColName); ok && c.Qualifier.IsEmpty() && mysqlerr.Is(err, mysqlerr.NonUniq) {
		if it, _ := b.labelled(c.Name.String()); it != nil {
			return it.Node, nil
		}
	}
	return n, err
}

// havingScope looks names up among the grouped columns, then the labels, then the columns.
type havingScope struct{ *blockPlanner }

// Resolve finds a name of HAVING.
func (h havingScope) Resolve(table, column string) (expr.Node, error) {
	n, err := h.blockPlanner.Resolve(table, column)
	if err == nil && h.isKey(n) || table != "" {
		return n, err
	}
	if it, aliasErr := h.labelled(column); it != nil || aliasErr != nil {
		return itemNode(it), cmp.Or(aliasErr, h.checkAlias(it))
	}
	if mysqlerr.Is(err, mysqlerr.NonUniq) {
		err = h.Scope.Unknown(table, column) // a column that is not selected is not looked up in FROM
	}
	return n, err
}

func (b *blockPlanner) isKey(n expr.Node) bool {
	return b.KeyIndex != nil && b.KeyIndex.Find(n) >= 0
}

func (b *blockPlanner) bindHaving() error {
	if b.Node.Having == nil {
		return nil
	}
	n, err := b.bind(b.Node.Having.Expr, "having clause", havingScope{b}, true)
	if err != nil {
		return err
	}
	b.Having = member.Numeric(n)
	return b.checkHaving(n)
}

// checkHaving refuses columns that are neither grouped nor in the select list
// (https://dev.mysql.com/doc/refman/5.7/en/select.html).
func (b *blockPlanner) checkHaving(n expr.Node) error {
	var err error
	selected := b.selected()
	expr.Walk(n, func(n expr.Node) bool {
		if err != nil || b.isKey(n) {
			return false
		}
		c, ok := n.(*expr.Column)
		if !ok || b.Scope.At(c.Index) == nil || selected[c.Index] {
			return true
		}
		err = mysqlerr.New(mysqlerr.BadField, "Unknown column '%s' in 'having clause'", c.Name)
		return false
	})
	return err
}

// selected are the columns that items read.
func (b *blockPlanner) selected() map[int]bool {
	out := map[int]bool{}
	for _, it := range b.Items {
		expr.Columns(it.Node, func(c *expr.Column) { out[c.Index] = true })
	}
	return out
}

// bindOrder binds ORDER BY: a plain name is a label or else a column, a number is a position.
func (b *blockPlanner) bindOrder() error {
	for _, o := range b.Node.OrderBy {
		if err := b.bindOrderKey(o); err != nil {
			return err
		}
	}
	return nil
}

func (b *blockPlanner) bindOrderKey(o *sqlparser.Order) error {
	n, err := b.orderExpr(o.Expr, "order clause")
	if err == nil {
		b.Order = append(b.Order, order.OrderItem{Key: ordering.Key{Expr: member.Numeric(n), Desc: o.Direction == sqlparser.DescScr}})
	}
	return err
}

func (b *blockPlanner) orderExpr(e sqlparser.Expr, clause string) (expr.Node, error) {
	e = ast.Unparenthesized(e)
	it, isPosition, err := b.position(e, clause)
	if isPosition || err != nil {
		return itemNode(it), err
	}
	if c, ok := e.(*sqlparser.ColName); ok && c.Qualifier.IsEmpty() {
		before := b.clause
		b.clause = clause
		it, err := b.labelled(c.Name.String())
		b.clause = before
		if it != nil || err != nil {
			return itemNode(it), err
		}
	}
	return b.bind(e, clause, aliases{b}, true)
}
