package main

import "fmt"

// The arguments of the statements.
func noArgs(scan) []any              { return nil }
func rowArgs(s scan) []any           { return []any{s.from} }
func cellArgs(s scan) []any          { return []any{s.from, s.qualifier} }
func rangeArgs(s scan) []any         { return []any{s.from, s.to} }
func limitArgs(s scan) []any         { return []any{s.from, int64(s.limit)} }
func qualifierArgs(s scan) []any     { return []any{s.qualifier} }
func timeArgs(s scan) []any          { return []any{s.since, s.until} }
func asOfArgs(s scan) []any          { return []any{s.until - 1} }
func always(s scan) func(int) scan   { return func(int) scan { return s } }
func oneRow(k []byte, rows int) scan { return scan{from: k, to: after(k), rows: rows} }

// pointReads read a row or a cell.
func pointReads(d dataset) []workload {
	t := d.main()
	return []workload{
		read("row get, 5 cells", t, reading{name: "row", args: rowArgs}, 1, func(i int) scan {
			return oneRow(key(someRow(i, t.rows)), columns)
		}),
		read("cell get", t, reading{name: "cell", args: cellArgs}, 1, func(i int) scan {
			s := oneRow(key(someRow(i, t.rows)), 1)
			s.qualifier = qualifier(i % columns)
			return s
		}),
		read("missing row get", t, reading{name: "row", args: rowArgs}, 1, func(i int) scan {
			return oneRow(missingKey(someRow(i, t.rows)), 0)
		}),
	}
}

// looks are reads whose reader uses the values. Raw Pebble returns values that
// were not touched yet: fetching large ones from memory is most of the cost of
// reading them, whoever does it first.
func looks(d dataset) []workload {
	t := d.main()
	return []workload{
		read("row get, 5 cells, looked at", t, reading{name: "row", args: rowArgs, looks: true}, 1, func(i int) scan {
			return oneRow(key(someRow(i, t.rows)), columns)
		}),
		read("cell get, looked at", t, reading{name: "cell", args: cellArgs, looks: true}, 1, func(i int) scan {
			s := oneRow(key(someRow(i, t.rows)), 1)
			s.qualifier = qualifier(i % columns)
			return s
		}),
		read("full scan, looked at", t, reading{name: "scan", args: noArgs, looks: true}, t.cells(), always(scan{rows: t.cells()})),
	}
}

func wideRead(d dataset) workload {
	t := d.wide()
	return read("row get, 50 cells", t, reading{name: "row", args: rowArgs}, 1, func(i int) scan {
		return oneRow(key(someRow(i, t.rows)), t.columns)
	})
}

// rangeReads read some or all rows of the main table.
func rangeReads(d dataset) []workload {
	t := d.main()
	hundredth := max(t.rows/100, 1)
	return []workload{
		read("prefix scan, 100 cells", t, reading{name: "range", args: rangeArgs, ordered: true}, 1, func(i int) scan {
			first := someRow(i, t.rows-20)
			return scan{from: key(first), to: key(first + 20), rows: 100}
		}),
		read("scan, LIMIT 100", t, reading{name: "limit", args: limitArgs, ordered: true}, 1, func(i int) scan {
			return scan{from: key(someRow(i, t.rows-20)), limit: 100, rows: 100}
		}),
		read("full scan", t, reading{name: "scan", args: noArgs}, t.cells(), always(scan{rows: t.cells()})),
		read("scan, Q = ", t, reading{name: "qualifier", args: qualifierArgs}, t.rows, always(scan{qualifier: qualifier(2), rows: t.rows})),
		read("time range, 1 %", t, reading{name: "times", args: timeArgs}, 1, func(i int) scan {
			since := firstTime + int64(someRow(i, t.rows-hundredth))
			return scan{since: since, until: since + int64(hundredth), rows: hundredth * columns}
		}),
	}
}

// folds are reports: they read many cells and return few rows.
func folds(d dataset) []workload {
	t := d.main()
	tenth := max(t.rows/10, 1)
	return []workload{
		read("COUNT(*)", t, reading{name: "count", args: noArgs}, t.cells(), always(scan{fold: total, rows: 1})),
		read("COUNT(*), a tenth by K", t, reading{name: "count range", args: rangeArgs}, tenth*columns, func(i int) scan {
			first := someRow(i, t.rows-tenth)
			return scan{from: key(first), to: key(first + tenth), fold: total, rows: 1}
		}),
		read("GROUP BY LEFT(K, 4)", t, reading{name: "groups", args: noArgs}, t.cells(), always(scan{fold: groups, rows: prefixes(0, t.rows)})),
		read("top 10 by V", t, reading{name: "top", args: noArgs, ordered: true}, t.cells(), always(scan{fold: top, rows: topRows})),
	}
}

// latestReads read the newest of many versions.
func latestReads(d dataset) []workload {
	var all []workload
	for _, n := range []int{1, 10, 100, 1000} {
		all = append(all, latestRead(d.versioned(n)))
	}
	t := d.versioned(10)
	return append(all, read("as of the middle of 10 versions", t, reading{name: "as of", args: asOfArgs}, t.rows,
		always(scan{latest: true, until: firstTime + 5, rows: t.rows})))
}

func latestRead(t table) workload {
	return read(fmt.Sprintf("latest of %s versions", count(t.versions)), t, reading{name: "latest", args: noArgs}, t.rows, always(scan{latest: true, rows: t.rows}))
}
