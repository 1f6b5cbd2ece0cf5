package lookup

import (
	"bytes"
	"errors"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec/op"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

const (
	// mostHeads is the maximum number of values of a first column under each of which entries are looked for.
	mostHeads = 1000
	// headCells is about how many cells of a scan cost as much as finding such a value, and the entries under it.
	headCells = cellsPerValue
)

// skipped adds the spans of ways whose conditions are on later columns of their indexes: a span for each value
// of the first column, if these are few. It returns the condition if one of them has few rows.
func (f *finding) skipped() (expr.Node, error) {
	if f.x.Context.Estimator == nil {
		return nil, nil
	}
	for i := range f.Ways {
		if w := &f.Ways[i]; w.Asks || w.ReadsFirst() {
			continue
		}
		s, err := f.under(&f.Ways[i])
		if err != nil {
			return nil, err
		}
		if s != nil {
			f.spans = append(f.spans, *s)
		}
	}
	return f.fewOf(f.spans)
}

// ReadsFirst reports whether the condition reads the first column of the index.
func (w *Way) ReadsFirst() bool { return readsFirst(w.Where) }

func readsFirst(where expr.Node) (reads bool) {
	expr.Walk(where, func(n expr.Node) bool {
		p, ok := n.(*typed.Part)
		reads = reads || ok && p.Part == 0
		return !reads
	})
	return reads
}

// under returns the span of a way under each value of its first column, nil if they are too many, or the
// conditions do not lead to entries under one.
func (f *finding) under(w *Way) (*span, error) {
	first := w.Key.PartOf(&expr.Column{Name: "K"}, 0)
	s, err := w.spanOf(expr.Conjoin([]expr.Node{&expr.IsNull{X: first}, w.bound(f.x)}), f.x)
	if err != nil || s.Contradiction || !narrow(s.Ranges) {
		return nil, err
	}
	few, err := f.fewHeads(w)
	if !few || err != nil {
		return nil, err
	}
	heads, all, err := w.heads(f.x)
	if !all || err != nil {
		return nil, err
	}
	c := *s.Constraint
	c.Ranges = nil
	for _, head := range heads {
		c.Ranges = append(c.Ranges, w.rebased(s.Ranges, head)...)
	}
	return &span{Way: w, Constraint: &c, skips: true}, nil
}

// nullHead are the bytes with which entries begin whose first column is NULL, and afterNull is behind these.
var nullHead, afterNull = []byte{0}, []byte{1}

// narrow reports whether spans of entries with a first column that is NULL are only a part of these.
func narrow(ranges []kv.Range) bool {
	for _, r := range ranges {
		if bytes.Equal(r.Start.Row, nullHead) && bytes.Equal(r.End.Row, afterNull) || !bytes.HasPrefix(r.Start.Row, nullHead) || r.End.Row == nil {
			return false
		}
	}
	return len(ranges) > 0
}

// rebased returns spans of entries with a first column that is NULL as those of entries with another one.
func (w *Way) rebased(ranges []kv.Range, head []byte) []kv.Range {
	out := make([]kv.Range, len(ranges))
	for i, r := range ranges {
		r.Start.Row = append(bytes.Clone(head), r.Start.Row[len(nullHead):]...)
		if bytes.HasPrefix(r.End.Row, nullHead) {
			r.End.Row = append(bytes.Clone(head), r.End.Row[len(nullHead):]...)
		} else {
			r.End.Row = w.Key.Behind(head)
		}
		out[i] = r
	}
	return out
}

// fewHeads estimates whether the first column of an index has so few values that looking under each costs less
// than a scan of the table.
func (f *finding) fewHeads(w *Way) (bool, error) {
	of, err := f.table()
	if err != nil {
		return false, err
	}
	tuple := make([]value.Value, 1)
	heads := kv.EstimateOptions{Cells: 4 * few, Name: "first column", Keys: []func([]byte, *kv.Cell, []byte) ([]byte, bool){
		func(to []byte, c *kv.Cell, _ []byte) ([]byte, bool) {
			head, ok := w.Key.ReadFirst(c.Row, tuple)
			return append(to, head...), ok
		}}}
	e, err := f.x.Context.Estimator.Estimate(f.x.Context.Ctx, []*kv.Table{w.Entries}, &kv.Scan{MaxVersions: 1}, heads)
	return err == nil && e.Distinct[0] <= mostHeads && e.Distinct[0]*headCells < of.Stored, err
}

// heads returns the bytes with which entries begin, by their first column; all is false if these are too many.
func (w *Way) heads(x *op.Frame) (out [][]byte, all bool, err error) {
	e := entries{x: x, of: w, scan: kv.Scan{MaxVersions: 1, Ordered: true}}
	if err := e.open(); err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	skipper, ok := e.cursor.(kv.Skipper)
	for seen := 0; ok && e.cursor.Next(); seen++ {
		row := e.cursor.Cell().Row
		if n := len(out); n > 0 && bytes.HasPrefix(row, out[n-1]) {
			skipper.SkipTo(w.Key.Behind(out[n-1]))
			continue
		}
		head, known := w.Key.ReadFirst(row, e.tuple[:1])
		if !known || len(out) == mostHeads || seen > 64*mostHeads {
			return nil, false, nil
		}
		out = append(out, bytes.Clone(head))
	}
	return out, ok, e.cursor.Err()
}
