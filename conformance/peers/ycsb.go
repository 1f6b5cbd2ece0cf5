package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
)

// mix is one of YCSB's core workloads: the share of each kind of operation in
// percent. Records are rows of five cells, chosen by a Zipf distribution.
type mix struct {
	name                                  string
	read, update, insert, scan, readWrite int
	latest                                bool // recent records are read most
}

var mixes = []mix{
	{name: "A, 50 % update", read: 50, update: 50},
	{name: "B, 5 % update", read: 95, update: 5},
	{name: "C, reads", read: 100},
	{name: "D, reads of the latest, 5 % insert", read: 95, insert: 5, latest: true},
	{name: "E, short scans, 5 % insert", scan: 95, insert: 5},
	{name: "F, 50 % read-modify-write", read: 50, readWrite: 50},
}

func ycsb(d dataset) []workload {
	var all []workload
	for _, m := range mixes {
		for _, workers := range []int{1, 2, 8} {
			all = append(all, m.workload(d.records(), workers))
		}
	}
	return all
}

func (m mix) workload(t table, workers int) workload {
	goroutines := fmt.Sprintf(", %d goroutines", workers)
	if workers == 1 {
		goroutines = ""
	}
	return workload{name: "YCSB " + m.name + goroutines, table: t.name, workers: workers, per: 1, verify: checkRecords, operations: func(b *bench) operation {
		rank := zipf(t.rows)
		return func(s session, i int) error {
			r := rand.New(rand.NewPCG(uint64(i), 5))
			return m.do(b, s, t, r, rank(r.Float64()))
		}
	}}
}

var (
	recordRead = &reading{name: "row", table: "y", args: rowArgs}
	recordScan = &reading{name: "limit", table: "y", args: limitArgs, ordered: true}
	recordLock = &reading{name: "locked", table: "y", args: cellArgs}
)

// do runs one operation on the record of a rank; ranks are scattered over the
// records, or counted back from the newest one.
func (m mix) do(b *bench, s session, t table, r *rand.Rand, rank int) error {
	record := int(uint64(rank) * 0x9e3779b97f4a7c15 % uint64(t.rows))
	if m.latest {
		record = max(0, t.rows+int(b.recorded.Load())-1-rank)
	}
	change := cell{k: key(record), q: qualifier(r.IntN(columns)), v: t.appendValue(nil, record, 7, r.IntN(1<<20))}
	switch dice := r.IntN(100); {
	case dice < m.read:
		return expectRows(s, recordRead, oneRow(change.k, columns), !m.latest)
	case dice < m.read+m.update:
		return s.write(updateCell, "y", change)
	case dice < m.read+m.update+m.insert:
		return s.write(insertRow, "y", newRecord(t, t.rows+int(b.recorded.Add(1)-1))...)
	case dice < m.read+m.update+m.insert+m.scan:
		length := columns * (1 + r.IntN(100))
		return expectRows(s, recordScan, scan{from: change.k, limit: length, rows: length}, false)
	}
	return readAndChange(s, change)
}

// expectRows reads; there may be fewer rows than expected near the end of the
// table or while another goroutine is still inserting them.
func expectRows(s session, r *reading, what scan, exactly bool) error {
	var to sink
	if err := s.read(background, r, what, &to); err != nil {
		return err
	}
	if to.rows > what.rows || exactly && to.rows != what.rows {
		return fmt.Errorf("%s %s: %d rows, want %d", r.name, what.from, to.rows, what.rows)
	}
	return nil
}

func readAndChange(s session, change cell) error {
	return inTransaction(s, func() error {
		what := oneRow(change.k, 1)
		what.qualifier, what.fold, what.latest = change.q, values, true
		if err := expectRows(s, recordLock, what, true); err != nil {
			return err
		}
		return s.write(updateCell, "y", change)
	})
}

func newRecord(t table, row int) []cell {
	record := make([]cell, columns)
	for i := range record {
		record[i] = cell{key(row), qualifier(i), t.time(row, 0), t.appendValue(nil, row, i, 0)}
	}
	return record
}

// checkRecords counts what the inserts have written: updates add no cells.
func checkRecords(b *bench) error {
	return b.checkCount("y", int64(b.data.records().cells())+columns*b.recorded.Load())
}

// zipf returns a function from [0, 1) to ranks below n with YCSB's skew of
// 0.99, after Gray and others, "Quickly generating billion-record synthetic
// databases" (1994).
func zipf(n int) func(float64) int {
	const theta = 0.99
	sum := zeta(n)
	eta := (1 - math.Pow(2/float64(n), 1-theta)) / (1 - (1+math.Pow(0.5, theta))/sum)
	return func(u float64) int {
		switch uz := u * sum; {
		case uz < 1:
			return 0
		case uz < 1+math.Pow(0.5, theta):
			return 1
		}
		return min(n-1, int(float64(n)*math.Pow(eta*u-eta+1, 1/(1-theta))))
	}
}

var zetas sync.Map

// zeta returns the sum of 1/i^0.99 up to n.
func zeta(n int) float64 {
	if known, ok := zetas.Load(n); ok {
		return known.(float64)
	}
	sum := 0.0
	for i := 1; i <= n; i++ {
		sum += 1 / math.Pow(float64(i), 0.99)
	}
	zetas.Store(n, sum)
	return sum
}
