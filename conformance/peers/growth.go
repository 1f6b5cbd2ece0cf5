package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// growth is one figure that shows how costs grow with size.
type growth struct {
	By        string  `json:"by"`   // cells, partitions, versions, connections
	Step      string  `json:"step"` // 100k
	Measure   string  `json:"measure"`
	Contender string  `json:"contender"`
	Value     float64 `json:"value"`
	Unit      string  `json:"unit"` // ns, bytes, x
}

// grow runs hbasekv and SQLite, if they take part, at growing sizes. The
// numbers of partitions and of versions grow at the first size.
func (r *runner) grow(sizes []int) (all []growth, err error) {
	for _, cells := range sizes {
		got, err := r.growCells(dataset{cells, 100})
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
	}
	d := dataset{sizes[0], 100}
	for _, part := range []func(dataset) ([]growth, error){r.growPartitions, r.growVersions, r.growConnections} {
		got, err := part(d)
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
	}
	return all, nil
}

// pair returns the contenders of the growth tables.
func (r *runner) pair() (pair []*contender) {
	for _, c := range r.contenders {
		if c.name == "hbasekv" || c.name == "sqlite" {
			pair = append(pair, c)
		}
	}
	return pair
}

// named selects workloads by name.
func named(all []workload, names ...string) (picked []workload) {
	for _, w := range all {
		if slices.Contains(names, w.name) {
			picked = append(picked, w)
		}
	}
	return picked
}

var growing = []string{"row get, 5 cells", "cell get", "scan, LIMIT 100", "full scan", "COUNT(*)"}

func (r *runner) mainWorkloads(d dataset) []workload {
	all := append(pointReads(d), rangeReads(d)...)
	return named(append(all, folds(d)...), growing...)
}

// growCells measures loading, disk use and opening for each contender alone,
// and then reading.
func (r *runner) growCells(d dataset) (all []growth, err error) {
	var benches []*bench
	defer func() { err = errors.Join(err, closeAll(benches)) }()
	for _, c := range r.pair() {
		b, figures, err := r.footprint(c, d)
		if b != nil {
			benches = append(benches, b)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, figures...)
	}
	got, err := r.timeAll("cells", count(d.cells), r.mainWorkloads(d), benches)
	return append(got, all...), err
}

func closeAll(benches []*bench) (err error) {
	for _, b := range benches {
		err = errors.Join(err, b.close())
	}
	return err
}

// timeAll runs workloads and returns their times as figures.
func (r *runner) timeAll(by, step string, workloads []workload, benches []*bench) (all []growth, err error) {
	for _, w := range workloads {
		fmt.Fprintf(r.progress, "%s %s: %s\n", step, by, w.name)
		results, err := r.compete(w, benches)
		if err != nil {
			return nil, err
		}
		measure := w.name
		if w.unit != "" {
			measure += ", a " + w.unit
		}
		for _, got := range results {
			all = append(all, growth{by, step, measure, got.Contender, got.NS, "ns"})
		}
	}
	return all, nil
}

// footprint loads the main table and measures the bytes written, the disk space
// used, and the time until the first answer after the store was closed.
func (r *runner) footprint(c *contender, d dataset) (b *bench, all []growth, err error) {
	figure := func(measure string, value float64, unit string) {
		all = append(all, growth{"cells", count(d.cells), measure, c.name, value, unit})
	}
	before, began := bytesWritten(), time.Now()
	if b, err = openBench(c, d, false, []table{d.main()}, r.limit); err != nil {
		return nil, nil, err
	}
	figure("load and compact, a cell", float64(time.Since(began).Nanoseconds())/float64(d.cells), "ns")
	if err := b.store.close(); err != nil {
		return b, nil, err
	}
	payload := float64(d.payload())
	if written := bytesWritten() - before; written > 0 {
		figure("bytes written to a byte of cells", float64(written)/payload, "x")
	}
	size, err := diskSize(b.dir)
	if err != nil {
		return b, nil, err
	}
	figure("disk to a byte of cells", float64(size)/payload, "x")
	took, err := b.reopen()
	figure("open and first row", float64(took.Nanoseconds()), "ns")
	return b, all, err
}

