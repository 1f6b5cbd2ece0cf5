package pebblekv

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/attribute"
	"github.com/hbasekv/hbasekv/partition"
)

// crowds are the numbers of tables with which DDL is measured.
var crowds = []int{10, 1_000, 10_000, 50_000}

// someDeclaration is about what the SQL front stores for a typed table of ten columns.
func someDeclaration() *attribute.Set {
	var columns []map[string]any
	for i := range 10 {
		columns = append(columns, map[string]any{"name": fmt.Sprint("column_", i), "type": "varchar", "length": 100,
			"nullable": true})
	}
	return attribute.New(&map[string]any{"columns": columns, "key": []int{0}})
}

// crowd makes n tables, each with a declaration and in a group of its own.
func crowd(t testing.TB, s *Store, n int) {
	require.NoError(t, s.ChangeCatalog(context.Background(), func(c *kv.CatalogChange) error {
		if err := c.CreateDatabase(kv.Database{Name: "d"}); err != nil {
			return err
		}
		for i := range n {
			if err := createTyped(c, fmt.Sprintf("table_%06d", i)); err != nil {
				return err
			}
		}
		return nil
	}))
}

func createTyped(c *kv.CatalogChange, name string) error {
	if err := c.CreateGroup(kv.Group{Database: "d", Name: name, Attributes: someDeclaration()}); err != nil {
		return err
	}
	_, err := c.CreateTable(kv.Table{Database: "d", Name: name + "$d", Group: name, Family: "d", MaxRow: 1024,
		MaxQualifier: 256, Value: kv.ValueType{Kind: "longblob", Max: 1 << 20, Nullable: true},
		Partitioning: &partition.Scheme{}})
	return err
}

// BenchmarkDDL creates and drops a table among others.
func BenchmarkDDL(b *testing.B) {
	for _, n := range crowds {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, err := Open(Options{Dir: "d", FS: vfs.NewMem()})
			require.NoError(b, err)
			crowd(b, s, n)
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, s.ChangeCatalog(b.Context(),
					func(c *kv.CatalogChange) error { return createTyped(c, "table_5") }))
				require.NoError(b, s.ChangeCatalog(b.Context(),
					func(c *kv.CatalogChange) error { return c.DropTable("d", "table_5$d") }))
			}
			require.NoError(b, s.Close())
		})
	}
}

// BenchmarkOpenCrowd opens a store of many tables, and reports the memory of the catalog.
func BenchmarkOpenCrowd(b *testing.B) {
	for _, n := range crowds {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			fs := vfs.NewMem()
			s, err := Open(Options{Dir: "d", FS: fs})
			require.NoError(b, err)
			crowd(b, s, n)
			require.NoError(b, s.Close())
			s = nil
			before, after := heap(), uint64(0)
			for b.Loop() {
				s, err = Open(Options{Dir: "d", FS: fs})
				require.NoError(b, err)
				b.StopTimer()
				after = heap()
				require.Equal(b, n, len(s.catalog().Tables("d")))
				require.NoError(b, s.Close())
				b.StartTimer()
			}
			b.ReportMetric((float64(after)-float64(before))/float64(n), "B/table")
		})
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
