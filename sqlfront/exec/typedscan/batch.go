package typedscan

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/mayfail"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// batches makes batches of the store's rows. The last of these stays open, because its other cells may be in
// the next batch.
type batches struct {
	out   *kernel.Batch
	own   []value.Vector // the columns of out: those of the key, and those in cells
	cells [][]byte       // of one entry
	has   [][]bool       // which entries have cells, for columns where absence matters
	// refused are the rows of a batch that must be returned one by one.
	refused refused
}

// refused are rows that are returned one by one: the complete one, followed by entries of the scan's batch.
type refused struct {
	complete bool
	at, end  int
}

// AsksRows makes the store return whole rows.
func (r *Rows) AsksRows(kernel.Schema) [][]byte {
	if !r.scan.GivesRows() || len(r.names) > kv.MaxColumns || slices.ContainsFunc(r.conditions, mayfail.Condition) ||
		len(r.virtual) > 0 || r.moments {
		return nil
	}
	return r.names
}

// takeBatch makes rows of the entries in the scan's batch; it returns nil if there are none yet.
func (r *Rows) takeBatch() (*kernel.Batch, error) {
	rows := r.scan.Cells.Rows()
	if err := r.x.Ticks(len(rows)); err != nil {
		return nil, err
	}
	from, last := 0, len(rows)-1
	if r.started && bytes.Equal(rows[0], r.open.key) {
		r.addEntry(0)
		if from = 1; last == 0 {
			return nil, nil
		}
	}
	complete := r.started
	if complete {
		r.turn()
	}
	out, err := r.makeBatch(complete, from, last)
	r.begin(rows[last])
	r.addEntry(last)
	return out, err
}

// makeBatch makes a batch of the complete row, if complete is set, and of entries; it returns nil if no rows
// remain, or they must be returned one by one.
func (r *Rows) makeBatch(complete bool, from, end int) (*kernel.Batch, error) {
	b := r.batchOf()
	before := 0
	if complete {
		before = 1
	}
	b.start(before + end - from)
	b.out.Rows = b.out.Rows[:0]
	r.findPresent(from, end)
	ok := true
	for i := range before + end - from {
		cells, key, has := r.complete.cells, r.complete.key, r.complete.has
		entry := from + i - before
		if i >= before {
			cells, key, has = r.entry(entry), r.scan.Cells.Rows()[entry], nil
		}
		there, err := r.exists(cells, key)
		if err != nil {
			return nil, err
		}
		if !there {
			continue
		}
		b.out.Rows = append(b.out.Rows, int32(i))
		if ok = r.fill(i, entry-from, cells, has); !ok {
			break
		}
	}
	switch {
	case !ok:
		b.refused = refused{complete, from, end}
		return nil, nil
	case len(b.out.Rows) == 0:
		return nil, nil
	}
	r.hideCells()
	r.given += int64(len(b.out.Rows))
	return b.out, nil
}

// batchOf prepares the batch that is returned.
func (r *Rows) batchOf() *batches {
	b := &r.batches
	if b.out != nil {
		return b
	}
	var schema kernel.Schema
	for _, at := range r.keys {
		schema = append(schema, r.field(at))
	}
	for i := range r.Table.cells {
		schema = append(schema, r.field(r.Table.cells[i].place))
	}
	b.out, b.own = kernel.NewBatch(schema, nil), make([]value.Vector, len(schema))
	b.cells, b.has = make([][]byte, len(r.classes)), make([][]bool, len(r.Table.cells))
	return b
}

// field returns a column of batches.
func (r *Rows) field(at int) kernel.Field {
	return kernel.Field{Index: r.First + at, Kind: r.Face.Columns[at].VectorKind()}
}

// start makes room for rows.
func (b *batches) start(rows int) {
	b.out.Start(rows)
	for at, f := range b.out.Schema() {
		b.own[at].Start(f.Kind, rows)
		b.out.Share(at, &b.own[at])
	}
}

// findPresent finds which of some entries have cells, for columns where absence matters.
func (r *Rows) findPresent(from, end int) {
	for i := range r.Table.cells {
		c := &r.Table.cells[i]
		if !c.absent {
			continue
		}
		has := append(r.batches.has[i][:0], make([]bool, end-from)...)
		for _, entry := range r.scan.Cells.EntriesOf(c.class) {
			if at := int(entry); from <= at && at < end {
				has[at-from] = true
			}
		}
		r.batches.has[i] = has
	}
}

// entry returns the cells of an entry, by class.
func (r *Rows) entry(entry int) [][]byte {
	for i := range r.batches.cells {
		r.batches.cells[i] = r.scan.Cells.Column(i)[entry]
	}
	return r.batches.cells
}

// fill sets a row of the batch to the key in tuple and to cells. has says which exist; if it is nil, those of
// the entry do. It returns false if a cell must be read with a warning.
func (r *Rows) fill(row, entry int, cells [][]byte, has []bool) bool {
	env, own := &r.x.Env, r.batches.own
	for i, at := range r.keys {
		if !own[i].Set(int32(row), r.Face.Shown(env, at, r.tuple[r.Face.KeyPart(at)])) {
			return false
		}
	}
	for i := range r.Table.cells {
		c, v := &r.Table.cells[i], &own[len(r.keys)+i]
		b := cells[c.class]
		if c.absent && b == nil && !(has != nil && has[c.class] || has == nil && r.batches.has[i][entry]) {
			b = r.Face.Columns[c.place].Absent
		}
		if b == nil {
			v.SetNull(int32(row))
			continue
		}
		x, ok := r.Face.CellShown(env, c.place, b)
		if !ok || !v.Set(int32(row), x) {
			return false
		}
	}
	return true
}

// addEntry adds the cells of an entry to the open row.
func (r *Rows) addEntry(entry int) {
	cells := r.scan.Cells
	for class := range r.classes {
		of := cells.EntriesOf(class)
		if entry == 0 && (len(of) == 0 || of[0] != 0) || entry > 0 && (len(of) == 0 || of[len(of)-1] != int32(entry)) {
			continue
		}
		v := value.Value{}
		if b := cells.Column(class)[entry]; b != nil {
			v = value.NewBytes(b)
		}
		r.add(class, v)
	}
}

// nextRefused copies the next row of those that are returned one by one into the frame, and reports whether
// there is one.
func (r *Rows) nextRefused() (bool, error) {
	f := &r.batches.refused
	if f.complete {
		f.complete = false
		if ok, err := r.placeComplete(); ok || err != nil {
			return ok, err
		}
	}
	for f.at < f.end {
		of := row{key: r.scan.Cells.Rows()[f.at], cells: r.entry(f.at), has: make([]bool, len(r.classes))}
		for class := range of.has {
			_, of.has[class] = slices.BinarySearch(r.scan.Cells.EntriesOf(class), int32(f.at))
		}
		f.at++
		if ok, err := r.place(&of); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}
