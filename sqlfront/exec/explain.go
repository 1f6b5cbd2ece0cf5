package exec

import (
	"io"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/exec/query"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
)

// Explain describes how the SELECT is run, without reading anything. With analyze it is run, as Open
// would, its rows are counted and its time is measured. Its errors are those of Open and, with
// analyze, of reading the rows.
func (s *Select) Explain(c *op.Context, analyze bool) (root *explain.Step, took time.Duration, err error) {
	c.Explain, c.Measured = !analyze, analyze
	start := time.Now() // includes subqueries that keys are compared with, which are read when it is opened
	r, err := s.Open(c)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = r.Close() }()
	if analyze {
		if err := r.readAll(); err != nil {
			return nil, 0, err
		}
		took = time.Since(start)
	}
	r.x.Stmt.Explain = true
	return s.Query.Step(r.rows.Operator, r.x.Stmt), took, nil
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
func ExplainSubqueries(c *op.Context, subqueries []query.Planned) []*explain.Step {
	c.Explain = true
	return query.PlannedSteps(subqueries, newRun(c))
}
