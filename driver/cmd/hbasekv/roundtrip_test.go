package main

import (
	"bufio"
	"bytes"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var (
	cellsFlag = flag.Int("roundtrip.cells", 8_000, "the number of cells that are exported and loaded")
	longFlag  = flag.Int("roundtrip.long", 1<<20,
		"the length of the longest values among them, in bytes; 16 MiB is 16777216")
)

// randomCells are cells for a group of two tables, in no order: bytes of all
// kinds, versions, NULL, empty values, and some long ones.
func randomCells(seed uint64, n, long int) func(yield func(driver.Cell, error) bool) {
	r := rand.New(rand.NewPCG(seed, 1))
	short := func() []byte {
		b := make([]byte, r.IntN(12))
		for i := range b {
			b[i] = "ab\x00\xff\\\"',\n\té"[r.IntN(12)]
		}
		return b
	}
	return func(yield func(driver.Cell, error) bool) {
		for i := range n {
			key := fmt.Appendf(short(), "%d", r.IntN(n))
			c := driver.Cell{Table: r.IntN(2), K: key, Q: short(), T: r.Int64N(5) - 2, V: short()}
			switch r.IntN(8) {
			case 0:
				c.V = nil
			case 1:
				c.T = []int64{math.MinInt64, math.MaxInt64, r.Int64()}[r.IntN(3)]
			}
			if i%(n/4) == 7 {
				c.V = bytes.Repeat([]byte{byte(i), 0xff, 'x'}, long/3+1)[:long]
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

// checksums are the checksums of the tables, over all versions.
func checksums(t *testing.T, dir string) (text string) {
	db, err := sql.Open(driver.Name, dir)
	require.NoError(t, err)
	defer db.Close()
	rows, err := db.Query("CHECKSUM TABLE g$a, g$b EXTENDED")
	require.NoError(t, err)
	for rows.Next() {
		var table string
		var sum uint64
		require.NoError(t, rows.Scan(&table, &sum))
		text += fmt.Sprintln(table, sum)
	}
	require.NoError(t, rows.Err())
	return text
}

const groupSQL = `CREATE TABLE g$a (K varbinary(64), Q varbinary(64), T bigint, V longblob, PRIMARY KEY (K, Q, T))
	PARTITION BY KEY(K) PARTITIONS 3; CREATE TABLE g$b LIKE g$a`

// fill makes a store with a group of random cells.
func fill(t *testing.T, dir string, seed uint64, n, long int) {
	db, err := sql.Open(driver.Name, dir+"?multiStatements=true")
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec(groupSQL)
	require.NoError(t, err)
	_, err = driver.BulkLoad(t.Context(), db, []string{"g$a", "g$b"}, randomCells(seed, n, long))
	require.NoError(t, err)
}

// TestRoundTrips exports cells in each format and loads them: the tables are then
// equal. With -roundtrip.cells 1000000 it takes a minute.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	seed := testseed.Of(t)
	dir := t.TempDir()
	n, long := *cellsFlag, *longFlag
	if testing.Short() {
		n, long = 2000, 100_000
	}
	fill(t, filepath.Join(dir, "store"), seed, n, long)
	want := checksums(t, filepath.Join(dir, "store"))
	for _, name := range []string{"csv", "tsv", "jsonl", "txt", "parquet", "sql", "csv.gz", "jsonl.zst", "parquet.zst"} {
		file := "cells." + name
		hbasekv := func(args ...string) {
			start := time.Now()
			cmd := command(dir, args...)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			t.Logf("%v: %v, %d MiB", args, time.Since(start).Round(time.Millisecond),
				cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss>>10)
		}
		hbasekv("export", "store", "g", file)
		if name == "sql" {
			hbasekv("sql", name, file)
		} else {
			hbasekv("sql", name, "-e", groupSQL)
			hbasekv("load", name, "g", file)
		}
		require.Equal(t, want, checksums(t, filepath.Join(dir, name)), name)
		require.NoError(t, os.RemoveAll(filepath.Join(dir, name)))
		require.NoError(t, os.Remove(filepath.Join(dir, file)))
	}
}

// TestInterruptedExport: an interrupt leaves neither the file nor a part of it,
// and an existing file is unchanged.
func TestInterruptedExport(t *testing.T) {
	dir := t.TempDir()
	fill(t, filepath.Join(dir, "store"), 1, 50_000, 1000)
	out := filepath.Join(dir, "out")
	require.NoError(t, os.Mkdir(out, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(out, "old.csv"), []byte("old"), 0o644))
	for _, name := range []string{"new.csv", "old.csv"} {
		// The statement returns a row and then runs for hours.
		cmd := command(dir, "export", "store", "SELECT x.K FROM g$a x, g$a y, g$a z", filepath.Join(out, name), "--force")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool {
			files, err := filepath.Glob(filepath.Join(out, ".*"))
			return err == nil && len(files) == 1
		}, time.Minute, time.Millisecond, "the file is under way")
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		require.Error(t, cmd.Wait())
		require.Contains(t, stderr.String(), "interrupted")
	}
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	text, err := os.ReadFile(filepath.Join(out, "old.csv"))
	require.NoError(t, err)
	require.Equal(t, "old", string(text))
}

// TestInterruptedBulkLoad: a load of cells that is interrupted has loaded nothing.
func TestInterruptedBulkLoad(t *testing.T) {
	dir := t.TempDir()
	out, err := command(dir, "sql", "store", "-e", groupSQL).CombinedOutput()
	require.NoError(t, err, "%s", out)
	load := command(dir, "load", "store", "g", "-", "--format", "csv")
	feed, err := load.StdinPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	load.Stderr = &stderr
	require.NoError(t, load.Start())
	w := bufio.NewWriter(feed)
	fmt.Fprintln(w, "row,family,qualifier,timestamp,value")
	for i := range 20_000 {
		fmt.Fprintf(w, "row%d,a,q,1,v\n", i)
	}
	require.NoError(t, w.Flush(), "more than the pipe holds has been read")
	require.NoError(t, load.Process.Signal(os.Interrupt))
	for err == nil { // it ends at one of the next lines
		_, err = io.WriteString(feed, "late,a,q,1,v\n")
	}
	var exit *exec.ExitError
	require.ErrorAs(t, load.Wait(), &exit)
	require.Contains(t, stderr.String(), "nothing was loaded")
	out, err = command(dir, "sql", "store", "-e", "SELECT COUNT(*) FROM g").Output()
	require.NoError(t, err)
	require.Equal(t, "COUNT(*)\n0\n", string(out))
}
