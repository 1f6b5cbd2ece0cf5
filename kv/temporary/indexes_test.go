package temporary_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/kv/temporary"
)

// byValue is an index of cells by their values, with rows of one byte.
type byValue struct{}

func (byValue) Qualifiers() [][]byte { return [][]byte{{}} }

func (byValue) Append(to []index.Entry, row []byte, cells []kv.Cell) ([]index.Entry, error) {
	for i := range cells {
		to = append(to, index.Entry{Row: slices.Concat(cells[i].Value, row), Timestamp: cells[i].Timestamp})
	}
	return to, nil
}

func (byValue) BaseRow(row, _ []byte) ([]byte, error) { return row[len(row)-1:], nil }

// TestCheckIn finds no damage in the entries of an own table, and finds what is written past the keeper.
func TestCheckIn(t *testing.T) {
	tables := temporary.New(newModel(t), &counter{}, func(*kv.Table, int) (index.Entries, error) { return byValue{}, nil })
	create(t, tables.Own(), "t")
	require.NoError(t, tables.Own().ChangeCatalog(t.Context(), func(c *kv.CatalogChange) error {
		_, err := c.AddIndex("d", "t", kv.Index{Name: "i"}, kv.Table{MaxRow: 64, MaxQualifier: 64, Value: kv.ValueType{Nullable: true}})
		return err
	}))
	catalog, err := tables.Catalog(t.Context())
	require.NoError(t, err)
	table := catalog.Table("d", "t")
	require.NoError(t, index.Build(t.Context(), tables.Own(), table.Indexes[0].Entries, index.BuildOptions{}))
	txn, err := tables.Begin(t.Context(), kv.TxnOptions{})
	require.NoError(t, err)
	defer txn.Rollback()
	table = txn.Catalog().Table("d", "t")
	entries := txn.Catalog().TableByID(table.Indexes[0].Entries)
	for _, row := range []string{"a", "b", "c"} {
		require.NoError(t, txn.Put(t.Context(), table, kv.Cell{Row: []byte(row), Timestamp: 1, Value: []byte("v" + row)}))
	}
	require.NoError(t, txn.DeleteColumn(t.Context(), table, []byte("b"), nil))
	check := func(damage ...string) {
		t.Helper()
		report, err := index.CheckIn(t.Context(), txn, entries.ID)
		require.NoError(t, err)
		require.EqualValues(t, 2, report.Rows)
		require.Len(t, report.Damage, len(damage))
		for i, d := range report.Damage {
			require.ErrorIs(t, d, kv.ErrCorrupt)
			require.ErrorContains(t, d, damage[i])
		}
	}
	check()
	require.NoError(t, txn.Put(t.Context(), entries, kv.Cell{Row: []byte("vbb"), Timestamp: 1}))
	check(`the entry 766262 does not belong to the row "b"`)
	require.NoError(t, txn.DeleteColumn(t.Context(), entries, []byte("vcc"), nil))
	check(`the row "c" has no entry 766363`, `the entry 766262 does not belong to the row "b"`)
}
