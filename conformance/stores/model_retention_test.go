package stores

import (
	"maps"
	"math"
	"slices"
)

// keeping says which versions a table keeps, and at what moment. The zero value
// keeps all.
type keeping struct {
	ttl      int64 // seconds, 0 means forever
	max, min int   // versions; max 0 means all
	now      int64 // ms
	// gone are the versions that are not kept. They are not shown, unless an
	// ALTER that keeps more finds them not collected yet.
	gone map[column]map[int64]*string
}

func (k *keeping) clone() *keeping {
	out := *k
	out.gone = cloneCells(k.gone)
	return &out
}

func (k *keeping) oldest() int64 {
	if k.ttl == 0 {
		return math.MinInt64
	}
	return k.now - 1000*k.ttl
}

// keepOf removes what is not kept of a column.
func (m model) keepOf(c column) {
	if m.ttl == 0 && m.max == 0 {
		return
	}
	for rank, t := range newestFirst(m.cells[c]) {
		if (m.max == 0 || rank < m.max) && (rank < m.min || t >= m.oldest()) {
			continue
		}
		m.lose(row{c.k, c.q, t, m.cells[c][t]})
		m.remove(row{k: c.k, q: c.q, t: t})
	}
}

// keptFrom returns the lowest timestamp at which a new version of a column is kept: that of the
// oldest one of as many as the table keeps.
func (m model) keptFrom(c column) int64 {
	if times := newestFirst(m.cells[c]); m.max > 0 && len(times) >= m.max {
		return times[m.max-1]
	}
	return math.MinInt64
}

// lose records a version that is stored but not kept.
func (k *keeping) lose(r row) {
	c := column{r.k, r.q}
	if k.gone == nil {
		k.gone = map[column]map[int64]*string{}
	}
	if k.gone[c] == nil {
		k.gone[c] = map[int64]*string{}
	}
	k.gone[c][r.t] = r.v
}

func newestFirst(versions map[int64]*string) []int64 {
	times := slices.Sorted(maps.Keys(versions))
	slices.Reverse(times)
	return times
}

// at removes what is no longer kept at a moment.
func (m model) at(now int64) {
	m.now = now
	for c := range m.cells {
		m.keepOf(c)
	}
}

// removeColumn removes all versions of a column, including those that are not kept.
func (m model) removeColumn(c column) {
	delete(m.cells, c)
	delete(m.gone, c)
}

func (m model) clear() {
	clear(m.cells)
	clear(m.gone)
}
