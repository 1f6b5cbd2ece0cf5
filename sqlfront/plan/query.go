package plan

import (
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// query is a planned SELECT or UNION: a whole statement, a subquery or a
// derived table.
type query struct {
	columns []Column
	width   int // of the frame
	body    body
	// subqueries are those in the query's expressions.
	subqueries []*subquery
	// planner is that of a block, nil for a UNION.
	planner *blockPlanner
	// given are the columns of the frame for the values that whoever opens
	// the query puts there, by their numbers.
	given map[int]int
}

// body gives the rows of a query; they may have more columns than the query.
type body interface {
	open(x *exec, o queryOptions) (results, error)
}

// queryOptions are how a query is run.
type queryOptions struct {
	// countAll reads on behind the LIMIT, for SQL_CALC_FOUND_ROWS.
	countAll bool
	// atMost is the number of rows after which the reader stops; 0 is all.
	atMost int64
}

// query plans a query but for its last step, which is complete; outer is the
// block around it, or nil.
func (q *queryPlanner) query(s sqlparser.SelectStatement, outer *blockPlanner) (*query, error) {
	out, _, err := q.correlated(s, outer)
	return out, err
}

// correlated is query with what it reads of the blocks around.
func (q *queryPlanner) correlated(s sqlparser.SelectStatement, outer *blockPlanner) (*query, []correlation, error) {
	if err := q.checkCommon(); err != nil {
		return nil, nil, err
	}
	switch s := s.(type) {
	case *sqlparser.ParenSelect:
		return q.correlated(s.Select, outer)
	case *sqlparser.Select:
		b, planner, err := q.block(s, outer)
		if err != nil {
			return nil, nil, err
		}
		return &query{columns: b.columns, body: b, subqueries: planner.subqueries, planner: planner}, planner.correlations, nil
	case *sqlparser.Union:
		return q.union(s, outer)
	}
	return nil, nil, mysqlerr.Unsupported(sqlparser.String(s))
}

// complete plans how the query's rows are found. Until then the query may take
// conditions of its reader into it.
func (q *query) complete() error {
	if u, ok := q.body.(*union); ok {
		for _, part := range u.parts {
			if err := part.query.complete(); err != nil {
				return err
			}
		}
		return nil
	}
	err := q.planner.complete()
	q.width = q.planner.width
	return err
}

func (b *block) open(x *exec, o queryOptions) (results, error) {
	offset, count, err := b.limit.Values(x.env.Params)
	if err != nil {
		return nil, err
	}
	if x.c.LockRows {
		x.lock = b.lock
	}
	want := b.request(offset, count, o)
	src, g, err := b.source.open(x, want)
	if err != nil {
		return nil, err
	}
	if b.changes && x.c.LockAhead {
		if err := lockAhead(src, b.limit.present); err != nil {
			return nil, err
		}
	}
	var r results = b.projection.start(x, src)
	if b.distinct {
		r = newDistinct(x, r, len(b.columns), g.together)
	}
	if len(b.order) > 0 && !g.ordered {
		sort := newSorted(x, r, b.order, window(offset, count, o))
		if !b.distinct {
			sort.inParallel(b, src)
		}
		r = sort
	}
	if b.limit.present || o.countAll {
		r = &limited{child: r, offset: offset, count: count, countAll: o.countAll}
	}
	return r, nil
}

// request is what the block would like of its source.
func (b *block) request(offset, count int64, o queryOptions) request {
	want := request{}
	for _, k := range b.order {
		want.order = append(want.order, k.OrderKey)
	}
	if b.distinct {
		want.together = b.projection.nodes[:len(b.columns)]
		want.onePerRow = b.rowOnly
		return want
	}
	want.limit = window(offset, count, o)
	return want
}

// window is the number of rows from the first to the last that is wanted, 0
// where that is all.
func window(offset, count int64, o queryOptions) int64 {
	if o.countAll {
		return 0
	}
	if o.atMost > 0 {
		count = min(count, o.atMost)
	}
	if count == noLimit || count > noLimit-offset {
		return 0
	}
	return offset + count
}
