package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sort"
	"strconv"
)

// table describes a table: the numbers of its rows, of its columns and of the
// versions of each cell. All contents follow from the position, so that each
// contender gets the same cells and the expected answers can be computed.
type table struct {
	name                    string
	rows, columns, versions int
	value                   int // in bytes; 0: the text "0", to count on
	scattered               bool
}

const firstTime = 1_700_000_000_000

// key returns the key of row i, in the order of i; 200 rows share the first
// four digits, and after the first 2,000,000 rows 2,000.
func key(i int) []byte {
	if n := i / manyKeys; n > 0 {
		return fmt.Appendf(nil, "%c%03d-%011d", 'a'+n-1, i%manyKeys/2000, i)
	}
	return fmt.Appendf(nil, "%04d-%011d", i/200, i)
}

// scatteredKey returns the key of row i, in no order.
func scatteredKey(i int) []byte { return fmt.Appendf(nil, "%016x", splitmix(uint64(i))) }

func (t table) key(row int) []byte {
	if t.scattered {
		return scatteredKey(row)
	}
	return key(row)
}

// manyKeys is the number of rows for which four digits are enough.
const manyKeys = 2_000_000

// prefixes returns the number of different prefixes of the rows from..to.
func prefixes(from, to int) int {
	number := func(i int) int {
		if i < manyKeys {
			return i / 200
		}
		return i / 2000 // continues after the first 10,000
	}
	out := number(to-1) - number(from) + 1
	if from < manyKeys && to > manyKeys {
		out += manyKeys/200 - manyKeys/2000
	}
	return out
}

func missingKey(i int) []byte { return append(key(i), 'x') }

func qualifier(column int) []byte { return []byte{'q', '0' + byte(column/10), '0' + byte(column%10)} }

func (t table) cells() int { return t.rows * t.columns * t.versions }

// time returns when a version was written: if cells have one version, rows came
// one after the other; if they have more, all cells came together.
func (t table) time(row, version int) int64 {
	if t.versions == 1 {
		return firstTime + int64(row)
	}
	return firstTime + int64(version)
}

// appendValue appends the bytes of a version, which do not compress.
func (t table) appendValue(buf []byte, row, column, version int) []byte {
	if t.value == 0 {
		return append(buf, '0')
	}
	x := uint64(row)<<32 ^ uint64(column)<<20 ^ uint64(version)
	end := len(buf) + t.value
	for len(buf) < end {
		x += 0x9e3779b97f4a7c15
		buf = binary.LittleEndian.AppendUint64(buf, splitmix(x))
	}
	return buf[:end]
}

// splitmix mixes the bits of a number; different numbers stay different.
func splitmix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// cell is one version. Its bytes are valid until its producer makes the next
// one.
type cell struct {
	k, q []byte
	t    int64
	v    []byte
}

// each passes the versions of the rows from..to to give in the order K, Q, T
// descending, until give returns false.
func (t table) each(from, to int, give func(cell) (more bool)) {
	var value []byte
	for row := max(from, 0); row < min(to, t.rows); row++ {
		k := t.key(row)
		for column := range t.columns {
			for version := t.versions - 1; version >= 0; version-- {
				value = t.appendValue(value[:0], row, column, version)
				if !give(cell{k, qualifier(column), t.time(row, version), value}) {
					return
				}
			}
		}
	}
}

// dataset is what the workloads of one run read and write.
type dataset struct {
	cells int // of the main table
	value int // in bytes
}

// label describes the size briefly, such as 1M x 100 B.
func (d dataset) label() string {
	value := strconv.Itoa(d.value) + " B"
	if d.value >= 1<<10 {
		value = strconv.Itoa(d.value>>10) + " KiB"
	}
	return count(d.cells) + " x " + value
}

// count prints 100000 as 100k.
func count(n int) string {
	switch {
	case n >= 1_000_000 && n%1_000_000 == 0:
		return strconv.Itoa(n/1_000_000) + "M"
	case n >= 1_000 && n%1_000 == 0:
		return strconv.Itoa(n/1_000) + "k"
	}
	return strconv.Itoa(n)
}

const columns = 5

// main is the table of rows of five cells that most workloads read.
func (d dataset) main() table {
	return table{name: "c", rows: max(d.cells/columns, 40), columns: columns, versions: 1, value: d.value}
}

// wide is the table with rows of fifty cells.
func (d dataset) wide() table {
	return table{name: "w", rows: max(d.cells/10/50, 10), columns: 50, versions: 1, value: d.value}
}

// versioned has n versions of each cell, and at most as many versions as the
// main table.
func (d dataset) versioned(n int) table {
	return table{name: "v" + strconv.Itoa(n), rows: max(min(d.cells, 200_000)/n, 2), columns: 1, versions: n, value: d.value}
}

// counters is the table of the counting workloads.
func (d dataset) counters() table {
	return table{name: "u", rows: 1000, columns: 1, versions: 1}
}

// records is YCSB's table.
func (d dataset) records() table {
	return table{name: "y", rows: max(d.cells/10/columns, 100), columns: columns, versions: 1, value: d.value}
}

// log is empty at first; workloads insert into it.
func (d dataset) log() table {
	return table{name: "l", columns: 1, versions: 1, value: d.value}
}

// scattered has as many rows as the main table, with one cell each and in no
// order.
func (d dataset) scattered() table {
	return table{name: "s", rows: d.main().rows, columns: 1, versions: 1, value: d.value, scattered: true}
}

// tables returns all tables that the dataset's workloads need.
func (d dataset) tables() []table {
	all := []table{d.main(), d.log(), d.loads()}
	if d.value >= 1<<10 {
		return all
	}
	all = append(all, d.wide(), d.counters(), d.records())
	for _, n := range []int{1, 10, 100, 1000} {
		all = append(all, d.versioned(n))
	}
	return all
}

// rowAt returns the number of the first row with a key of at least k; for nil,
// unbounded.
func (t table) rowAt(k []byte, unbounded int) int {
	if k == nil {
		return unbounded
	}
	return sort.Search(t.rows, func(i int) bool { return bytes.Compare(key(i), k) >= 0 })
}
