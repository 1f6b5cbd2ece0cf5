package sqlfront

import (
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// IndexEntries is the index.Maker of the stores that sessions work on: it makes the entries by the table's
// attributes.
func IndexEntries(t *kv.Table, i int) (index.Entries, error) {
	return typed.EntriesOf(t, i, bindColumn)
}

// bindColumn binds the expression of a column of a typed table, independently of a session.
func bindColumn(family *kv.Table, text string) (expr.Node, error) {
	r, err := relation.OfTyped(family)
	if err != nil {
		return nil, err
	}
	return new(plan.Planner).RowValue(r, text)
}
