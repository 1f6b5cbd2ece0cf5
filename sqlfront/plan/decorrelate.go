package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
)

// A subquery that reads the row around only to set columns of one table, or pivot, equal to
// it has the rows of all rows around at once, by these columns: EXISTS is a semi join with
// them, a scalar subquery an outer join. It is planned once more as a query for both, which
// reads nothing of the blocks around.

// addForAll plans the second way to answer a subquery, which reads its rows once, where there is
// one. What else it needs is planned already: its error is not one.
func (b *blockPlanner) addForAll(sub *exec.Subquery, s *sqlparser.Subquery) error {
	q, correlations, err := b.again(sub, s)
	if q == nil || err != nil {
		return err
	}
	q.readFor(sub.Use)
	if done, err := keyed(q, sub, correlations); done || err != nil {
		return err
	}
	sub.Partnered, err = partnered(q, correlations)
	return err
}

// again plans a correlated block once more; nil where it is none, or gives other rows each time.
func (b *blockPlanner) again(sub *exec.Subquery, s *sqlparser.Subquery) (*query, []correlation, error) {
	if len(sub.Outer) == 0 || sub.Differs {
		return nil, nil, nil
	}
	var correlations []correlation
	q, err := b.onceMore(func() (q *query, err error) {
		q, correlations, err = b.correlated(s.Select, b)
		return q, err
	})
	if q == nil || err != nil || q.union != nil || len(correlations) != len(sub.Outer) {
		return nil, nil, err
	}
	return q, correlations, nil
}
