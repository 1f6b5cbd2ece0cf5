package keyspace

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/partition"
)

// ranged returns a table, or a family if its name has a $, with RANGE
// partitions that are named after their upper bounds; the last one is open.
func ranged(t *testing.T, table kv.Table, bounds ...string) kv.Table {
	t.Helper()
	names, upper := append(bounds, "max"), make([][]byte, len(bounds)+1)
	for i, b := range bounds {
		upper[i] = []byte(b)
	}
	var err error
	table.Partitioning, err = partition.NewRange(names, upper)
	require.NoError(t, err)
	return table
}

func (c *catalogs) spaces(name string) []ID { return Of(c.now().Table("d", name)).Spaces }

func TestAddPartitions(t *testing.T) {
	c := newCatalogs(t)
	first, err := partition.NewRange([]string{"p"}, [][]byte{[]byte("h")})
	require.NoError(t, err)
	a, b := family("g", "a"), family("g", "b")
	a.Partitioning, b.Partitioning = first, first
	c.create(a, b)

	c.change(func(c *Change) error {
		return c.AddPartitions("d", "g$b", []string{"q", "r"}, [][]byte{[]byte("p"), nil})
	})
	require.Equal(t, []ID{1, 3, 4}, c.spaces("g$a"), "the whole group follows")
	require.Equal(t, []ID{2, 5, 6}, c.spaces("g$b"))
	require.Equal(t, "r", c.now().Table("d", "g$a").Partitioning.Name(2))
	require.Zero(t, c.now().Table("d", "g$a").Generation, "no cell has gone")
	require.Empty(t, c.freed)

	c.refuses(partition.ErrMaxValue, func(c *Change) error {
		return c.AddPartitions("d", "g$a", []string{"s"}, [][]byte{[]byte("z")})
	})
	c.refuses(kv.ErrNoTable, func(c *Change) error { return c.AddPartitions("d", "none", nil, nil) })
}

func TestDropPartitions(t *testing.T) {
	c := newCatalogs(t)
	c.create(ranged(t, family("g", "a"), "b", "d", "f"), ranged(t, family("g", "b"), "b", "d", "f"))
	c.change(func(c *Change) error { return c.DropPartitions("d", "g$a", []int{1}) })
	require.Equal(t, []ID{1, 3, 4}, c.spaces("g$a"))
	require.Equal(t, []ID{5, 7, 8}, c.spaces("g$b"))
	require.Equal(t, []ID{2, 6}, c.freed)
	require.Empty(t, c.parts)
	require.EqualValues(t, 1, c.now().Table("d", "g$b").Generation)
	c.refuses(partition.ErrLastPartition, func(c *Change) error {
		return c.DropPartitions("d", "g$a", []int{0, 1, 2})
	})
}

// TestSplitAndDrop requires that dropping partitions of a shared key space
// frees a range of it.
func TestSplitAndDrop(t *testing.T) {
	c := newCatalogs(t)
	c.create(ranged(t, plain("t"), "m"))
	c.change(func(c *Change) error {
		return c.ReorganizePartitions("d", "t", 0, 0, []string{"x", "y", "z"},
			[][]byte{[]byte("c"), []byte("f"), []byte("m")})
	})
	require.Equal(t, []ID{1, 1, 1, 2}, c.spaces("t"))
	require.Empty(t, c.freed)
	require.Zero(t, c.now().Table("d", "t").Generation)

	c.change(func(c *Change) error { return c.DropPartitions("d", "t", []int{1}) })
	require.Equal(t, []ID{1, 1, 2}, c.spaces("t"))
	require.Equal(t, []Extent{{1, partition.RowRange{Start: []byte("c"), End: []byte("f")}}}, c.parts)
	require.Equal(t, Extent{1, partition.RowRange{Start: []byte("c"), End: []byte("m")}},
		ExtentOf(c.now().Table("d", "t"), 1),
		"the next partition has taken over the range, which is empty now")

	c.change(func(c *Change) error { return c.TruncatePartitions("d", "t", []int{0}) })
	require.Equal(t, []ID{3, 1, 2}, c.spaces("t"))
	require.Equal(t, []Extent{{1, partition.RowRange{End: []byte("c")}}}, c.parts)

	c.change(func(c *Change) error {
		return c.ReorganizePartitions("d", "t", 1, 1, []string{"y", "z"}, [][]byte{[]byte("e"), []byte("m")})
	})
	c.change(func(c *Change) error {
		return c.ReorganizePartitions("d", "t", 1, 2, []string{"yz"}, [][]byte{[]byte("m")})
	})
	require.Equal(t, []ID{3, 1, 2}, c.spaces("t"), "merged")
	c.refuses(kv.ErrNeedsMove, func(c *Change) error {
		return c.ReorganizePartitions("d", "t", 0, 1, []string{"all"}, [][]byte{[]byte("m")})
	})

	c.change(func(c *Change) error { return c.DropPartitions("d", "t", []int{1}) })
	require.Equal(t, []ID{1}, c.freed, "with the last partition of the space goes all of it")
	require.Empty(t, c.parts)
}

