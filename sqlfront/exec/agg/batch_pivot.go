package agg

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/constrain"
	"github.com/hbasekv/hbasekv/sqlfront/exec/scan"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// A pivot by K, or by what depends on K, or over all rows, such as MAX(CASE WHEN Q = 'x' THEN V
// END), reads only the newest cells of some qualifiers, and the store can return these as whole
// rows.

// pivotRows are the batches of a pivot whose rows come from the store.
type pivotRows struct {
	scan    *scan.Scan      // gives the rows as cells
	byRow   bool            // each row is a group
	names   [][]byte        // of the classes
	classes []*kernel.Batch // the rows with cells of each class, for evaluating arguments
	order   []int           // the classes in the order of their qualifiers
	other   []byte          // a qualifier of no class
	cells   *kernel.Batch   // the rows as cells
	parts   []value.Vector  // the columns of cells: K, Q, T, and V if it is read
	taken   []int           // how many cells of each class have been added
}

// asksRows makes the store return whole rows if the aggregation is a pivot.
func (b *aggregateBatches) asksRows(n *Aggregate, read kernel.Columns) {
	scan, ok := scan.Of(b.in.Operator)
	if !ok || !scan.GivesRows() || len(b.classes.Rows) > kv.MaxColumns {
		return
	}
	at := &scan.Access.Columns
	if column := b.classes.Column(); column == nil || column.Index != at.Q || !n.dependsOn(at.K) {
		return
	}
	for i := range b.parts {
		if !isOfClass(&b.parts[i], at) {
			return
		}
	}
	b.pivot = newPivot(scan, b.classes.Names(), read.Has(at.V))
	b.pivot.byRow = n.isBy(at.K)
}

func newPivot(scan *scan.Scan, names [][]byte, values bool) *pivotRows {
	at := &scan.Access.Columns
	schema := kernel.Schema{{Index: at.K, Kind: value.Bytes}, {Index: at.Q, Kind: value.Bytes},
		{Index: at.T, Kind: value.Int}}
	if values {
		schema = append(schema, kernel.Field{Index: at.V, Kind: value.Bytes})
	}
	p := &pivotRows{scan: scan, names: names, taken: make([]int, len(names)),
		cells: kernel.NewBatch(schema, nil), parts: make([]value.Vector, len(schema))}
	of := scan.BatchSchema()
	for class := range p.names {
		p.order = append(p.order, class)
		p.classes = append(p.classes, kernel.NewBatch(of, func(i int, v *value.Vector) { p.fill(class, at, of[i], v) }))
	}
	p.other = append(bytes.Clone(slices.MaxFunc(p.names, bytes.Compare)), 0)
	slices.SortFunc(p.order, func(a, b int) int { return bytes.Compare(p.names[a], p.names[b]) })
	if scan.StoreScan.Reverse {
		slices.Reverse(p.order)
	}
	return p
}

// rowQualifiers returns the qualifiers of the whole rows to read, nil for cells.
func (b *aggregateBatches) rowQualifiers() [][]byte {
	if b.pivot == nil {
		return nil
	}
	return b.pivot.names
}

// dependsOn reports whether the groups depend only on a column, and keep no other.
func (n *Aggregate) dependsOn(column int) bool {
	other := func(i int) bool { return i != column }
	reads := func(key expr.Node) bool { return expr.Reads(key, other) }
	return !slices.ContainsFunc(n.Captured, other) && !slices.ContainsFunc(n.of().keys, reads)
}

// isBy reports whether the groups are by a column.
func (n *Aggregate) isBy(column int) bool {
	if len(n.Keys) != 1 {
		return false
	}
	key, plain := n.Keys[0].Node.(*expr.Column)
	return plain && key.Index == column
}

// isOfClass reports whether an aggregate reads only K, T and V of the cells of its class.
func isOfClass(p *kernel.Part, at *constrain.Columns) bool {
	return p.Class != kernel.NoClass &&
		expr.OnlyColumns(p.Then, func(i int) bool { return i == at.K || i == at.T || i == at.V })
}

// start begins a batch of n rows.
func (p *pivotRows) start(n int) {
	for _, class := range p.classes {
		class.Start(n)
	}
}

// fill makes a column of the cells of a class.
func (p *pivotRows) fill(class int, at *constrain.Columns, f kernel.Field, v *value.Vector) {
	v.Kind, v.Nulls = f.Kind, nil
	switch f.Index {
	case at.K:
		v.Bytes = p.scan.Cells.Rows()
	case at.T:
		v.Ints = p.scan.Cells.ColumnTimestamps(class)
	case at.V:
		v.Bytes = p.scan.Cells.Column(class)
	}
}

// cellsOf returns the rows as cells; a row without cells of the classes becomes one cell of another
// qualifier.
func (p *pivotRows) cellsOf() *kernel.Batch {
	for i, f := range p.cells.Schema() {
		p.parts[i].Start(f.Kind, 0)
	}
	clear(p.taken)
	for entry := range p.scan.Cells.Len() {
		if !p.addCells(int32(entry)) {
			p.add(p.scan.Cells.Rows()[entry], p.other, 0, nil)
		}
	}
	p.cells.Start(len(p.parts[0].Bytes))
	for i := range p.parts {
		p.cells.Share(i, &p.parts[i])
	}
	return p.cells
}

// addCells adds the cells of an entry, and reports whether there are any.
func (p *pivotRows) addCells(entry int32) (any bool) {
	for _, class := range p.order {
		left := p.scan.Cells.EntriesOf(class)[p.taken[class]:]
		if len(left) == 0 || left[0] != entry {
			continue
		}
		p.taken[class]++
		any = true
		var v []byte
		if len(p.parts) > 3 {
			v = p.scan.Cells.Column(class)[entry]
		}
		p.add(p.scan.Cells.Rows()[entry], p.names[class], p.scan.Cells.ColumnTimestamps(class)[entry], v)
	}
	return any
}

func (p *pivotRows) add(k, q []byte, t int64, v []byte) {
	p.parts[0].Bytes = append(p.parts[0].Bytes, k)
	p.parts[1].Bytes = append(p.parts[1].Bytes, q)
	p.parts[2].Ints = append(p.parts[2].Ints, t)
	if len(p.parts) > 3 {
		p.parts[3].Bytes = append(p.parts[3].Bytes, v)
	}
}
