package plan

import (
	"io"

	"github.com/hbasekv/hbasekv/sqlfront/parse"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Select is a planned SELECT or UNION. It is immutable and holds for the
// version of the catalog that it was planned with.
type Select struct {
	// Columns describe the result.
	Columns []Column
	query   *query
	reads   []*Relation
	version uint64
	// countAll is SQL_CALC_FOUND_ROWS.
	countAll bool
}

// Select plans a SELECT. parsed is the statement that s is a part of.
func (p *Planner) Select(parsed *parse.Parsed, s *parse.Select) (*Select, error) {
	return p.selectRows(parsed, s, false)
}

// SelectPlain is Select of rows that are to be changed, which cannot be
// aggregated (1111).
func (p *Planner) SelectPlain(parsed *parse.Parsed, s *parse.Select) (*Select, error) {
	return p.selectRows(parsed, s, true)
}

func (p *Planner) selectRows(parsed *parse.Parsed, s *parse.Select, plain bool) (*Select, error) {
	q := newQueryPlanner(p, parsed, s.Hints)
	q.lockWait = s.LockWait
	if plain {
		q.changed = s.Node
	}
	planned, err := q.query(s.Node, nil)
	if err == nil {
		err = planned.complete()
	}
	if err != nil {
		return nil, err
	}
	if b, ok := planned.body.(*block); ok {
		b.changes = plain
	}
	return &Select{Columns: planned.columns, query: planned, reads: *q.reads, version: p.Catalog.Version(), countAll: s.CalcFoundRows}, nil
}

// CatalogVersion is the version of the catalog that the plan is good for.
func (s *Select) CatalogVersion() uint64 { return s.version }

// Open binds the placeholders and starts the SELECT. It reads little or
// nothing before the first Next.
func (s *Select) Open(c *Context) (*Rows, error) { return s.open(c, false) }

func (s *Select) open(c *Context, explain bool) (*Rows, error) {
	if err := c.checkCatalog(s.version); err != nil {
		return nil, err
	}
	r := c.Memory.newRows()
	r.plan = s
	r.x.start(c, s.query.width, explain)
	var err error
	r.rows, err = s.query.body.open(&r.x, queryOptions{countAll: s.countAll})
	if err != nil {
		_ = r.x.run.space.Close() // what a subquery wrote is of no use
		return nil, err
	}
	return r, nil
}

// Rows is the result of a SELECT. It is used by one goroutine at a time.
type Rows struct {
	plan  *Select
	x     exec
	rows  results
	given int64
	block *Block // of which some are given; nil where the rows come one by one
	ended bool
}

// Columns describe the result.
func (r *Rows) Columns() []Column { return r.plan.Columns }

// Next is the next row; io.EOF behind the last. The row and its bytes are
// valid until the next call of Next or Close.
func (r *Rows) Next() ([]value.Value, error) {
	if r.ended {
		return nil, io.EOF
	}
	row, err := r.rows.next()
	if err != nil {
		r.ended = true
		return nil, err
	}
	if row == nil {
		r.ended = true
		return nil, io.EOF
	}
	r.given++
	return row[:len(r.plan.Columns)], nil
}

// FoundRows is FOUND_ROWS() once Next has returned io.EOF: the rows given, or
// with SQL_CALC_FOUND_ROWS those that there are without the LIMIT.
func (r *Rows) FoundRows() int64 {
	if l, ok := r.rows.(*limited); ok && l.countAll {
		return l.skipped + l.given
	}
	if r.block != nil {
		return r.given - int64(r.block.Left())
	}
	return r.given
}

// Close releases what the rows hold; it may be called again.
func (r *Rows) Close() error {
	r.ended = true
	return firstError(r.rows.close(), r.x.run.space.Close())
}
