package plan

import (
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// ExplainOptions are the ways to explain a statement.
type ExplainOptions struct {
	Format  string // TRADITIONAL or empty, TREE, JSON
	Analyze bool   // run the statement and measure
	// Statement is SELECT or empty, INSERT, REPLACE, UPDATE or DELETE; Table
	// is the one that is written, by its alias.
	Statement, Table string
	// Exprs are the statement's other expressions, or nil.
	Exprs *RowExprs
}

// Explanation is what EXPLAIN answers: its own columns and rows.
type Explanation struct {
	Columns []Column
	Rows    [][]value.Value
}

// Explain says how a statement finds its rows. s is the SELECT, the part of a
// written statement that finds or gives its rows, or nil for an INSERT of
// VALUES. Nothing is read, unless o.Analyze asks for it.
func Explain(c *exec.Context, s *Select, o ExplainOptions) (*Explanation, error) {
	if o.Statement != "" && o.Statement != "SELECT" && o.Analyze {
		return nil, mysqlerr.Unsupported("EXPLAIN ANALYZE of " + o.Statement)
	}
	if s == nil {
		return explainWrite(c, o)
	}
	if err := c.CheckCatalog(s.version); err != nil {
		return nil, err
	}
	root, took, err := s.query.Explain(c, s.countAll, o.Analyze)
	if err != nil {
		return nil, err
	}
	e := explainer{options: o, took: took}
	root.Queries = append(root.Queries, o.Exprs.steps(c)...)
	return e.explain(root)
}

type explainer struct {
	options ExplainOptions
	took    time.Duration
}

func (e *explainer) explain(root *exec.Step) (*Explanation, error) {
	switch {
	case e.options.Format == "JSON":
		return e.json(root)
	case e.options.Format == "TREE" || e.options.Analyze:
		return textExplanation(e.tree(root)), nil
	}
	return e.traditional(root)
}

// explainWrite is EXPLAIN of an INSERT of VALUES, which reads nothing but in
// subqueries.
func explainWrite(c *exec.Context, o ExplainOptions) (*Explanation, error) {
	root := exec.NewStep(capitalized(o.Statement) + " into " + o.Table)
	root.Block = &exec.BlockStep{}
	root.Table = &exec.TableStep{Table: o.Table, Type: "ALL", Rows: -1, Written: true}
	root.Queries = o.Exprs.steps(c)
	e := explainer{options: o}
	if o.Format == "TREE" {
		var b strings.Builder
		e.printStep(&b, root, "")
		return textExplanation(strings.TrimSuffix(b.String(), "\n")), nil
	}
	return e.explain(root)
}

// steps describe the subqueries of the expressions.
func (e *RowExprs) steps(c *exec.Context) []*exec.Step {
	if e == nil {
		return nil
	}
	return exec.ExplainSubqueries(c, e.block.subqueries)
}

// textExplanation is one column with one text.
func textExplanation(text string) *Explanation {
	return &Explanation{
		Columns: []Column{{Name: "EXPLAIN", Type: value.Type{Kind: value.Text}}},
		Rows:    [][]value.Value{{value.NewString(text)}},
	}
}
