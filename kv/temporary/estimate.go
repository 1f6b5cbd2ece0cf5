package temporary

import (
	"context"

	"github.com/hbasekv/hbasekv/kv"
)

// Estimator returns the Estimator of a store, extended to tables of sessions.
func Estimator(stored kv.Estimator) kv.Estimator { return estimator{stored} }

type estimator struct{ kv.Estimator }

// fewCells is how many cells are looked at by default.
const fewCells = 256

// Estimate implements kv.Estimator: in memory it reads the first cells of the scan, and assumes
// that the rest is like them.
func (e estimator) Estimate(ctx context.Context, tables []*kv.Table, s *kv.Scan, o kv.EstimateOptions) (kv.Estimate, error) {
	c := own(tables[0])
	if c == nil {
		return e.Estimator.Estimate(ctx, tables, s, o)
	}
	if o.Cells == 0 {
		o.Cells = fewCells
	}
	scan := *s
	scan.At, scan.Budget = nil, nil
	cursor := newCursor(ctx, c.tree.Copy(), &scan)
	l := look{cursor: cursor, options: o, keys: make([]map[string]bool, len(o.Keys))}
	for l.out.Exact = true; cursor.Next(); {
		if err := l.add(); err != nil {
			return kv.Estimate{}, err
		}
		if l.out.Exact = cursor.stats.Cells < int64(o.Cells); !l.out.Exact {
			break
		}
	}
	l.finish(int64(c.tree.Len()))
	return l.out, cursor.err
}

// look counts the cells of a scan.
type look struct {
	cursor  *cursor
	options kv.EstimateOptions
	out     kv.Estimate
	keys    []map[string]bool
	row     []byte
}

func (l *look) add() error {
	cell, value := l.cursor.cell, l.cursor.value
	if !l.cursor.scan.NeedValue {
		value = nil
	}
	if l.out.Cells == 0 || string(l.row) != string(cell.Row) {
		l.row = cell.Row
		l.out.Rows++
	}
	l.out.Cells++
	l.out.Bytes += int64(len(cell.Row) + len(cell.Qualifier) + len(l.cursor.value))
	for i, key := range l.options.Keys {
		if k, ok := key(nil, &cell, value); ok {
			if l.keys[i] == nil {
				l.keys[i] = map[string]bool{}
			}
			l.keys[i][string(k)] = true
		}
	}
	if l.options.Keeps == nil {
		l.out.Kept++
		return nil
	}
	kept, err := l.options.Keeps(&cell, value)
	if kept {
		l.out.Kept++
	}
	return err
}

// finish extrapolates from the cells that were read, to at most all cells.
func (l *look) finish(all int64) {
	l.out.Stored = l.cursor.stats.Cells
	for _, keys := range l.keys {
		l.out.Distinct = append(l.out.Distinct, int64(len(keys)))
	}
	if l.out.Exact {
		return
	}
	seen := max(l.cursor.stats.Cells, 1)
	for _, n := range []*int64{&l.out.Cells, &l.out.Kept, &l.out.Rows, &l.out.Bytes, &l.out.Stored} {
		*n = int64(float64(*n) * float64(all) / float64(seen))
	}
	for i, n := range l.out.Distinct {
		if 2*n > seen { // they continue to be different
			l.out.Distinct[i] = int64(float64(n) * float64(all) / float64(seen))
		}
	}
}
