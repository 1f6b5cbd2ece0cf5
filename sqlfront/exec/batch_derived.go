package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// derivedBatches are the batches of a derived table whose query only projects, or of such
// a part of a union.
type derivedBatches struct {
	scan    *derivedScan
	project *project
	kernels []kernel.Kernel // nil before the first vectors
	out     *kernel.Batch
	left    []bool // the columns that nobody reads, once that is known
	// union, where it is not nil, has the types that the columns are to be of, which those
	// in own are made of.
	union *Union
	own   []value.Vector
}

// begin prepares to give batches, where the query only projects, or puts the rows of such
// ones together.
func (s *derivedScan) begin() {
	s.begun = true
	switch r := s.rows.(type) {
	case *project:
		s.batch = s.batchesOf(r, nil)
	case *unionPart:
		s.batch = s.batchesOf(r.project, r.union)
	case *unionRows:
		s.union = &unionBatches{unionRows: r, scan: s, part: -1}
	}
}

// batchesOf makes batches of a projection.
func (s *derivedScan) batchesOf(p *project, u *Union) *derivedBatches {
	d := &derivedBatches{scan: s, project: p, union: u}
	p.wants = manyRows
	p.child.readFor(d)
	return d
}

// compile makes kernels, or reports false where the projection is for rows.
func (d *derivedBatches) compile(schema kernel.Schema) (ok bool) {
	if d.kernels != nil {
		return true
	}
	d.kernels, ok = d.project.child.compiler(schema).CompileAll(d.project.nodes[:len(d.scan.Query.Types)])
	if !ok {
		d.kernels, d.project.child.rowwise = nil, true
		return false
	}
	out := d.schema()
	d.out, d.own = kernel.NewBatch(out, nil), make([]value.Vector, len(out))
	return true
}

// schema is the columns of what the kernels give, or of the union.
func (d *derivedBatches) schema() (out kernel.Schema) {
	for i, k := range d.kernels {
		kind := k.Kind()
		if d.union != nil {
			kind = vectorKind(d.union.Types[i].Kind)
		}
		out = append(out, kernel.Field{Index: d.scan.First + i, Kind: kind})
	}
	return out
}

// ColumnsRead are those of the query below: of its columns that are plain ones, only
// those that are read above; all else may warn, and is evaluated.
func (d *derivedBatches) ColumnsRead() (c kernel.Columns) {
	for i, n := range d.project.nodes {
		if !d.spares(i) {
			c = c.Reading(n)
		}
	}
	return c
}

// spares reports whether a column is a plain one that nobody reads.
func (d *derivedBatches) spares(i int) bool {
	above := d.scan.above
	if above == nil || i >= len(d.scan.Query.Types) {
		return false
	}
	_, plain := d.project.nodes[i].(*expr.Column)
	return plain && !above.ColumnsRead().Has(d.scan.First+i)
}

func (s *derivedScan) readFor(r kernel.Reader) { s.above = r }

// nextBatch is the next batch, nil where the next row is to be taken.
func (s *derivedScan) nextBatch() (b *kernel.Batch, err error) {
	if !s.begun {
		s.begin()
	}
	switch {
	case s.union != nil:
		b, err = s.union.next()
	case s.batch != nil:
		b, err = s.batch.next()
	}
	if b != nil {
		s.given += int64(len(b.Rows))
	}
	return b, err
}

func (d *derivedBatches) next() (*kernel.Batch, error) {
	in := &d.project.child
	b, err := in.vectors(manyRows)
	if b == nil || err != nil {
		return nil, err
	}
	if !d.compile(b.Schema()) || !d.take(b) {
		in.putBack(b)
		return nil, nil
	}
	d.out.Rows = append(d.out.Rows[:0], b.Rows...)
	return d.out, nil
}

// take makes the values of the kernels columns, or reports false where they are to be made one by
// one.
func (d *derivedBatches) take(b *kernel.Batch) bool {
	d.leaveOut()
	d.out.Start(b.N)
	for at := range d.kernels {
		if !d.takeColumn(at, b) {
			return false
		}
	}
	return true
}

// leaveOut leaves out what nobody reads.
func (d *derivedBatches) leaveOut() {
	for at := len(d.left); at < len(d.kernels); at++ {
		d.left = append(d.left, d.spares(at))
		if d.left[at] {
			d.out.LeaveOut(at)
		}
	}
}

// takeColumn makes the values of a kernel a column, of the type that a union gives it.
func (d *derivedBatches) takeColumn(at int, b *kernel.Batch) bool {
	k, kind := d.kernels[at], d.out.Schema()[at].Kind
	if d.union == nil || d.left[at] || kind != value.Null && k.Kind() == kind {
		return d.out.Take(at, k, b)
	}
	from, ok := k.Eval(b, b.Rows)
	if !ok {
		return false
	}
	to := &d.own[at]
	to.Start(kind, b.N)
	for _, i := range b.Rows {
		if !to.Set(i, convertTo(&d.union.Types[at], from.At(i))) {
			return false
		}
	}
	d.out.Share(at, to)
	return true
}

// unionBatches are the batches of the parts of a UNION ALL, one after the other. The rows
// of a part that gives none come one by one.
type unionBatches struct {
	*unionRows
	scan *derivedScan
	part int             // that of, which is begun
	of   *derivedBatches // nil where the rows come one by one
}

// next is nil where next of the rows has to be called: at the end of a part, too.
func (u *unionBatches) next() (*kernel.Batch, error) {
	if u.rows == nil {
		if u.unionRows.part == u.end {
			return nil, nil
		}
		if err := u.openPart(); err != nil {
			return nil, err
		}
	}
	if u.part != u.unionRows.part {
		u.begin()
	}
	if u.of == nil {
		return nil, nil
	}
	return u.of.next()
}

// begin makes batches of the present part.
func (u *unionBatches) begin() {
	u.part, u.of = u.unionRows.part, nil
	if p, ok := u.rows.(*project); ok {
		u.of = u.scan.batchesOf(p, u.Union)
	}
}
