package plan

import (
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

// common is a common table expression as a thing in FROM: a derived table that
// is planned for each place that names it, so that the conditions of the place
// reach the tables below.
func (b *blockPlanner) common(ref parse.TableRef, alias string) (*Relation, *query, error) {
	c := &b.parsed.Common[ref.Common]
	if ref.Period >= 0 {
		return nil, nil, mysqlerr.Unsupported("FOR SYSTEM_TIME of " + c.Name)
	}
	q, err := b.commonQuery(ref.Common)
	if err != nil {
		return nil, nil, err
	}
	if alias == "" {
		alias = c.Name
	}
	r, err := derivedRelation(alias, c.Columns, q)
	if err == nil && ref.Partitions >= 0 {
		_, err = r.selected(b.parsed.Partitions[ref.Partitions])
	}
	return r, q, err
}

// commonQuery plans the query of a common table expression, which sees nothing
// of the place that names it.
func (q *queryPlanner) commonQuery(index int) (*query, error) {
	if err := q.countUse("common table expressions"); err != nil {
		return nil, err
	}
	c := &q.parsed.Common[index]
	planned, err := q.query(c.Node, nil)
	if err != nil {
		return nil, err
	}
	if c.Columns != nil && len(c.Columns) != len(planned.columns) {
		return nil, mysqlerr.New(mysqlerr.ViewWrongList,
			"In definition of view, derived table or common table expression, SELECT list and column names list have different column counts")
	}
	return planned, nil
}

// checkCommon plans the common table expressions that nothing names, for their
// errors alone.
func (q *queryPlanner) checkCommon() error {
	if *q.commonChecked || q.parsed == nil {
		return nil
	}
	*q.commonChecked = true
	reads := q.reads
	q.reads = new([]*Relation)
	defer func() { q.reads = reads }()
	for i, c := range q.parsed.Common {
		if c.Used {
			continue
		}
		planned, err := q.commonQuery(i)
		if err == nil {
			_, err = derivedRelation(c.Name, c.Columns, planned)
		}
		if err == nil {
			err = planned.complete()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
