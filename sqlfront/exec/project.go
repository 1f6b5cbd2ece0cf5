package exec

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/explain"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// projection computes the values of a result from the rows of a frame.
type projection struct {
	nodes []expr.Node
	// columns are the frame's columns of nodes that are plain columns, -1 for
	// the others.
	columns []int
	// first is the frame's column from which all nodes are in order, else -1.
	first int
	// cells are the places of the columns where all are the cell's, and the
	// source is an Access; else nil.
	cells []Place
	// asks says that some node has a subquery.
	asks bool
	// late is what is evaluated when the row is given; its nodes are NULL.
	late []lateItem
}

func NewProjection(nodes []expr.Node) projection {
	p := projection{columns: make([]int, len(nodes)), first: -1, asks: slices.ContainsFunc(nodes, hasSubquery)}
	p.nodes, p.late = withoutLate(nodes)
	side := len(nodes) > 0
	for i, n := range nodes {
		p.columns[i] = -1
		if c, ok := n.(*expr.Column); ok {
			p.columns[i] = c.Index
		}
		side = side && p.columns[i] >= 0 && p.columns[i] == p.columns[0]+i
	}
	if side {
		p.first = p.columns[0]
	}
	return p
}

// FindCells fills in cells.
func (p *projection) FindCells(source Node) {
	a, ok := source.(*Access)
	if !ok {
		return
	}
	at := &a.Columns
	places := map[int]Place{at.K: InRow, at.Q: InQualifier, at.T: InTimestamp, at.V: InValue}
	cells := make([]Place, len(p.columns))
	for i, c := range p.columns {
		if cells[i], ok = places[c]; !ok {
			return
		}
	}
	p.cells = cells
}

// project is a running projection.
type project struct {
	*projection
	child input
	wants int // how many rows the reader takes, as it says to the child
	out   []value.Value
	batch *batchRows // nil where the rows come one by one
}

func (p *projection) start(x *frame, child source) *project {
	r := x.newProject()
	r.projection, r.child.source, r.wants = p, child, 1
	if p.first < 0 {
		r.out = make([]value.Value, len(p.nodes))
	}
	return r
}

// inBatches has the rows evaluated a batch at a time, for those who read all.
func (p *project) inBatches() {
	p.wants, p.batch = manyRows, rowsInBatches(&p.child, p.nodes)
}

// skip passes over the next rows, at most so many, and gives how many: none behind the last.
// Nothing is evaluated of a row that is not given: nor does it warn or fail.
func (p *project) skip(most int64) (int64, error) {
	if p.batch != nil {
		row, err := p.next()
		return oneIf(row != nil), err
	}
	if most > rowsFirst { // 100,000 cells before a page take 10 ms in batches, and 15 one by one
		p.child.readFor(p)
		return p.child.skip(most, manyRows)
	}
	return p.child.skip(most, 1)
}

func oneIf(ok bool) int64 {
	if ok {
		return 1
	}
	return 0
}

func (p *project) next() ([]value.Value, error) {
	if row, err := p.batch.next(); row != nil || err != nil {
		return row, err
	}
	ok, err := p.child.row(p.wants)
	if !ok || err != nil {
		return nil, err
	}
	env := p.child.env()
	if p.first >= 0 {
		return env.Row[p.first : p.first+len(p.columns) : p.first+len(p.columns)], nil
	}
	env.Held.NewRow()
	for i, c := range p.columns {
		if c >= 0 {
			p.out[i] = env.Row[c]
		} else if p.out[i], err = p.nodes[i].Eval(env); err != nil {
			return nil, err
		}
	}
	return p.out, nil
}

// allInBatches has rows be made of batches for a reader of all of them.
func allInBatches(r results) {
	switch r := r.(type) {
	case *project:
		r.inBatches()
	case *distinct:
		r.all = true
	case *unionDistinct:
		allInBatches(r.results)
	case *timedResults:
		allInBatches(r.results)
	}
}

// keepFirst has rows that are certainly not among the first ones left out, where they are
// made of batches.
func keepFirst(r results, first *spill.First) {
	if t, is := r.(*timedResults); is {
		r = t.results
	}
	if p, is := r.(*project); is && p.batch != nil {
		p.batch.first = first
	}
}

func (p *project) close() error { return p.child.close() }

func (p *project) step() *explain.Step { return p.child.step() }
