package main

import (
	"context"
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// bytesWritten returns the bytes that this process has caused to be written to
// disks, 0 if the system does not report it. It does not include MariaDB's.
func bytesWritten() int64 {
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0
	}
	return parseWritten(data)
}

func diskSize(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}

// growConnections measures the Go heap of idle connections and of cursors that
// have returned the first of many rows.
func (r *runner) growConnections(d dataset) (all []growth, err error) {
	for _, c := range r.pair() {
		if c.name != "hbasekv" {
			continue // SQLite's memory is not in Go's heap
		}
		b, err := openBench(c, d, false, []table{d.main()}, r.limit)
		if err != nil {
			return nil, err
		}
		defer b.close()
		for _, n := range []int{1, 10, 100} {
			connection, cursor, err := heapOf(b.store.(*sqlStore).db, n)
			if err != nil {
				return nil, err
			}
			all = append(all,
				growth{"connections", count(n), "Go heap of an idle connection", c.name, connection, "bytes"},
				growth{"connections", count(n), "Go heap of an open cursor", c.name, cursor, "bytes"})
		}
	}
	return all, nil
}

// heapOf opens n connections and then a cursor on each, and returns the heap of
// one of each.
func heapOf(db *sql.DB, n int) (connection, cursor float64, err error) {
	before := heapInUse()
	conns := make([]*sql.Conn, n)
	for i := range conns {
		if conns[i], err = db.Conn(context.Background()); err != nil {
			return 0, 0, err
		}
		defer conns[i].Close()
		if err := conns[i].PingContext(context.Background()); err != nil {
			return 0, 0, err
		}
	}
	connected := heapInUse()
	for _, c := range conns {
		rows, err := c.QueryContext(context.Background(), "SELECT K, Q, T, V FROM c ORDER BY K")
		if err != nil {
			return 0, 0, err
		}
		defer rows.Close()
		rows.Next()
	}
	return max(0, float64(connected-before)) / float64(n), max(0, float64(heapInUse()-connected)) / float64(n), nil
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
