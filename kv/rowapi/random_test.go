package rowapi_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// table models HBase's semantics, as measured on an HBase, by looking at every cell.
type table struct {
	cells []rowapi.Cell
	now   int64
}

func (m *table) sort() {
	slices.SortFunc(m.cells, func(a, b rowapi.Cell) int {
		return cmp.Or(bytes.Compare(a.Row, b.Row), cmp.Compare(a.Family, b.Family), bytes.Compare(a.Qualifier,
			b.Qualifier), cmp.Compare(b.Timestamp, a.Timestamp))
	})
}

func (m *table) remove(which func(*rowapi.Cell) bool) {
	m.cells = slices.DeleteFunc(m.cells, func(c rowapi.Cell) bool { return which(&c) })
}

func (m *table) put(row, family, q string, at int64, value string) {
	if at == rowapi.Latest {
		at = m.now
	}
	m.remove(func(c *rowapi.Cell) bool {
		return string(c.Row) == row && c.Family == family && string(c.Qualifier) == q && c.Timestamp == at
	})
	m.cells = append(m.cells, rowapi.Cell{Row: []byte(row), Family: family, Qualifier: []byte(q), Timestamp: at,
		Value: []byte(value)})
	m.sort()
}

func (m *table) newest(row, family, q string) *rowapi.Cell {
	for i := range m.cells {
		if c := &m.cells[i]; string(c.Row) == row && c.Family == family && string(c.Qualifier) == q {
			return c
		}
	}
	return nil
}

// next returns the timestamp at which Increment and Append write.
func (m *table) next(found *rowapi.Cell) int64 {
	if found == nil {
		return m.now
	}
	return max(m.now, found.Timestamp+1)
}

func (m *table) delete(row string, d *rowapi.Deletion) {
	at := d.Timestamp
	if at == rowapi.Latest {
		at = m.now
		if found := m.newest(row, d.Family, string(d.Qualifier)); d.Kind == rowapi.DeleteColumn && found != nil {
			at = found.Timestamp
		}
	}
	m.remove(func(c *rowapi.Cell) bool {
		if string(c.Row) != row || c.Family != d.Family {
			return false
		}
		switch d.Kind {
		case rowapi.DeleteColumn:
			return bytes.Equal(c.Qualifier, d.Qualifier) && c.Timestamp == at
		case rowapi.DeleteColumns:
			return bytes.Equal(c.Qualifier, d.Qualifier) && c.Timestamp <= at
		case rowapi.DeleteFamily:
			return c.Timestamp <= at
		}
		return c.Timestamp == at
	})
}

// passes evaluates the filters of the model, except PageFilter.
func passes(f filter.Filter, c *rowapi.Cell, firstOfRow bool) bool {
	switch f := f.(type) {
	case filter.PrefixFilter:
		return bytes.HasPrefix(c.Row, f.Prefix)
	case filter.QualifierFilter:
		return bytes.Equal(c.Qualifier, f.Comparator.Operand())
	case filter.ValueFilter:
		return !bytes.Equal(c.Value, f.Comparator.Operand())
	case filter.FirstKeyOnlyFilter:
		return firstOfRow
	}
	return true
}

// wanted reports whether columns and time ranges let a cell be seen.
func wanted(s *rowapi.Columns, c *rowapi.Cell) bool {
	times := s.Time
	if s.Families != nil {
		i := slices.IndexFunc(s.Families, func(f rowapi.FamilyColumns) bool { return f.Family == c.Family })
		if i < 0 {
			return false
		}
		f := &s.Families[i]
		if f.Qualifiers != nil && !slices.ContainsFunc(f.Qualifiers, func(q []byte) bool {
			return bytes.Equal(q,
				c.Qualifier)
		}) {
			return false
		}
		if f.Time != nil {
			times = *f.Time
		}
	}
	return times == rowapi.TimeRange{} || times.Min <= c.Timestamp && c.Timestamp < times.Max
}

// row returns the cells of one row that a scan returns.
func (m *table) row(s *rowapi.Columns, cells []rowapi.Cell) (out []rowapi.Cell) {
	versions, perFamily, seen := map[string]int{}, map[string]int{}, 0
	for i := range cells {
		c := &cells[i]
		if !wanted(s, c) {
			continue
		}
		if seen++; !passes(s.Filter, c, seen == 1) {
			continue
		}
		column := c.Family + ":" + string(c.Qualifier)
		if versions[column]++; versions[column] > max(1, s.MaxVersions) {
			continue
		}
		perFamily[c.Family]++
		if n := perFamily[c.Family]; n <= s.StoreOffset || s.StoreLimit > 0 && n > s.StoreOffset+s.StoreLimit {
			continue
		}
		out = append(out, *c)
	}
	return out
}

