package kv

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/partition"
)

// TestAllows requires that each kind of DDL is refused with a message of its own if only it
// is missing.
func TestAllows(t *testing.T) {
	said := map[string]bool{}
	for each := DDL(1); each < AllDDL; each <<= 1 {
		l := FullLimits()
		require.NoError(t, l.Allows(AllDDL))
		l.DDL &^= each
		require.NoError(t, l.Allows(AllDDL&^each))
		var refused ErrUnsupported
		require.ErrorAs(t, l.Allows(AllDDL), &refused)
		require.NotEmpty(t, refused.What)
		said[refused.What] = true
	}
	require.Len(t, said, len(refusals))
}

// TestLimitedLengths requires that a table's keys are as long as declared, but no longer than
// the store's.
func TestLimitedLengths(t *testing.T) {
	none := []partition.Method{partition.None}
	for _, l := range []Limits{{MaxRow: 32767, MaxQualifier: 256, Partitionings: none}, {Partitionings: none}} {
		c := (&StoredCatalog{}).Catalog().Change(l, nil)
		require.NoError(t, c.CreateDatabase(Database{Name: "d"}))
		row, qualifier := 65535, 1024
		made, err := c.CreateTable(Table{Database: "d", Name: "t", MaxRow: row, MaxQualifier: qualifier, Partitioning: &partition.Scheme{}})
		require.NoError(t, err)
		if l.MaxRow > 0 {
			row, qualifier = l.MaxRow, l.MaxQualifier
		}
		require.Equal(t, []int{row, qualifier}, []int{made.MaxRow, made.MaxQualifier})
		wider := *made
		wider.MaxRow = 65535
		require.NoError(t, c.AlterTable(wider))
		require.Equal(t, row, c.Catalog().Table("d", "t").MaxRow)
		small, err := c.CreateTable(Table{Database: "d", Name: "u", MaxRow: 10, MaxQualifier: 10, Partitioning: &partition.Scheme{}})
		require.NoError(t, err)
		require.Equal(t, []int{10, 10}, []int{small.MaxRow, small.MaxQualifier})
	}
}

// TestAllowedLayouts requires that partitionings are allowed according to the limits.
func TestAllowedLayouts(t *testing.T) {
	key, err := partition.NewKey(3)
	require.NoError(t, err)
	closed, err := partition.NewRange([]string{"p"}, [][]byte{[]byte("m")})
	require.NoError(t, err)
	sliced, err := (&partition.Scheme{}).Sliced(&partition.Slices{Names: []string{"s"}, Upper: []int64{1}})
	require.NoError(t, err)
	ranges, err := partition.NewRange([]string{"p", "q"}, [][]byte{[]byte("m"), nil})
	require.NoError(t, err)
	l := Limits{Partitionings: []partition.Method{partition.None, partition.Range}}
	for p, says := range map[*partition.Scheme]string{key: "PARTITION BY KEY", closed: "MAXVALUE", sliced: "by time", ranges: "", {}: ""} {
		c := (&StoredCatalog{}).Catalog().Change(l, nil)
		require.NoError(t, c.CreateDatabase(Database{Name: "d"}))
		_, err := c.CreateTable(Table{Database: "d", Name: "t", Partitioning: p})
		if says == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, says)
		require.Nil(t, c.Catalog().Table("d", "t"))
		c = (&StoredCatalog{}).Catalog().Change(FullLimits(), nil)
		require.NoError(t, c.CreateDatabase(Database{Name: "d"}))
		_, err = c.CreateTable(Table{Database: "d", Name: "t", Partitioning: p})
		require.NoError(t, err)
	}
}
