package main

import (
	"errors"
	"time"
)

// bulkCells names the growth of bulk-loaded tables.
const bulkCells = "cells, bulk loaded"

const (
	bulkValue = 32        // in bytes, so that 100M cells of both stores take 10 GB
	bulkStep  = 1_000_000 // the number of cells loaded at a time
)

// growBulk runs hbasekv and bare Pebble at growing sizes, with a cache of a tenth of
// the cells, and compares how much their costs grow.
func (r *runner) growBulk(sizes []int) (all []growth, err error) {
	for _, cells := range sizes {
		got, err := r.growBulkCells(dataset{cells, bulkValue})
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
	}
	return append(all, besidePebble(all)...), nil
}

func (r *runner) growBulkCells(d dataset) (all []growth, err error) {
	usual := cacheSize
	cacheSize = int64(d.payload() / 10)
	defer func() { cacheSize = usual }()
	var benches []*bench
	defer func() { err = errors.Join(err, closeAll(benches)) }()
	for _, c := range r.contenders {
		if c.name != "hbasekv" && c.name != "pebble" {
			continue
		}
		b, figures, err := r.loadBulk(c, d)
		if b != nil {
			benches = append(benches, b)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, figures...)
	}
	got, err := r.timeAll(bulkCells, count(d.cells), bulkReads(d), benches)
	return append(got, all...), err
}

// loadBulk loads the main table, and reopens the store.
func (r *runner) loadBulk(c *contender, d dataset) (b *bench, all []growth, err error) {
	if b, err = openBench(c, d, false, nil, r.limit); err != nil {
		return nil, nil, err
	}
	figure := func(measure string, value float64, unit string) {
		all = append(all, growth{bulkCells, count(d.cells), measure, c.name, value, unit})
	}
	t, began := d.main(), time.Now()
	if err := b.store.create(t); err != nil {
		return b, nil, err
	}
	for from := 0; from < t.rows; from += bulkStep / columns {
		if err := b.store.(bulkLoader).bulkLoad(t, from, min(t.rows, from+bulkStep/columns), 1); err != nil {
			return b, nil, err
		}
	}
	figure("bulk load, a cell", float64(time.Since(began).Nanoseconds())/float64(d.cells), "ns")
	if err := b.store.close(); err != nil {
		return b, nil, err
	}
	size, err := diskSize(b.dir)
	if err != nil {
		return b, nil, err
	}
	figure("disk to a byte of cells", float64(size)/float64(d.payload()), "x")
	took, err := b.reopen()
	figure("open and first row", float64(took.Nanoseconds()), "ns")
	return b, all, err
}

// bulkReads are the reads of the main table.
func bulkReads(d dataset) []workload {
	t := d.main()
	hundredth := max(t.rows/100, 1)
	all := append(append(pointReads(d), rangeReads(d)...), folds(d)...)
	return append(named(all, "row get, 5 cells", "cell get", "scan, LIMIT 100", "COUNT(*)"),
		read("GROUP BY LEFT(K, 4) of 1 %", t, reading{name: "groups range", args: rangeArgs}, hundredth*columns, func(i int) scan {
			first := someRow(i, t.rows-hundredth)
			return scan{from: key(first), to: key(first + hundredth), fold: groups, rows: prefixes(first, first+hundredth)}
		}),
		read("pivot of 1 % by time", t, reading{name: "pivot times", args: timeArgs}, hundredth*columns, func(i int) scan {
			since := firstTime + int64(someRow(i, t.rows-hundredth))
			return scan{since: since, until: since + int64(hundredth), fold: pivot, rows: hundredth}
		}))
}

// besidePebble returns the growth of hbasekv's figures from each size to the next,
// divided by the growth of bare Pebble's.
func besidePebble(all []growth) (out []growth) {
	find := func(step, measure, contender string) float64 {
		for _, g := range all {
			if g.Step == step && g.Measure == measure && g.Contender == contender && g.Unit == "ns" {
				return g.Value
			}
		}
		return 0
	}
	steps := distinct(all, func(g growth) string { return g.Step })
	for i := 1; i < len(steps); i++ {
		for _, measure := range distinct(all, func(g growth) string { return g.Measure }) {
			own := find(steps[i], measure, "hbasekv") / find(steps[i-1], measure, "hbasekv")
			raw := find(steps[i], measure, "pebble") / find(steps[i-1], measure, "pebble")
			if own > 0 && raw > 0 {
				out = append(out, growth{bulkCells, steps[i], measure, "growth beside pebble's", own / raw, "x"})
			}
		}
	}
	return out
}
