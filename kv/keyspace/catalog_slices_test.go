package keyspace

import (
	"encoding/json"
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// slicesUpTo returns slices named after their upper bounds; 0 is MAXVALUE.
func slicesUpTo(outer bool, bounds ...int64) *partition.Slices {
	by := &partition.Slices{Outer: outer}
	for _, n := range bounds {
		if n == 0 {
			by.Max = true
			by.Names = append(by.Names, "max")
			continue
		}
		by.Names, by.Upper = append(by.Names, "s"+strconv.FormatInt(n, 10)), append(by.Upper, n)
	}
	return by
}

// slicedTable returns a table partitioned by its rows' hash, if n is not 0, and
// by time.
func slicedTable(t *testing.T, table kv.Table, n int, by *partition.Slices) kv.Table {
	t.Helper()
	var rows *partition.Scheme
	var err error
	if n > 0 {
		rows, err = partition.NewKey(n)
		require.NoError(t, err)
	}
	table.Partitioning, err = rows.Sliced(by)
	require.NoError(t, err)
	return table
}

// TestSlicedDescriptor checks the stored form of a table with slices of time.
func TestSlicedDescriptor(t *testing.T) {
	c := newCatalogs(t)
	c.create(slicedTable(t, plain("t"), 2, slicesUpTo(false, 10, 0)))
	table := c.now().Table("d", "t")
	require.Equal(t, []ID{1, 2, 3, 4}, Of(table).Spaces)
	require.EqualValues(t, 2, Space(table, 0, 1))
	require.EqualValues(t, 3, Space(table, 1, 0))
	data, err := json.Marshal(table)
	require.NoError(t, err)
	require.Contains(t, string(data), `"partitioning":{"method":1,"n":2,"slices":{"names":["s10","max"],"upper":[10],"max":true}}`)
	c.change(func(c *Change) error { return c.TruncateTable("d", "t") })
	require.Equal(t, []ID{5, 6, 7, 8}, c.spaces("t"))

	c.create(slicedTable(t, plain("u"), 2, slicesUpTo(true, 10, 0)))
	outer := c.now().Table("d", "u")
	require.EqualValues(t, Of(outer).Spaces[2], Space(outer, 0, 1), "outer slices come first")
}

func TestAddAndDropSlices(t *testing.T) {
	c := newCatalogs(t)
	c.create(slicedTable(t, family("g", "a"), 2, slicesUpTo(false, 10, 20)),
		slicedTable(t, family("g", "b"), 2, slicesUpTo(false, 10, 20)))
	c.change(func(c *Change) error { return c.AddSlices("d", "g$b", slicesUpTo(true, 30)) })
	require.Equal(t, []ID{1, 2, 9, 3, 4, 10}, c.spaces("g$a"), "the whole group follows")
	require.Equal(t, []ID{5, 6, 11, 7, 8, 12}, c.spaces("g$b"))
	require.Empty(t, c.freed)
	require.Zero(t, c.now().Table("d", "g$a").Generation)

	c.change(func(c *Change) error { return c.DropSlices("d", "g$a", []int{0}) })
	require.Equal(t, []ID{2, 9, 4, 10}, c.spaces("g$a"))
	require.Equal(t, []ID{6, 11, 8, 12}, c.spaces("g$b"))
	require.Equal(t, []ID{1, 3, 5, 7}, c.freed)
	require.EqualValues(t, 1, c.now().Table("d", "g$b").Generation)

	c.refuses(partition.ErrLastPartition, func(c *Change) error { return c.DropSlices("d", "g$a", []int{0, 1}) })
	c.refuses(partition.ErrNotIncreasing, func(c *Change) error {
		return c.AddSlices("d", "g$a",
			slicesUpTo(false, 25))
	})
	c.refuses(kv.ErrNoTable, func(c *Change) error { return c.AddSlices("d", "none", slicesUpTo(false, 1)) })
	c.create(plain("s"))
	c.refuses(partition.ErrNotSliced, func(c *Change) error { return c.DropSlices("d", "s", []int{0}) })
}

func TestTruncateSlicesAndLeaves(t *testing.T) {
	c := newCatalogs(t)
	c.create(slicedTable(t, plain("t"), 2, slicesUpTo(true, 10, 20)))
	c.change(func(c *Change) error { return c.TruncateSlices("d", "t", []int{1}) })
	require.Equal(t, []ID{1, 2, 5, 6}, c.spaces("t"))
	require.Equal(t, []ID{3, 4}, c.freed)
	c.change(func(c *Change) error { return c.TruncateLeaves("d", "t", []int{0, 3}) })
	require.Equal(t, []ID{7, 2, 5, 8}, c.spaces("t"))
	require.Equal(t, []ID{1, 6}, c.freed)
	c.change(func(c *Change) error { return c.TruncatePartitions("d", "t", []int{1}) })
	require.Equal(t, []ID{7, 9, 5, 10}, c.spaces("t"))
	require.EqualValues(t, 3, c.now().Table("d", "t").Generation)
	c.refuses(kv.ErrNoTable, func(c *Change) error { return c.TruncateLeaves("d", "none", []int{0}) })
}

// TestSlicesOfRanges requires that a split of rows applies to all slices, and
// shares each one's key space.
func TestSlicesOfRanges(t *testing.T) {
	c := newCatalogs(t)
	table := ranged(t, plain("t"), "m")
	var err error
	table.Partitioning, err = table.Partitioning.Sliced(slicesUpTo(false, 10, 20))
	require.NoError(t, err)
	c.create(table)
	c.change(func(c *Change) error {
		_, err := c.SplitPartitions("d", "t", [][]byte{[]byte("c")})
		return err
	})
	require.Equal(t, []ID{1, 2, 1, 2, 3, 4}, c.spaces("t"))
	c.change(func(c *Change) error { return c.DropPartitions("d", "t", []int{0}) })
	require.Equal(t, []ID{1, 2, 3, 4}, c.spaces("t"))
	require.Equal(t, []Extent{{1, partition.RowRange{End: []byte("c")}}, {2, partition.RowRange{End: []byte("c")}}},
		c.parts)
	c.change(func(c *Change) error {
		return c.ReorganizePartitions("d", "t", 0, 0, []string{"x", "y"}, [][]byte{[]byte("f"), []byte("m")})
	})
	require.Equal(t, []ID{1, 2, 1, 2, 3, 4}, c.spaces("t"))
	c.refuses(kv.ErrNeedsMove, func(c *Change) error {
		return c.ReorganizePartitions("d", "t", 1, 2, []string{"all"}, [][]byte{nil})
	})
	c.change(func(c *Change) error {
		return c.ReorganizePartitions("d", "t", 0, 1, []string{"xy"}, [][]byte{[]byte("m")})
	})
	require.Equal(t, []ID{1, 2, 3, 4}, c.spaces("t"))
	c.change(func(c *Change) error { return c.DropSlices("d", "t", []int{1}) })
	require.Equal(t, []ID{1, 3}, c.spaces("t"))
	require.Equal(t, []ID{2, 4}, c.freed)
}

func TestReorganizeSlices(t *testing.T) {
	c := newCatalogs(t)
	c.create(slicedTable(t, plain("t"), 2, slicesUpTo(false, 10, 20)))
	c.change(func(c *Change) error { return c.ReorganizeSlices("d", "t", 1, 1, slicesUpTo(false, 30)) })
	require.Equal(t, []ID{1, 2, 3, 4}, c.spaces("t"))
	require.Equal(t, []int64{10, 30}, c.now().Table("d", "t").Partitioning.Slices().Upper)
	c.refuses(kv.ErrNeedsMove, func(c *Change) error {
		return c.ReorganizeSlices("d", "t", 1, 1,
			slicesUpTo(false, 20, 30))
	})
	c.refuses(kv.ErrNeedsMove, func(c *Change) error {
		return c.ReorganizeSlices("d", "t", 0, 1,
			slicesUpTo(false, 30))
	})
	c.refuses(partition.ErrOutside, func(c *Change) error {
		return c.ReorganizeSlices("d", "t", 0, 0,
			slicesUpTo(false, 9))
	})
}

// TestMoveOfSlices requires that unchanged slices keep their key space, and
// that none of their cells is read.
func TestMoveOfSlices(t *testing.T) {
	max := slicesUpTo(false, 10, 20, 0)
	for _, c := range []struct {
		name    string
		rows    int
		to      func(s *partition.Scheme) (*partition.Scheme, error)
		spaces  []ID
		sources []ID
	}{
		{"split of the last", 2, reorganized(2, 2, 30, 0), []ID{1, 2, 7, 8, 4, 5, 9, 10}, []ID{3, 6}},
		{"merge", 0, reorganized(0, 1, 20), []ID{4, 3}, []ID{1, 2}},
		{"moved bound", 0, reorganized(0, 1, 15, 20), []ID{4, 5, 3}, []ID{1, 2}},
		{"other names", 2, reorganized(0, 0, 10), []ID{1, 2, 3, 4, 5, 6}, nil},
		{"no slices", 0, func(s *partition.Scheme) (*partition.Scheme, error) { return s.Sliced(nil) }, []ID{4},
			[]ID{1, 2, 3}},
		{"less", 2, sliceBy(10), []ID{1, 4}, []ID{2, 3, 5, 6}},
		{"less of one partition", 0, sliceBy(10), []ID{1}, []ID{2, 3}},
		{"other rows", 2, func(s *partition.Scheme) (*partition.Scheme, error) {
			next, err := partition.NewKey(1)
			if err != nil {
				return nil, err
			}
			return next.Sliced(s.Slices())
		}, []ID{7, 8, 9}, []ID{1, 2, 3, 4, 5, 6}},
		{"the other level first", 2, func(s *partition.Scheme) (*partition.Scheme, error) {
			return s.Sliced(slicesUpTo(true, 10, 20, 0))
		}, []ID{1, 4, 2, 5, 3, 6}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			cs := newCatalogs(t)
			cs.create(slicedTable(t, plain("t"), c.rows, max))
			cs.change(func(change *Change) error {
				m, err := change.StartMove("d", "t", func(t *kv.Table) (err error) {
					t.Partitioning, err = c.to(t.Partitioning)
					return err
				})
				require.NoError(t, err)
				require.Equal(t, c.spaces, Of(m.After[0]).Spaces)
				var sources []ID
				for _, e := range m.Sources()[0] {
					sources = append(sources, e.Space)
				}
				require.Equal(t, c.sources, sources)
				require.Equal(t, len(sources) > 0, m.Needed())
				return change.FinishMove(m)
			})
			require.Equal(t, c.spaces, cs.spaces("t"))
			require.Equal(t, len(c.sources), len(cs.freed))
		})
	}
}