// scan returns the complete rows of a scan.
func (m *table) scan(s *rowapi.Scan) (lines []string) {
	var rows [][]rowapi.Cell
	for i := 0; i < len(m.cells); {
		n := i
		for n < len(m.cells) && bytes.Equal(m.cells[n].Row, m.cells[i].Row) {
			n++
		}
		if within(s, m.cells[i].Row) {
			rows = append(rows, m.cells[i:n])
		}
		i = n
	}
	if s.Reversed {
		slices.Reverse(rows)
	}
	most := s.Limit
	if f, ok := s.Filter.(filter.PageFilter); ok && (most == 0 || int(f.Size) < most) {
		most = int(f.Size)
	}
	for _, cells := range rows {
		if out := m.row(&s.Columns, cells); len(out) > 0 && (most == 0 || len(lines) < most) {
			lines = append(lines, text(out))
		}
	}
	return lines
}

func within(s *rowapi.Scan, row []byte) bool {
	start, stop := bytes.Compare(row, s.Start), bytes.Compare(row, s.Stop)
	if s.Reversed {
		start, stop = -start, -stop
	}
	return (len(s.Start) == 0 || start > 0 || start == 0 && !s.StartExclusive) &&
		(len(s.Stop) == 0 || stop < 0 || stop == 0 && s.StopInclusive)
}

// dice makes random operations.
type dice struct{ *rand.Rand }

func (d dice) of(words ...string) string { return words[d.IntN(len(words))] }
func (d dice) one(in int) bool           { return d.IntN(in) == 0 }
func (d dice) row() string               { return d.of("a", "ab", "b", "m", "n", "\xff") }
func (d dice) family() string            { return d.of("a", "b") }
func (d dice) qualifier() string         { return d.of("", "p", "q", "q\x00") }
func (d dice) timestamp(now int64) int64 {
	switch d.IntN(4) {
	case 0:
		return rowapi.Latest
	case 1:
		return now + int64(d.IntN(7)) - 3
	}
	return int64(d.IntN(6))
}

func (d dice) value() string {
	if d.one(3) {
		return string(long(int64(d.IntN(9))))
	}
	return d.of("", "x", "y")
}

func (d dice) columns() (c rowapi.Columns) {
	if d.one(2) {
		c.MaxVersions = d.IntN(4)
	}
	if d.one(3) {
		c.Time = rowapi.TimeRange{Min: int64(d.IntN(4)), Max: 4 + int64(d.IntN(2_000_000))}
	}
	for d.one(2) && len(c.Families) < 2 {
		f := rowapi.FamilyColumns{Family: []string{"b", "a"}[len(c.Families)]}
		if d.one(2) {
			f.Qualifiers = bytesOf(d.qualifier(), d.qualifier())
		}
		if d.one(4) {
			f.Time = &rowapi.TimeRange{Min: 0, Max: int64(1 + d.IntN(5))}
		}
		c.Families = append(c.Families, f)
	}
	if d.one(4) {
		c.StoreLimit, c.StoreOffset = d.IntN(3), d.IntN(3)
	}
	if d.one(2) {
		c.Filter = []filter.Filter{filter.PrefixFilter{Prefix: []byte("a")}, filter.PageFilter{Size: 2},
			filter.FirstKeyOnlyFilter{},
			filter.QualifierFilter{CompareFilter: compare(filter.Equal, filter.BinaryComparator{Value: []byte("q")})},
			filter.ValueFilter{CompareFilter: compare(filter.NotEqual, filter.BinaryComparator{Value: []byte("x")})}}[d.IntN(5)]
	}
	return c
}

func (d dice) scan() *rowapi.Scan {
	s := &rowapi.Scan{Columns: d.columns(), Reversed: d.one(2), StartExclusive: d.one(2), StopInclusive: d.one(2)}
	if d.one(2) {
		s.Start = []byte(d.row())
	}
	if d.one(2) {
		s.Stop = []byte(d.row())
	}
	if d.one(3) {
		s.Limit = 1 + d.IntN(3)
	}
	if d.one(3) {
		s.Batch = 1 + d.IntN(3)
	}
	return s
}

