package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
	"github.com/hbasekv/hbasekv/sqlfront/plan/physical"
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
	readFor(q, sub.Use)
	if done, err := physical.Keyed(q, sub, correlations); done || err != nil {
		return err
	}
	sub.Partnered, err = physical.Partnered(q, correlations)
	return err
}

// again plans a correlated block once more; nil where it is none, or gives other rows each time.
func (b *blockPlanner) again(sub *exec.Subquery, s *sqlparser.Subquery) (*block.Query, []block.Correlation, error) {
	if len(sub.Outer) == 0 || sub.Differs {
		return nil, nil, nil
	}
	var correlations []block.Correlation
	q, err := b.onceMore(func() (q *block.Query, err error) {
		q, correlations, err = b.correlated(s.Select, b)
		return q, err
	})
	if q == nil || err != nil || q.Union != nil || len(correlations) != len(sub.Outer) {
		return nil, nil, err
	}
	return q, correlations, nil
}
