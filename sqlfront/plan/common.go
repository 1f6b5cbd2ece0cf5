package plan

import (
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/physical"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
)

// common is a common table expression in FROM: a derived table that is planned for each place that
// names it, so that the conditions there reach the tables below.
func (b *blockPlanner) common(table *ast.Table, alias string) (*relation.Relation, *block.Query, error) {
	c := table.Common
	if table.Period != nil {
		return nil, nil, mysqlerr.Unsupported("FOR SYSTEM_TIME of " + c.Name)
	}
	if r := b.recursionOf(c); r != nil {
		out, err := b.workingRelation(r, alias)
		return out, nil, err
	}
	q, err := b.commonQuery(c)
	if err != nil {
		return nil, nil, err
	}
	if alias == "" {
		alias = c.Name
	}
	r, err := derivedRelation(alias, c.Columns, q)
	if err == nil && table.Partitions != nil {
		_, err = r.SelectedBy(table.Partitions)
	}
	return r, q, err
}

// commonQuery plans the query of a common table expression, which cannot refer to the query that names
// it.
func (q *queryPlanner) commonQuery(c *ast.CommonTable) (*block.Query, error) {
	if err := q.countUse("common table expressions"); err != nil {
		return nil, err
	}
	q.height += q.parsed.Height
	defer func() { q.height -= q.parsed.Height }()
	planned, err := q.commonNode(c)
	if err != nil {
		return nil, err
	}
	if c.Columns != nil && len(c.Columns) != len(planned.Columns) {
		return nil, wrongColumnList()
	}
	return planned, nil
}

func wrongColumnList() error {
	return mysqlerr.New(mysqlerr.ViewWrongList,
		"In definition of view, derived table or common table expression, SELECT list and column names list have "+
			"different column counts")
}

// commonNode plans the syntax tree of a common table expression in the same way for each place that names it,
// whatever clause that is in: a literal is an argument in all of these places or in none.
func (q *queryPlanner) commonNode(c *ast.CommonTable) (*block.Query, error) {
	looking := q.looking
	q.looking = 0
	defer func() { q.looking = looking }()
	if c.Recursive {
		return q.recursiveQuery(c)
	}
	return q.query(c.Node, nil)
}

// checkCommon plans the common table expressions that are never used, to report their errors.
func (q *queryPlanner) checkCommon() error {
	if q.commonChecked || q.parsed == nil {
		return nil
	}
	q.commonChecked = true
	reads := q.reads
	defer func() { q.reads = reads }()
	for _, c := range q.parsed.Common {
		if c.Used {
			continue
		}
		planned, err := q.commonQuery(c)
		if err == nil {
			_, err = derivedRelation(c.Name, c.Columns, planned)
		}
		if err == nil {
			err = physical.Complete(planned)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
