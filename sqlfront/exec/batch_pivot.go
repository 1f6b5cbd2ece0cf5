package exec

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// A pivot of V by K, MAX(CASE WHEN Q = 'x' THEN V END) and the like, needs no more of the
// newest cells of a table than rows with the values of some qualifiers, and these the store
// gives.

// pivotRows are the batches of a pivot whose rows the store gives.
type pivotRows struct {
	column int             // of V, in the batches that arguments are evaluated over
	values []*kernel.Batch // of each class, its values as the column
	inUse  [][]int32       // the rows of each class that have one
	order  []int           // the classes as their cells come
	names  [][]byte        // of the classes
	cells  *kernel.Batch   // those of the rows
	parts  [3]value.Vector // K, Q and V of them
}

// asksRows has the store give whole rows, where the groups are a pivot.
func (b *streamBatches) asksRows(s *streamGroups) {
	scan, ok := scanOf(b.reader.source)
	if !ok || !scan.givesRows() || !s.Aggregate.isByRow(scan.access) || len(b.classes.rows) > kv.MaxColumns {
		return
	}
	at := &scan.access.Columns
	if b.classes.column == nil || b.classes.column.Index != at.Q {
		return
	}
	rows := b.newPivot(scan)
	for i := range b.parts {
		if !b.parts[i].isOfValue(at.V, rows) {
			return
		}
	}
	b.pivot, scan.batch.columns = rows, rows.names
}

func (b *streamBatches) newPivot(scan *scan) *pivotRows {
	at, n := &scan.access.Columns, len(b.classes.rows)
	out := &pivotRows{names: make([][]byte, n), inUse: make([][]int32, n)}
	for name, class := range b.classes.byName {
		out.names[class] = []byte(name)
	}
	for class := range out.names {
		out.order = append(out.order, class)
		out.values = append(out.values, kernel.NewBatch(b.reader.schema, nil))
	}
	slices.SortFunc(out.order, func(a, b int) int { return bytes.Compare(out.names[a], out.names[b]) })
	if scan.kv.Reverse {
		slices.Reverse(out.order)
	}
	out.column = slices.IndexFunc(b.reader.schema, func(f kernel.Field) bool { return f.Index == at.V })
	out.cells = kernel.NewBatch(kernel.Schema{{Index: at.K, Kind: value.Bytes}, {Index: at.Q, Kind: value.Bytes}, {Index: at.V, Kind: value.Bytes}}, nil)
	return out
}

// givesRows reports whether the scan is of the newest cells of one table, and passes over
// none.
func (s *scan) givesRows() bool {
	return s.view.Versions == 1 && len(s.tables) == 1 && len(s.keys)+len(s.values) == 0 && s.kv.NeedValue
}

// isByRow reports whether the groups are those of K, and keep nothing else.
func (n *Aggregate) isByRow(a *Access) bool {
	if len(n.Keys) != 1 {
		return false
	}
	key, plain := n.Keys[0].Node.(*expr.Column)
	return plain && key.Index == a.Columns.K && !slices.ContainsFunc(n.Captured, func(i int) bool { return i != key.Index })
}

// isOfValue reports whether an aggregate is one of V of the cells of its class, or of what
// is computed of that and is NULL where V is, so that it needs no cell whose V is NULL.
func (p *streamPart) isOfValue(v int, rows *pivotRows) bool {
	if p.class < 0 {
		return false
	}
	then := p.agg.Args[0].(*expr.Case).Whens[0].Then
	if column, plain := then.(*expr.Column); plain && column.Index == v {
		p.plain = extremeOf(p.agg) != 0 || p.agg.Name == "COUNT" && !p.agg.Distinct
		return true
	}
	if !expr.OnlyColumns(then, func(i int) bool { return i == v }) {
		return false
	}
	of := rows.values[p.class]
	of.Start(1)
	of.Share(rows.column, &value.Vector{Kind: value.Bytes, Bytes: make([][]byte, 1)})
	got, ok := p.args[0].Eval(of, of.Rows)
	return ok && got.IsNull(0)
}

// beginRows makes the batch of rows: K, and the columns.
func (b *scanBatches) beginRows(s *scan) {
	schema := kernel.Schema{{Index: s.access.Columns.K, Kind: value.Bytes}}
	for range b.columns {
		schema = append(schema, kernel.Field{Index: kernel.NoIndex, Kind: value.Bytes})
	}
	b.batch = kernel.NewBatch(schema, func(at int, v *value.Vector) {
		if v.Start(value.Bytes, 0); at == 0 {
			v.Bytes = s.cells.Rows()
		} else {
			v.Bytes = s.cells.Column(at - 1)
		}
	})
	s.cells.Reset()
	s.cells.Unread = s.unread(s.columnsRead()) &^ (kv.PartRow | kv.PartQualifier)
	s.cells.AskColumns(b.columns)
}

// evalRows is eval of rows, each of which is a group.
func (b *streamBatches) evalRows(in *kernel.Batch) (ok bool) {
	b.keyVectors = append(b.keyVectors[:0], in.Column(0))
	b.first = append(b.first[:0], in.Rows...)
	b.run = append(b.run[:0], in.Rows...)
	for i := range b.parts {
		p := &b.parts[i]
		if p.plain {
			p.rows, p.vectors = in.Rows, append(p.vectors[:0], in.Column(1+p.class))
			continue
		}
		p.rows = b.pivot.find(p.class, in)
		if p.vectors, ok = evalAll(p.args, b.pivot.values[p.class], p.rows, p.vectors); !ok {
			return false
		}
	}
	return true
}

// find finds the rows that have a value of a class.
func (p *pivotRows) find(class int, in *kernel.Batch) []int32 {
	of, values := p.values[class], in.Column(1+class)
	of.Start(in.N)
	of.Share(p.column, values)
	rows := p.inUse[class][:0]
	for i, v := range values.Bytes {
		if v != nil {
			rows = append(rows, int32(i))
		}
	}
	p.inUse[class] = rows
	return rows
}

// cellsOf are cells that make up the rows: of a row without values, one of no qualifier.
func (p *pivotRows) cellsOf(in *kernel.Batch) *kernel.Batch {
	for i := range p.parts {
		p.parts[i].Start(value.Bytes, 0)
	}
	keys := in.Column(0).Bytes
	for i, key := range keys {
		n := len(p.parts[0].Bytes)
		for _, class := range p.order {
			if v := in.Column(1 + class).Bytes[i]; v != nil {
				p.add(key, p.names[class], v)
			}
		}
		if len(p.parts[0].Bytes) == n {
			p.add(key, nil, nil)
		}
	}
	p.cells.Start(len(p.parts[0].Bytes))
	for i := range p.parts {
		p.cells.Share(i, &p.parts[i])
	}
	return p.cells
}

func (p *pivotRows) add(parts ...[]byte) {
	for i, part := range parts {
		p.parts[i].Bytes = append(p.parts[i].Bytes, part)
	}
}

// take is compute of rows from..last-1, of which each has one value at most.
func (p *streamPart) take(place int, from, last int32) {
	values := p.vectors[0].Bytes[from:last]
	if p.agg.Name != "COUNT" {
		copy(p.column.Bytes[place:], values)
		return
	}
	for i, v := range values {
		p.column.Ints[place+i] = 0
		if v != nil {
			p.column.Ints[place+i] = 1
		}
	}
}
