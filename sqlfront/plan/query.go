package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan/block"
)

// query plans a query up to physical.Complete; outer is the enclosing block, or nil.
func (q *queryPlanner) query(s sqlparser.SelectStatement, outer *blockPlanner) (*block.Query, error) {
	out, _, err := q.correlated(s, outer)
	return out, err
}

// maxQueries bounds the nesting of subqueries, derived tables and views, as MySQL does (63): planning
// and execution recurse into them.
const maxQueries = 100

// maxHeight bounds the height of a statement's syntax tree with the views and common table expressions
// that it names, as the parser bounds that of the text.
const maxHeight = 1 << 16

// correlated is query, and also returns what it reads of the outer blocks.
func (q *queryPlanner) correlated(
	s sqlparser.SelectStatement, outer *blockPlanner,
) (*block.Query, []block.Correlation, error) {
	if err := q.checkCommon(); err != nil {
		return nil, nil, err
	}
	defer func() { q.within-- }()
	if q.within++; q.within > maxQueries {
		return nil, nil, mysqlerr.New(mysqlerr.TooDeepSelect,
			"Too high level of nesting for select: at most %d, those of views counted", maxQueries)
	}
	if q.height > maxHeight {
		return nil, nil, mysqlerr.New(mysqlerr.TooDeepSelect, "Too high level of nesting for select: at most %d "+
			"operators in each other in views and common table expressions", maxHeight)
	}
	switch s := s.(type) {
	case *sqlparser.ParenSelect:
		return q.correlated(s.Select, outer)
	case *sqlparser.Select:
		planner, err := q.block(s, outer)
		if err != nil {
			return nil, nil, err
		}
		columns := planner.ResultColumns()
		return &block.Query{Columns: columns, Block: planner.Block, Out: block.NewQuery(columns)}, planner.Correlations, nil
	case *sqlparser.Union:
		return q.union(s, outer)
	}
	return nil, nil, mysqlerr.Unsupported(sqlparser.String(s))
}
