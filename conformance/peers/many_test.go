package main

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	manyCells  = flag.Int("many.cells", 30_000, "cells of the table of BenchmarkManyCells")
	manyMemory = flag.String("many.memory", "256MiB", "txnMemory of hbasekv in BenchmarkManyCells")
	manyCache  = flag.String("many.cache", "512MiB", "block cache of hbasekv in BenchmarkManyCells, a part of what it takes")
)

// manyPerRow is the number of cells of a row.
const manyPerRow = 10

// BenchmarkManyCells changes 1 %, 10 % and all cells of a table with one statement each, selected by ranges
// of keys, by qualifiers and by values: ManyCells/store/statement/choice/share. Each begins with the table
// as a load leaves it. In addition to the time it reports the processor time of all threads, and the maximum
// growth of the process.
func BenchmarkManyCells(b *testing.B) {
	b.Run("pebble", benchManyPebble)
	for _, store := range []manyStore{
		{name: "sqlite", driver: "sqlite3", dsn: func(dir string) string { return mattnDSN(filepath.Join(dir, "s"), "NORMAL") },
			end: " WITHOUT ROWID"},
		{name: "hbasekv", driver: "hbasekv", dsn: func(dir string) string {
			return fmt.Sprintf("file:%s?sync=false&cache=%s&txnMemory=%s", filepath.Join(dir, "h"), *manyCache, *manyMemory)
		}},
	} {
		b.Run(store.name, func(b *testing.B) {
			store.loaded = b.TempDir()
			store.load(b)
			for _, statement := range []string{"DELETE FROM c WHERE ", "UPDATE c SET V = 'changed' WHERE "} {
				for _, choice := range manyChoices() {
					b.Run(strings.ToLower(statement[:6])+"/"+choice.name, func(b *testing.B) { store.change(b, statement, choice) })
				}
			}
		})
	}
}

// manyChoice is a condition and the number of cells that fulfil it.
type manyChoice struct {
	name, where string
	cells       int
}

func manyChoices() []manyChoice {
	n := *manyCells
	key := func(cells int) string { return fmt.Sprintf("K < '%s'", manyKey(cells/manyPerRow)) }
	return []manyChoice{
		{"key/1", key(n / 100), n / 100}, {"key/10", key(n / 10), n / 10}, {"key/100", key(n), n},
		{"qualifier/1", "Q = 'rare'", n / 100}, {"qualifier/10", "Q = 'q1'", n / 10}, {"qualifier/100", "Q >= 'q'", n},
		{"value/1", "V < '01'", n / 100}, {"value/10", "V < '10'", n / 10}, {"value/100", "V >= '0'", n},
	}
}

func manyKey(row int) string { return fmt.Sprintf("row%09d", row) }

// manyCell is the i-th cell. The first cell of every tenth row has the qualifier rare.
func manyCell(i int) (k, q string, t int, v string) {
	q = "q" + strconv.Itoa(i%manyPerRow)
	if i%(10*manyPerRow) == 0 {
		q = "rare"
	}
	return manyKey(i / manyPerRow), q, 1_700_000_000_000, fmt.Sprintf("%02d of some twenty bytes", i*7919/manyPerRow%100)
}

// manyStore is a contender, and the place of its table.
type manyStore struct {
	name, driver, end string
	dsn               func(dir string) string
	loaded            string
}

func (s *manyStore) open(b *testing.B, dir string) *sql.DB {
	db, err := sql.Open(s.driver, s.dsn(dir))
	require.NoError(b, err)
	require.NoError(b, db.Ping())
	return db
}

func (s *manyStore) load(b *testing.B) {
	db := s.open(b, s.loaded)
	kind := "varbinary(64)"
	if s.end != "" {
		kind = "text"
	}
	_, err := db.Exec(fmt.Sprintf("CREATE TABLE c (K %[1]s, Q %[1]s, T bigint, V %[1]s, PRIMARY KEY (K, Q, T))%[2]s", kind, s.end))
	require.NoError(b, err)
	load := &reportLoad{b: b, db: db, table: "c", rows: 1}
	for i := range *manyCells {
		k, q, t, v := manyCell(i)
		load.insertValues(k, q, t, v)
	}
	load.commit()
	require.NoError(b, db.Close())
}

// change runs a statement on copies of the table.
func (s *manyStore) change(b *testing.B, statement string, choice manyChoice) {
	var used time.Duration
	var grown int64
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		require.NoError(b, os.CopyFS(dir, os.DirFS(s.loaded)))
		db := s.open(b, dir)
		conn, err := db.Conn(context.Background())
		require.NoError(b, err)
		debug.FreeOSMemory()
		before, cpu := residentMemory(b, true), processorTime()
		b.StartTimer()
		done, err := conn.ExecContext(b.Context(), statement+choice.where)
		require.NoError(b, err)
		b.StopTimer()
		used += processorTime() - cpu
		grown = max(grown, residentMemory(b, false)-before)
		n, err := done.RowsAffected()
		require.NoError(b, err)
		require.EqualValues(b, choice.cells, n)
		require.NoError(b, conn.Close())
		require.NoError(b, db.Close())
		require.NoError(b, os.RemoveAll(dir))
		b.StartTimer()
	}
	b.ReportMetric(float64(used)/float64(b.N)/float64(choice.cells), "cpu-ns/cell")
	b.ReportMetric(float64(grown)/(1<<20), "peak-MiB")
}

// residentMemory is the maximum resident memory of the process since it was reset, 0 if the system does not
// tell. reset sets it back first.
func residentMemory(b *testing.B, reset bool) int64 {
	if reset && os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil {
		return 0
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(after), " ")
	n, err := strconv.ParseInt(kilobytes, 10, 64)
	require.NoError(b, err)
	return n << 10
}
