package grouping

import (
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/spill/rowmem"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Overflow has the rows of groups that do not fit in memory: their place in the order of arrival, the
// values of the grouping expressions, the captured columns, and for each aggregate whether the row
// counts, followed by its arguments. They are partitioned by the hashes of their keys, or sorted by
// the keys.
type Overflow struct {
	shape  *Shape
	rows   *spill.Partitions
	sorted *spill.Sorter // replaces rows if the rows are sorted
	row    []value.Value
}

// NewOverflow returns an empty Overflow whose rows are partitioned.
func NewOverflow(space *spill.Space, s *Shape) *Overflow {
	return &Overflow{shape: s, rows: space.NewPartitions()}
}

// NewSortedOverflow returns an empty Overflow whose rows are sorted by their keys.
func NewSortedOverflow(space *spill.Space, s *Shape) *Overflow {
	return &Overflow{shape: s, sorted: space.NewSorter(rowmem.ByColumns(restKeys, s.Keys))}
}

// restKeys is the column of its rows in which the values of the grouping expressions begin.
const restKeys = 1

// Beside returns an Overflow that adds to the same rows, for another part that the goroutine reads.
func (r *Overflow) Beside() *Overflow { return &Overflow{shape: r.shape, rows: r.rows} }

// Add adds the current row of env. key is the encoding of its keys. The error is that of evaluating
// arguments, or of package spill.
func (r *Overflow) Add(env *expr.Env, key []byte, keys, captured []value.Value, at Place) error {
	row := append(append(append(r.row[:0], value.NewInt(int64(at))), keys...), captured...)
	for _, a := range r.shape.Aggs {
		mark := len(row)
		var ok bool
		var err error
		if row, ok, err = a.AppendArgs(env, append(row, value.NewBool(true))); err != nil {
			return err
		}
		if !ok {
			row = append(row[:mark], value.NewBool(false))
		}
	}
	r.row = row
	if r.sorted != nil {
		return r.sorted.Add(row)
	}
	return r.rows.Add(rowmem.KeyHash(key), row)
}

// End ends the adding. The error is one of package spill.
func (r *Overflow) End() error {
	if r.sorted != nil {
		return r.sorted.Sort()
	}
	return r.rows.End()
}

// Next returns the next of the sorted rows, or nil after the last. It is valid until the next call.
// The error is one of package spill.
func (r *Overflow) Next() ([]value.Value, error) { return r.sorted.Next() }

// KeysOf returns the values of the grouping expressions in a row of an Overflow.
func (s *Shape) KeysOf(row []value.Value) []value.Value { return row[restKeys : restKeys+s.Keys] }

// CapturedOf returns the captured columns in a row of an Overflow.
func (s *Shape) CapturedOf(row []value.Value) []value.Value {
	first := restKeys + s.Keys
	return row[first : first+s.Captured]
}

// EachArgs calls give for each aggregate that counts the row, with its arguments. The error is that of
// give.
func (s *Shape) EachArgs(row []value.Value, give func(i int, args []value.Value) error) error {
	row = row[restKeys+s.Keys+s.Captured:]
	for i, a := range s.Aggs {
		counts := row[0].Int() == 1
		row = row[1:]
		if !counts {
			continue
		}
		n := len(a.Args) + len(a.Order)
		if err := give(i, row[:n:n]); err != nil {
			return err
		}
		row = row[n:]
	}
	return nil
}

// Close frees the rows. It may be called again. The error is one of package spill.
func (r *Overflow) Close() error {
	if r.sorted != nil {
		return r.sorted.Close()
	}
	return r.rows.Close()
}
