package plan

import (
	"io"

	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// AccessOptions are what the reader of an Access wants besides its condition.
type AccessOptions struct {
	// Order is the order of the rows; nil is any. Its expressions are bound
	// to the relation's Scope.
	Order []OrderKey
	// Limit is the most rows to give; negative is all.
	Limit int64
	// Lock locks each row that is given.
	Lock bool
}

// AccessRows are the rows of a running Access.
type AccessRows struct {
	x      exec
	scan   *scan
	order  []OrderKey
	sorter *sorter // nil where the scan's order serves
	sorted bool
	limit  int64
}

// Open binds the placeholders and opens the access. The rows that Next gives
// have the relation's columns.
func (a *Access) Open(c *Context, o AccessOptions) (*AccessRows, error) {
	if err := c.checkCatalog(a.version); err != nil {
		return nil, err
	}
	r := &AccessRows{order: o.Order, limit: o.Limit}
	r.x.start(c, len(a.relation.Columns), false)
	r.x.lock = o.Lock
	want := request{order: o.Order, limit: max(o.Limit, 0)}
	s, g, err := a.start(&r.x, want)
	if err != nil {
		return nil, err
	}
	r.scan = s
	if len(o.Order) > 0 && !g.ordered {
		r.sorter = &sorter{x: &r.x, keys: keysBehind(len(a.relation.Columns), o.Order), limit: want.limit}
	}
	return r, nil
}

// keysBehind are the keys of an order whose values are behind n columns.
func keysBehind(n int, order []OrderKey) []sortKey {
	keys := make([]sortKey, len(order))
	for i, k := range order {
		keys[i] = sortKey{column: n + i, desc: k.Desc}
	}
	return keys
}

// View is the view that the rows are those of.
func (r *AccessRows) View() View { return r.scan.view }

// Next is the next row, valid with its bytes until the next call; io.EOF
// behind the last.
func (r *AccessRows) Next() ([]value.Value, error) {
	if r.limit == 0 {
		return nil, io.EOF
	}
	row, err := r.step()
	if err == nil {
		r.limit--
	}
	return row, err
}

func (r *AccessRows) step() ([]value.Value, error) {
	if r.sorter != nil {
		return r.stepSorted()
	}
	ok, err := r.scan.next()
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, io.EOF
	}
	return r.x.env.Row, nil
}

func (r *AccessRows) stepSorted() ([]value.Value, error) {
	if !r.sorted {
		if err := r.sort(); err != nil {
			return nil, err
		}
		r.sorted = true
	}
	row := r.sorter.take()
	if row == nil {
		return nil, io.EOF
	}
	return row[:len(r.x.env.Row)], nil
}

func (r *AccessRows) sort() error {
	var with []value.Value
	for {
		ok, err := r.scan.next()
		if err != nil {
			return err
		}
		if !ok {
			return r.sorter.sort()
		}
		with = append(with[:0], r.x.env.Row...)
		for _, k := range r.order {
			v, err := k.Expr.Eval(&r.x.env)
			if err != nil {
				return err
			}
			with = append(with, v)
		}
		r.sorter.add(with)
	}
}

// Close releases the rows; it may be called again.
func (r *AccessRows) Close() error { return r.scan.close() }