func reorganized(first, last int, bounds ...int64) func(*partition.Scheme) (*partition.Scheme, error) {
	return func(s *partition.Scheme) (*partition.Scheme, error) {
		return s.ReorganizingSlices(first, last, slicesUpTo(false, bounds...))
	}
}

func sliceBy(bounds ...int64) func(*partition.Scheme) (*partition.Scheme, error) {
	return func(s *partition.Scheme) (*partition.Scheme, error) { return s.Sliced(slicesUpTo(false, bounds...)) }
}

// TestSlicingAnew adds slices to a table, and removes them when one has all times.
func TestSlicingAnew(t *testing.T) {
	c := newCatalogs(t)
	c.create(plain("t"))
	c.change(func(c *Change) error {
		m, err := c.StartMove("d", "t", func(t *kv.Table) (err error) {
			t.Partitioning, err = t.Partitioning.Sliced(slicesUpTo(false, 0))
			return err
		})
		return errors.Join(err, c.FinishMove(m))
	})
	require.Equal(t, []ID{4, 5, 6}, c.spaces("t"), "the smallest timestamp has no place")
	require.Equal(t, []ID{1, 2, 3}, c.freed)
	c.change(func(c *Change) error {
		m, err := c.StartMove("d", "t", func(t *kv.Table) (err error) {
			t.Partitioning, err = t.Partitioning.Sliced(nil)
			return err
		})
		return errors.Join(err, c.FinishMove(m))
	})
	require.Equal(t, []ID{4, 5, 6}, c.spaces("t"), "all is in one slice")
	require.Empty(t, c.freed)
}
