package exec

import (
	"slices"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/kernel"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// A pivot of V by K, MAX(CASE WHEN Q = 'x' THEN V END) and the like, needs no more of the
// newest cells of a table than rows with the values of some qualifiers, and these the store
// gives. As nothing is computed of the cells, nothing can fail or warn.

// asksRows has the store give whole rows, where the groups are a pivot.
func (b *streamBatches) asksRows(s *streamGroups) bool {
	scan, ok := scanOf(b.reader.source)
	if !ok || !scan.givesRows() || !s.Aggregate.isByRow(scan.access) || len(b.classes.rows) > kv.MaxColumns {
		return false
	}
	at := &scan.access.Columns
	if b.classes.column == nil || b.classes.column.Index != at.Q || slices.ContainsFunc(b.parts, func(p streamPart) bool { return !p.takesOneValue(at.V) }) {
		return false
	}
	columns := make([][]byte, len(b.classes.rows))
	for name, class := range b.classes.byName {
		columns[class] = []byte(name)
	}
	scan.batch.columns = columns
	return true
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

// takesOneValue reports whether an aggregate is the value of the only cell of its class,
// or says whether there is one.
func (p *streamPart) takesOneValue(v int) bool {
	if p.class < 0 || extremeOf(p.agg) == 0 && (p.agg.Name != "COUNT" || p.agg.Distinct) {
		return false
	}
	column, plain := p.agg.Args[0].(*expr.Case).Whens[0].Then.(*expr.Column)
	return plain && column.Index == v
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
func (b *streamBatches) evalRows(in *kernel.Batch) {
	b.keyVectors = append(b.keyVectors[:0], in.Column(0))
	b.first = append(b.first[:0], in.Rows...)
	b.run = append(b.run[:0], in.Rows...)
	for i := range b.parts {
		p := &b.parts[i]
		p.rows, p.vectors = in.Rows, append(p.vectors[:0], in.Column(1+p.class))
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