// payload returns the size of the main table's cells: K, Q, T and V.
func (d dataset) payload() int {
	return d.main().cells() * (len(key(0)) + len(qualifier(0)) + 8 + d.value)
}

// reopen opens the closed store again and reads a row.
func (b *bench) reopen() (took time.Duration, err error) {
	began := time.Now()
	if b.store, err = b.open(b.dir, false); err != nil {
		return 0, err
	}
	s := b.store.connect()
	defer s.close()
	row := &reading{name: "row", table: "c", args: rowArgs}
	err = expectRows(s, row, oneRow(key(7), columns), true)
	return time.Since(began), err
}

// growPartitions divides the main table into ever more partitions.
func (r *runner) growPartitions(d dataset) (all []growth, err error) {
	for _, n := range []int{1, 7, 97, 997} {
		c := &contender{name: "hbasekv", open: hbasekv(n).open}
		got, err := r.growOne(c, "partitions", count(n), d, d.main(), r.mainWorkloads(d))
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
	}
	return all, nil
}

func (r *runner) growOne(c *contender, by, step string, d dataset, t table, workloads []workload) (all []growth, err error) {
	b, err := openBench(c, d, false, []table{t}, r.limit)
	if err != nil {
		return nil, err
	}
	all, err = r.timeAll(by, step, workloads, []*bench{b})
	return all, errors.Join(err, b.close())
}

// growVersions reads the newest versions of ever fewer cells with ever more
// versions.
func (r *runner) growVersions(d dataset) (all []growth, err error) {
	for _, n := range []int{1, 10, 100, 1000, 10_000} {
		for _, c := range r.pair() {
			t := d.versioned(n)
			w := latestRead(t)
			w.name = "latest version"
			got, err := r.growOne(c, "versions", count(n), d, t, []workload{w})
			if err != nil {
				return nil, err
			}
			all = append(all, got...)
		}
	}
	return all, nil
}

// figure finds a figure of a table by its step, measure and contender.
func (r *report) figure(by, step, column string) string {
	for _, g := range r.Growth {
		if g.By == by && g.Step == step && g.column() == column {
			return g.print()
		}
	}
	return "-"
}

func (g growth) column() string { return g.Measure + ": " + g.Contender }

func (g growth) print() string {
	switch g.Unit {
	case "ns":
		return duration(g.Value)
	case "x":
		return ratio(g.Value)
	}
	return digits(g.Value/1024) + " KiB"
}

// markdownGrowth prints a table for each thing that grows, with the steps as
// columns.
func (r *report) markdownGrowth(w io.Writer) {
	for _, by := range distinct(r.Growth, func(g growth) string { return g.By }) {
		var own []growth
		for _, g := range r.Growth {
			if g.By == by {
				own = append(own, g)
			}
		}
		steps := distinct(own, func(g growth) string { return g.Step })
		fmt.Fprintf(w, "| %s | %s |\n|---|%s\n", by, strings.Join(steps, " | "), strings.Repeat("---|", len(steps)))
		for _, column := range distinct(own, growth.column) {
			fmt.Fprintf(w, "| %s |", column)
			for _, step := range steps {
				fmt.Fprintf(w, " %s |", r.figure(by, step, column))
			}
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w)
	}
}

// distinct returns the different names, in the order of their first appearance.
func distinct(all []growth, name func(growth) string) (names []string) {
	for _, g := range all {
		if !slices.Contains(names, name(g)) {
			names = append(names, name(g))
		}
	}
	return names
}

var writtenLine = regexp.MustCompile(`(?m)^write_bytes: (\d+)$`)

func parseWritten(io []byte) int64 {
	found := writtenLine.FindSubmatch(io)
	if found == nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(found[1]), 10, 64)
	return n
}
