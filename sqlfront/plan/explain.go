package plan

import (
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// ExplainOptions says how to explain a statement.
type ExplainOptions struct {
	Format  string // TRADITIONAL or empty, TREE, JSON
	Analyze bool   // run the statement and measure
	// Statement is SELECT or empty, INSERT, REPLACE, UPDATE or DELETE; Table is the table that is
	// written, by its alias.
	Statement, Table string
	// Exprs are the statement's other expressions, or nil.
	Exprs *RowExprs
}

// Explanation is the result of EXPLAIN: its columns and rows.
type Explanation struct {
	Columns []relation.Column
	Rows    [][]value.Value
}

// Explain says how a statement finds its rows. s is the SELECT, or the part of a writing statement that finds
// or returns its rows; nil for an INSERT of VALUES. Nothing is read unless o.Analyze is set.
func Explain(c *exec.Context, s *Select, o ExplainOptions) (*Explanation, error) {
	if o.Statement != "" && o.Statement != "SELECT" && o.Analyze {
		return nil, mysqlerr.Unsupported("EXPLAIN ANALYZE of " + o.Statement)
	}
	if s == nil {
		return explainWrite(c, o)
	}
	root, took, err := s.Explain(c, o.Analyze)
	if err != nil {
		return nil, err
	}
	root.Queries = append(root.Queries, o.Exprs.steps(c)...)
	return o.print(root, took)
}

// explainWrite explains an INSERT of VALUES, which reads only in subqueries.
func explainWrite(c *exec.Context, o ExplainOptions) (*Explanation, error) {
	root := explain.NewWrite(o.Statement, o.Table)
	root.Queries = o.Exprs.steps(c)
	return o.print(root, 0)
}

func (o *ExplainOptions) print(root *explain.Step, took time.Duration) (*Explanation, error) {
	columns, rows, err := explain.Print(root, explain.Options{Format: o.Format, Analyze: o.Analyze, Took: took,
		Statement: o.Statement, Target: o.Table})
	e := &Explanation{Rows: rows}
	for _, c := range columns {
		e.Columns = append(e.Columns, relation.Column{Name: c.Name, Type: c.Type})
	}
	return e, err
}

// steps describe the subqueries of the expressions.
func (e *RowExprs) steps(c *exec.Context) []*explain.Step {
	if e == nil {
		return nil
	}
	return exec.ExplainSubqueries(c, e.block.Subqueries)
}
