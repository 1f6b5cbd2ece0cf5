package hbasekvtest_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/hbasekvtest"
)

// benchmark is a benchmark whose cleanup can run repeatedly.
type benchmark struct {
	*testing.B
	cleanups []func()
}

func (b *benchmark) Cleanup(f func()) { b.cleanups = append(b.cleanups, f) }

func (b *benchmark) end() {
	for _, f := range slices.Backward(b.cleanups) {
		f()
	}
}

// BenchmarkOpen opens and closes an in-memory store with one connection.
func BenchmarkOpen(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		r := &benchmark{B: b}
		require.NoError(b, hbasekvtest.Open(r).Ping())
		r.end()
	}
}

// tenThousand are the cells of the benchmarks.
func tenThousand(db *sql.DB) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	for i := range 10_000 {
		if _, err := tx.Exec("REPLACE INTO users$info VALUES (?, 'q', 1, 'value')", fmt.Sprintf("row%06d", i)); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// BenchmarkTemplate clones a store of 10,000 cells, reads once and closes it,
// beside what Pebble itself takes to open and close the same files.
func BenchmarkTemplate(b *testing.B) {
	open := hbasekvtest.Template(b, tenThousand, hbasekvtest.Schema(users))
	b.Run("clone", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			r := &benchmark{B: b}
			require.EqualValues(b, 1, count(b, open(r), "SELECT COUNT(*) FROM users$info WHERE K = 'row000001'"))
			r.end()
		}
	})
	b.Run("pebble.Open", func(b *testing.B) {
		dir := b.TempDir()
		db := hbasekvtest.Open(b, hbasekvtest.Schema(users))
		require.NoError(b, tenThousand(db))
		files := filepath.Join(dir, "files")
		_, err := db.Exec("BACKUP TO ?", files)
		require.NoError(b, err)
		options := bareOptions(b, files)
		b.ReportAllocs()
		for b.Loop() {
			bare, err := pebble.Open(files, options.Clone())
			require.NoError(b, err)
			require.NoError(b, bare.Close())
		}
	})
}

// bareOptions are Pebble's options with the names that the store's files require.
func bareOptions(b *testing.B, dir string) *pebble.Options {
	names, err := filepath.Glob(filepath.Join(dir, "OPTIONS-*"))
	require.NoError(b, err)
	require.NotEmpty(b, names)
	text, err := os.ReadFile(names[0])
	require.NoError(b, err)
	comparer := *pebble.DefaultComparer
	o := &pebble.Options{Logger: silent{}, Comparer: &comparer, FormatMajorVersion: pebble.FormatNewest}
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "  comparer=%s", &comparer.Name); err == nil {
			break
		}
	}
	return o
}

type silent struct{}

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}
func (silent) Fatalf(f string, a ...any) {
	panic(fmt.Sprintf(f, a...))
}
