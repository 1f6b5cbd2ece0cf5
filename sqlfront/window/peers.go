package window

import (
	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// peers finds the peers of a row: the rows with equal keys in the window's order.
type peers struct {
	rows   *partitionRows
	by     []int // the places of the order's keys in a kept row
	cursor *rowCursor
	last   spill.RowBuffer // keys of the group
	keys   []value.Value
	at     int64 // the last row that start was called for, or -1
	first  int64
	groups int64
	end    int64
}

func (p *peers) restart() { p.at, p.first, p.groups, p.end = -1, 0, 0, 0 }

// keeps returns the first row that is still needed.
func (p *peers) keeps() int64 {
	if p.end == 0 {
		return 1 << 62
	}
	return p.end
}

// start returns the first peer of a row, and the number of its group of peers, from 1 on. It must be
// called for each row.
func (p *peers) start(at int64) (first, group int64, err error) {
	if at == p.at {
		return p.first, p.groups, nil
	}
	alike := p.at >= 0
	if alike {
		alike, err = p.alike(at)
	}
	if !alike && err == nil {
		p.first, p.groups = at, p.groups+1
		err = p.remember(at)
	}
	p.at = at
	return p.first, p.groups, err
}

// alike reports whether a row is a peer of the first row of the group.
func (p *peers) alike(at int64) (bool, error) {
	if r := p.rows; r.kept != nil {
		return r.kept.Alike(r.first+p.first, r.first+at, p.by), nil
	}
	row, err := p.rows.at(p.cursor, at)
	if err != nil {
		return false, err
	}
	for i, at := range p.by {
		if value.Order(row[at], p.last.Row[i]) != 0 {
			return false, nil
		}
	}
	return true, nil
}

// remember copies the keys of the first peer, unless the row is kept.
func (p *peers) remember(at int64) error {
	if p.rows.kept != nil {
		return nil
	}
	row, err := p.rows.at(p.cursor, at)
	if err != nil {
		return err
	}
	p.keys = p.keys[:0]
	for _, at := range p.by {
		p.keys = append(p.keys, row[at])
	}
	p.last.Set(p.keys)
	return nil
}

// behind returns the number of the row after the last peer of a row.
func (p *peers) behind(at int64) (int64, error) {
	if at < p.end {
		return p.end, nil
	}
	if _, _, err := p.start(at); err != nil {
		return 0, err
	}
	for p.end = at + 1; ; p.end++ {
		if ok, err := p.rows.has(p.end); !ok || err != nil {
			return p.end, err
		}
		if alike, err := p.alike(p.end); !alike || err != nil {
			return p.end, err
		}
	}
}
