package plan

import "github.com/hbasekv/hbasekv/sqlfront/value"

// distinct lets each row through once, by its first columns: those behind
// them only serve the sort above.
type distinct struct {
	child   results
	x       *exec
	columns int
	key     []byte
	seen    map[string]struct{} // nil where equal rows come together
	last    []byte
	first   bool
}

func newDistinct(x *exec, child results, columns int, together bool) *distinct {
	d := &distinct{child: child, x: x, columns: columns, first: true}
	if !together {
		d.seen = map[string]struct{}{}
	}
	return d
}

func (d *distinct) next() ([]value.Value, error) {
	for {
		row, err := d.child.next()
		if row == nil || err != nil {
			return nil, err
		}
		d.key = d.key[:0]
		for _, v := range row[:d.columns] {
			d.key = value.AppendKey(d.key, v)
		}
		if d.isNew() {
			return row, nil
		}
		if err := d.x.tick(); err != nil {
			return nil, err
		}
	}
}

func (d *distinct) isNew() bool {
	if d.seen == nil {
		fresh := d.first || string(d.last) != string(d.key)
		d.first = false
		d.key, d.last = d.last, d.key
		return fresh
	}
	if _, ok := d.seen[string(d.key)]; ok {
		return false
	}
	d.seen[string(d.key)] = struct{}{}
	return true
}

func (d *distinct) close() error { return d.child.close() }
