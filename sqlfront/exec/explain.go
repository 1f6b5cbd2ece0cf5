package exec

import (
	"io"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/explain"
)

// Explain describes how the query is run, in which nothing is read. With
// analyze it is run, as Open would, and its rows are counted and its time is taken.
func (q *Query) Explain(c *Context, countAll, analyze bool) (root *explain.Step, took time.Duration, err error) {
	c.Measured = analyze
	r, err := q.open(c, countAll, !analyze)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = r.Close() }()
	if analyze {
		start := time.Now()
		if err := r.readAll(); err != nil {
			return nil, 0, err
		}
		took = time.Since(start)
	}
	r.x.stmt.explain = true
	return q.step(r.rows, r.x.stmt), took, nil
}

func (r *Rows) readAll() error {
	for {
		if _, err := r.Next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// ExplainSubqueries describes the subqueries of a statement's other expressions.
func ExplainSubqueries(c *Context, subqueries []*Subquery) []*explain.Step {
	return plannedSteps(subqueries, c.newRun(true))
}
