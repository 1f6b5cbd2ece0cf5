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
	reader  *batchReader
	project *project
	kernels []kernel.Kernel
	out     *kernel.Batch
	left    []bool // the columns that nobody reads, once that is known
	// union, where it is not nil, has the types that the columns are to be of, which those
	// in own are made of.
	union *Union
	own   []value.Vector
}

// batches makes a derived table give batches, where its query only projects, or puts the
// rows of such ones together.
func (s *derivedScan) batches() kernel.Schema {
	switch r := s.rows.(type) {
	case *project:
		if d := s.batchesOf(r); d != nil {
			s.batch = d
			return d.start(d.schema())
		}
	case *unionPart:
		if d := s.batchesOf(r.project); d != nil {
			s.batch, d.union = d, r.union
			return d.start(s.columnsOf(r.union))
		}
	case *unionRows:
		s.union = &unionBatches{unionRows: r, scan: s, part: -1, columns: s.columnsOf(r.Union)}
		return s.union.columns
	}
	return nil
}

// batchesOf makes batches of a projection, nil where there are none.
func (s *derivedScan) batchesOf(p *project) *derivedBatches {
	r := readBatches(p.child)
	if r == nil {
		return nil
	}
	kernels, ok := r.compiler().CompileAll(p.nodes[:len(s.Query.Types)])
	if !ok {
		return nil
	}
	d := &derivedBatches{scan: s, reader: r, project: p, kernels: kernels}
	p.child = r
	r.readFor(d)
	return d
}

// schema is the columns of what the kernels give.
func (d *derivedBatches) schema() (out kernel.Schema) {
	for i, k := range d.kernels {
		out = append(out, kernel.Field{Index: d.scan.First + i, Kind: k.Kind()})
	}
	return out
}

// start makes the batch that is given.
func (d *derivedBatches) start(schema kernel.Schema) kernel.Schema {
	d.out, d.own = kernel.NewBatch(schema, nil), make([]value.Vector, len(schema))
	return schema
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
	if above == nil || i >= len(d.kernels) {
		return false
	}
	_, plain := d.project.nodes[i].(*expr.Column)
	return plain && !above.ColumnsRead().Has(d.scan.First+i)
}

func (s *derivedScan) readFor(r kernel.Reader) { s.above = r }

func (s *derivedScan) nextBatch() (b *kernel.Batch, err error) {
	if s.union != nil {
		b, err = s.union.next()
	} else {
		b, err = s.batch.next()
	}
	if b != nil {
		s.given += int64(len(b.Rows))
	}
	return b, err
}

func (d *derivedBatches) next() (*kernel.Batch, error) {
	b, err := d.reader.nextBatch()
	if b == nil || err != nil {
		return nil, err
	}
	d.leaveOut()
	d.out.Start(b.N)
	for at := range d.kernels {
		if !d.take(at, b) {
			d.reader.putBack(b)
			return nil, nil
		}
	}
	d.out.Rows = append(d.out.Rows[:0], b.Rows...)
	return d.out, nil
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

// take makes the values of a kernel a column, of the type that a union gives it.
func (d *derivedBatches) take(at int, b *kernel.Batch) bool {
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
	scan    *derivedScan
	part    int             // that of, which is begun
	of      *derivedBatches // nil where the rows come one by one
	columns kernel.Schema
}

// columnsOf are the columns of a union.
func (s *derivedScan) columnsOf(u *Union) (out kernel.Schema) {
	for i := range u.Types {
		out = append(out, kernel.Field{Index: s.First + i, Kind: vectorKind(u.Types[i].Kind)})
	}
	return out
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
	p, ok := u.rows.(*project)
	if !ok {
		return
	}
	if u.of = u.scan.batchesOf(p); u.of != nil {
		u.of.union = u.Union
		u.of.start(u.columns)
	}
}