// whole joins pieces of rows.
func whole(lines []string) (out []string) {
	open := false
	for _, line := range lines {
		piece, partial := strings.CutSuffix(line, " +")
		if open {
			out[len(out)-1] += " " + piece
		} else {
			out = append(out, piece)
		}
		open = partial
	}
	return out
}

// TestRandomOperations does random operations on stores and on the model. HBASEKV_SEED repeats a run.
func TestRandomOperations(t *testing.T) {
	seed := testseed.Of(t)
	everywhere(t, func(t *testing.T, p *place) {
		d, m := dice{rand.New(rand.NewPCG(seed, 0))}, &table{}
		for range 600 {
			p.clock.ms.Add(int64(d.IntN(3)))
			m.now = p.clock.ms.Load()
			step(t, p, d, m)
			require.Equal(t, text(m.cells),
				strings.Join(p.scan(&rowapi.Scan{Columns: rowapi.Columns{MaxVersions: rowapi.AllVersions}},
					rowapi.PageLimits{}), " "))
			s := d.scan()
			l := rowapi.PageLimits{Rows: d.IntN(3), Partials: d.one(2), Bytes: int64(d.IntN(200))}
			require.Equal(t, m.scan(s), whole(p.scan(s, l)), "%+v %+v", s, l)
		}
	})
}

// step does one operation on both.
func step(t *testing.T, p *place, d dice, m *table) {
	row, family, q, at := d.row(), d.family(), d.qualifier(), d.timestamp(m.now)
	r := []byte(row)
	switch d.IntN(6) {
	case 0, 1:
		value := d.value()
		require.NoError(t, p.client.Put(p.ctx, p.table, rowapi.NewPut(r).AddAt(family, []byte(q), at, []byte(value))))
		m.put(row, family, q, at, value)
	case 2:
		del := &rowapi.Deletion{Kind: rowapi.DeleteKind(d.IntN(4)), Family: family, Qualifier: []byte(q), Timestamp: at}
		require.NoError(t, p.client.Delete(p.ctx, p.table, &rowapi.Delete{Row: r, Parts: []rowapi.Deletion{*del}}))
		m.delete(row, del)
	case 3:
		result, err := p.client.Increment(p.ctx, p.table, rowapi.NewIncrement(r).Add(family, []byte(q), 3))
		found := m.newest(row, family, q)
		if found != nil && len(found.Value) != 8 {
			require.ErrorIs(t, err, rowapi.ErrNotLong)
			return
		}
		require.NoError(t, err)
		n := int64(3)
		if found != nil {
			n += int64(binary.BigEndian.Uint64(found.Value))
		}
		m.put(row, family, q, m.next(found), string(long(n)))
		require.Equal(t, text([]rowapi.Cell{*m.newest(row, family, q)}), text(result.Cells))
	case 4:
		result, err := p.client.Append(p.ctx, p.table, rowapi.NewAppend(r).Add(family, []byte(q), []byte("z")))
		require.NoError(t, err)
		found, value := m.newest(row, family, q), "z"
		if found != nil {
			value = string(found.Value) + "z"
		}
		m.put(row, family, q, m.next(found), value)
		require.Equal(t, fmt.Sprintf("%s/%s:%s/%d=%s", row, family, q, m.newest(row, family, q).Timestamp, value),
			text(result.Cells))
	case 5:
		value, found := d.value(), m.newest(row, family, q)
		holds := found != nil && string(found.Value) == value || value == "" && (found == nil || len(found.Value) == 0)
		processed, _, err := p.client.CheckAndMutate(p.ctx, p.table, &rowapi.CheckAndMutate{Row: r,
			Condition: rowapi.IfEquals(family, []byte(q), []byte(value)), Mutations: []rowapi.Mutation{rowapi.NewDelete(r),
				rowapi.NewPut(r).Add("a", []byte("new"), []byte("checked"))}})
		require.NoError(t, err)
		require.Equal(t, holds, processed)
		if !holds {
			return
		}
		now, since := m.now, m.now
		if found != nil { // it becomes another cell once earlier cells are gone
			since = max(now, found.Timestamp)
		}
		for _, f := range []string{"a", "b"} {
			m.delete(row, &rowapi.Deletion{Kind: rowapi.DeleteFamily, Family: f, Timestamp: rowapi.Latest})
		}
		m.now = since // a put without a timestamp is not older than what was checked
		m.put(row, "a", "new", rowapi.Latest, "checked")
		m.now = now
	}
}
