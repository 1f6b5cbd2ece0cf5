package aggregate

import "slices"

// GroupedRows are rows of a batch and the numbers of their groups.
type GroupedRows struct {
	Rows   []int32
	Groups []int32 // of each row, or a single one for all

	ordered bool // whether found, ends and rows are those of Rows
	found   []int32
	ends    []int32
	rows    []int32
	places  []int32 // positions in found plus 1, by groups; 0 if absent
}

// Start sets the rows; their groups are to be appended.
func (g *GroupedRows) Start(rows []int32) {
	g.Rows, g.Groups, g.ordered = rows, g.Groups[:0], false
}

// AllOf puts all rows into one group.
func (g *GroupedRows) AllOf(group int32) { g.Groups = append(g.Groups[:0], group) }

// One returns the group of all rows, or false.
func (g *GroupedRows) One() (group int32, ok bool) {
	return g.Groups[0], len(g.Groups) == 1
}

// runFrom returns the end of the run of rows of one group that begins at a position.
func (g *GroupedRows) runFrom(at int) int {
	group := g.Groups[at]
	for at++; at < len(g.Groups) && g.Groups[at] == group; at++ {
	}
	return at
}

// each calls f with each group and its rows, in their order.
func (g *GroupedRows) each(f func(group int32, rows []int32) error) error {
	if group, ok := g.One(); ok {
		return f(group, g.Rows)
	}
	g.order()
	start := int32(0)
	for i, group := range g.found {
		if err := f(group, g.rows[start:g.ends[i]]); err != nil {
			return err
		}
		start = g.ends[i]
	}
	return nil
}

// eachRow calls f with each row and its group.
func (g *GroupedRows) eachRow(f func(i, group int32) error) error {
	last := len(g.Groups) - 1
	for at, i := range g.Rows {
		if err := f(i, g.Groups[min(at, last)]); err != nil {
			return err
		}
	}
	return nil
}

// order sorts the rows by groups, once for each Start.
func (g *GroupedRows) order() {
	if g.ordered {
		return
	}
	g.ordered = true
	g.count()
	sum := int32(0)
	for i, n := range g.ends {
		g.ends[i] = sum
		sum += n
	}
	g.rows = slices.Grow(g.rows[:0], len(g.Rows))[:len(g.Rows)]
	for at, group := range g.Groups {
		end := &g.ends[g.places[group]-1]
		g.rows[*end] = g.Rows[at]
		*end++
	}
	for _, group := range g.found {
		g.places[group] = 0
	}
}

// count finds the groups and counts their rows.
func (g *GroupedRows) count() {
	g.found, g.ends = g.found[:0], g.ends[:0]
	if most := int(slices.Max(g.Groups)) + 1; most > len(g.places) {
		g.places = append(g.places, make([]int32, most-len(g.places))...)
	}
	for _, group := range g.Groups {
		place := &g.places[group]
		if *place == 0 {
			g.found, g.ends = append(g.found, group), append(g.ends, 0)
			*place = int32(len(g.found))
		}
		g.ends[*place-1]++
	}
}
