package exec

import (
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// groupBatches are groups that are all read, as columns, for those who read them in
// batches. A batch in which some value is not of its column's kind comes as rows.
type groupBatches struct {
	out  *kernel.Batch
	own  []value.Vector
	rows []value.Value // of the batch, side by side
	n    int           // how many rows
	left int           // rows still to be given one by one, the last ones
}

// batches makes groups that are read in batches give batches, too: groups of a pivot by a
// hash, of 300,000 cells, take 147 ms of processor time so, and 166 where the pivot's rows
// come one by one (benchmark Reports, unionpivot).
func (h *hashGroups) batches() kernel.Schema {
	h.startBatches()
	if h.batch == nil {
		return nil
	}
	if h.columns == nil {
		schema := h.Aggregate.schema(h.batch.reader.schema, h.batch.keys,
			func(i int) value.Kind { return h.batch.parts[i].ResultKind() })
		h.columns = &groupBatches{out: kernel.NewBatch(schema, nil), own: make([]value.Vector, len(schema))}
	}
	return h.columns.out.Schema()
}

// schema is the columns of groups: what is captured, keys, and results.
func (n *Aggregate) schema(in kernel.Schema, keys []kernel.Kernel, kindOf func(i int) value.Kind) (out kernel.Schema) {
	for _, index := range n.Captured {
		out = append(out, kernel.Field{Index: index, Kind: in.KindOf(index)})
	}
	for i, k := range n.Keys {
		if k.Slot >= 0 {
			out = append(out, kernel.Field{Index: k.Slot, Kind: keys[i].Kind()})
		}
	}
	for i, a := range n.Aggs {
		out = append(out, kernel.Field{Index: a.Slot, Kind: kindOf(i)})
	}
	return out
}

// nextBatch gives the groups in memory.
func (h *hashGroups) nextBatch() (*kernel.Batch, error) {
	if err := h.prepare(); err != nil {
		return nil, err
	}
	return h.columns.read(h.out.Row, min(len(h.all)-h.given, h.x.c.batchSize()), h.nextGroup)
}

// nextBatch gives the groups of all parts.
func (p *parallelGroups) nextBatch() (*kernel.Batch, error) {
	if err := p.prepare(); err != nil {
		return nil, err
	}
	h := p.serial.(*hashGroups)
	switch {
	case p.fellBack:
		return h.nextBatch()
	case p.late != nil:
		return nil, nil
	}
	return h.columns.read(p.g.out.Row, min(len(p.groups)-p.given, h.x.c.batchSize()), p.nextGroup)
}

// batches are those of the groups that one goroutine makes.
func (p *parallelGroups) batches() kernel.Schema {
	if h, ok := p.serial.(*hashGroups); ok {
		return h.batches()
	}
	return nil
}

// read makes a batch of n groups, which next puts into the frame one by one.
func (b *groupBatches) read(frame []value.Value, n int, next func() error) (*kernel.Batch, error) {
	if b.left > 0 || n == 0 {
		return nil, nil
	}
	schema := b.out.Schema()
	b.rows, b.n = b.rows[:0], n
	for range n {
		if err := next(); err != nil {
			return nil, err
		}
		for _, f := range schema {
			b.rows = append(b.rows, frame[f.Index])
		}
	}
	b.out.Start(n)
	for at, f := range schema {
		if !b.column(at, f.Kind) {
			b.left = n
			return nil, nil
		}
	}
	return b.out, nil
}

// column makes a column of the rows, or reports false.
func (b *groupBatches) column(at int, kind value.Kind) bool {
	v, width := &b.own[at], len(b.own)
	v.Start(kind, b.n)
	for i := range b.n {
		if !v.Set(int32(i), b.rows[i*width+at]) {
			return false
		}
	}
	b.out.Share(at, v)
	return true
}

// next puts the next of the rows that are left into the frame, or reports false. It may be
// asked of nil.
func (b *groupBatches) next(frame []value.Value) bool {
	if b == nil || b.left == 0 {
		return false
	}
	row := b.rows[(b.n-b.left)*len(b.own):]
	for at, f := range b.out.Schema() {
		frame[f.Index] = row[at]
	}
	b.left--
	return true
}