func TestTruncatePartitions(t *testing.T) {
	c := newCatalogs(t)
	c.create(family("g", "a"), family("g", "b"))
	c.change(func(c *Change) error { return c.TruncatePartitions("d", "g$a", []int{0, 2}) })
	require.Equal(t, []ID{7, 2, 8}, c.spaces("g$a"))
	require.Equal(t, []ID{4, 5, 6}, c.spaces("g$b"), "the layout of the group is as before")
	require.Equal(t, []ID{1, 3}, c.freed)
	require.EqualValues(t, 1, c.now().Table("d", "g$a").Generation)
	require.Zero(t, c.now().Table("d", "g$b").Generation)
}

func TestExchangePartition(t *testing.T) {
	c := newCatalogs(t)
	single := plain("s")
	single.Partitioning = nil
	c.create(ranged(t, plain("t"), "m"), single)
	exchange := func(i int) func(*Change) error {
		return func(c *Change) error {
			return c.ExchangePartition(c.Catalog().Table("d", "t"), i, c.Catalog().Table("d", "s"))
		}
	}
	c.change(exchange(1))
	require.Equal(t, []ID{1, 3}, c.spaces("t"))
	require.Equal(t, []ID{2}, c.spaces("s"))
	require.Empty(t, c.freed)
	require.EqualValues(t, 1, c.now().Table("d", "s").Generation)

	c.change(func(c *Change) error {
		return c.ReorganizePartitions("d", "t", 0, 0, []string{"x", "y"}, [][]byte{[]byte("c"), []byte("m")})
	})
	c.refuses(kv.ErrNeedsMove, exchange(0))
	c.refuses(kv.ErrPartitioning, func(c *Change) error {
		return c.ExchangePartition(c.Catalog().Table("d", "s"), 0, c.Catalog().Table("d", "t"))
	})
}

func TestSplitPartitions(t *testing.T) {
	c := newCatalogs(t)
	c.create(ranged(t, family("g", "a"), "m"), ranged(t, family("g", "b"), "m"))
	split := func(c *Change) error {
		added, err := c.SplitPartitions("d", "g$a", [][]byte{[]byte("p"), []byte("c"), []byte("m")})
		require.Equal(t, 2, added)
		return err
	}
	c.change(split)
	require.Equal(t, []ID{1, 1, 2, 2}, c.spaces("g$a"))
	require.Equal(t, []ID{3, 3, 4, 4}, c.spaces("g$b"), "the whole group follows")
	require.Empty(t, c.freed)
	require.Zero(t, c.now().Table("d", "g$a").Generation, "no cell has gone")
	c.refuses(partition.ErrEmptyPoint, func(c *Change) error {
		_, err := c.SplitPartitions("d", "g$a", [][]byte{{}})
		return err
	})
}

// TestAutoSplits requires that the store's own splits are remembered while they
// are bounds that no statement asked for.
func TestAutoSplits(t *testing.T) {
	c := newCatalogs(t)
	c.create(ranged(t, plain("t"), "m"))
	auto := func() string { return string(bytes.Join(Of(c.now().Table("d", "t")).AutoSplits, []byte(" "))) }
	for _, at := range []string{"p", "c", "x"} {
		c.change(func(c *Change) error { return AutoSplit(c.CatalogChange, "d", "t", []byte(at)) })
	}
	require.Equal(t, "c p x", auto())
	require.Equal(t, []ID{1, 1, 2, 2, 2}, c.spaces("t"))
	c.change(func(c *Change) error {
		_, err := c.SplitPartitions("d", "t", [][]byte{[]byte("p"), []byte("a")})
		return err
	})
	require.Equal(t, "c x", auto(), "a statement has asked for p")
	c.change(func(c *Change) error { return c.DropPartitions("d", "t", []int{1}) })
	require.Equal(t, "x", auto())
	c.change(func(c *Change) error {
		n := c.Catalog().Table("d", "t").Partitioning.Len()
		return c.ReorganizePartitions("d", "t", n-2, n-1, []string{"max"}, [][]byte{nil})
	})
	require.Empty(t, auto())
}
