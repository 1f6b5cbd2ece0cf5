package pivot

import (
	"bytes"

	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// batches makes batches of the pivot's rows from the rows of the store. The last of these stays
// open, because its other cells may be in the next batch.
type batches struct {
	out *kernel.Batch
	own []value.Vector // the columns of out: K, and those of the aggregates
}

// AsksRows makes the store return whole rows.
func (p *Pivot) AsksRows(kernel.Schema) [][]byte {
	if !p.scan.GivesRows() {
		return nil
	}
	return p.shape.names
}

// takeBatch makes rows of the entries in the scan's batch.
func (p *Pivot) takeBatch() *kernel.Batch {
	cells := p.scan.Cells
	rows := cells.Rows()
	b := p.batchOf()
	b.out.Start(0)
	from, last := 0, len(rows)-1
	if p.started && bytes.Equal(rows[0], p.open.key) {
		p.addEntry(0)
		if from = 1; last == 0 {
			return b.out
		}
	}
	before := 0
	if p.started {
		before = 1
		p.give()
	}
	b.start(before + last - from)
	if before == 1 {
		p.placeGiven()
	}
	for i := range b.own {
		p.fill(i, before, from, last)
	}
	p.begin(rows[last])
	p.addEntry(last)
	return b.out
}

// batchOf prepares the batch that is returned.
func (p *Pivot) batchOf() *batches {
	b := &p.batches
	if b.out != nil {
		return b
	}
	schema := kernel.Schema{{Index: p.shape.key, Kind: value.Bytes}}
	for i := range p.shape.parts {
		part := &p.shape.parts[i]
		kind := value.Bytes
		if part.column == p.scan.Access.Columns.T {
			kind = value.Int
		}
		schema = append(schema, kernel.Field{Index: part.slot, Kind: kind})
	}
	b.out, b.own = kernel.NewBatch(schema, nil), make([]value.Vector, len(schema))
	return b
}

// start makes room for rows.
func (b *batches) start(rows int) {
	b.out.Start(rows)
	for at, f := range b.out.Schema() {
		b.own[at].Start(f.Kind, rows)
		b.out.Share(at, &b.own[at])
	}
}

// placeGiven makes the row in the frame the first one of the batch.
func (p *Pivot) placeGiven() {
	for at, f := range p.batches.out.Schema() {
		p.batches.own[at].Set(0, p.out.Row[f.Index])
	}
}

// fill makes a column of the entries from..last-1, from place on.
func (p *Pivot) fill(at, place, from, last int) {
	v, cells := &p.batches.own[at], p.scan.Cells
	if at == 0 {
		copy(v.Bytes[place:], cells.Rows()[from:last])
		return
	}
	class := p.shape.parts[at-1].class
	if v.Kind == value.Bytes {
		copy(v.Bytes[place:], cells.Column(class)[from:last])
		return
	}
	nulls := v.Nullable()
	for i := place; i < len(nulls); i++ {
		nulls[i] = true
	}
	timestamps := cells.ColumnTimestamps(class)
	for _, entry := range cells.EntriesOf(class) {
		if i := int(entry); from <= i && i < last {
			nulls[place+i-from], v.Ints[place+i-from] = false, timestamps[i]
		}
	}
}

// addEntry adds the cells of an entry to the open row.
func (p *Pivot) addEntry(entry int) {
	cells, at := p.scan.Cells, &p.scan.Access.Columns
	for i := range p.shape.parts {
		part := &p.shape.parts[i]
		of := cells.EntriesOf(part.class)
		if entry == 0 && (len(of) == 0 || of[0] != 0) || entry > 0 && (len(of) == 0 || of[len(of)-1] != int32(entry)) {
			continue
		}
		if part.column == at.T {
			p.open.set(i, value.NewInt(cells.ColumnTimestamps(part.class)[entry]))
		} else if v := cells.Column(part.class)[entry]; v != nil {
			p.open.set(i, value.NewBytes(v))
		}
	}
}
