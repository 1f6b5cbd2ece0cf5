package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	_ "github.com/hbasekv/hbasekv/driver"
)

// options are the command's flags.
type options struct {
	short, growth, bulk bool
	loaded, processor   bool
	cells               string
	workload, contender string
	json, svg, readme   string
	repeat              int
	long, limit         time.Duration
}

func parseFlags() *options {
	o := &options{}
	flag.BoolVar(&o.short, "short", false, "100k cells, in less than 15 minutes on two cores")
	flag.BoolVar(&o.growth, "growth", false, "show how costs grow with cells, partitions and versions instead")
	flag.BoolVar(&o.bulk, "bulk", false, "with -growth: load up to 100M cells in bulk, beside bare Pebble, with a cache of a tenth of them")
	flag.BoolVar(&o.loaded, "loaded", false, "ask tables as their load left them: nothing is compacted, nor SQLite's log taken over")
	flag.BoolVar(&o.processor, "processor", false, "count processor time, of all threads of the process")
	flag.StringVar(&o.cells, "cells", "", "sizes of the main table, such as 100k,1M,10M (default 1M, with -short 100k)")
	flag.StringVar(&o.workload, "workload", "", "run the workloads whose names match this expression")
	flag.StringVar(&o.contender, "contender", "", "run the contenders whose names match this expression")
	flag.StringVar(&o.json, "json", "", "write the results to this file")
	flag.StringVar(&o.svg, "svg", "", "draw the results to this file")
	flag.StringVar(&o.readme, "readme", "", "put the tables between the marks in this file")
	flag.IntVar(&o.repeat, "repeat", 5, "repetitions of each workload, of which the median counts")
	flag.DurationVar(&o.long, "time", 100*time.Millisecond, "length of a repetition")
	flag.DurationVar(&o.limit, "limit", 30*time.Second, "leave out statements that take longer than this")
	flag.Parse()
	return o
}

func main() {
	if err := run(parseFlags()); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(o *options) error {
	sizes, err := parseSizes(o)
	if err != nil {
		return err
	}
	r, notes, err := newRunner(o)
	if err != nil {
		return err
	}
	rep := newReport()
	rep.Notes = notes
	switch {
	case o.growth && o.bulk:
		rep.Growth, err = r.growBulk(sizes)
	case o.growth:
		rep.Growth, err = r.grow(sizes)
	default:
		rep.Results, err = r.all(o, sizes)
	}
	if err != nil {
		return err
	}
	return rep.publish(o)
}

// all runs every stage of every size.
func (r *runner) all(o *options, sizes []int) (results []result, err error) {
	var todo []stage
	if !o.loaded {
		todo = append(todo, durableStage(10_000))
	}
	for _, cells := range sizes {
		if o.loaded {
			todo = append(todo, loadedStage(cells))
		} else {
			todo = append(todo, stages(cells)...)
		}
	}
	for _, st := range todo {
		got, err := r.run(st)
		if err != nil {
			return nil, err
		}
		results = append(results, got...)
	}
	return results, nil
}

// newRunner selects the contenders, and reports those that cannot take part.
func newRunner(o *options) (r *runner, notes []string, err error) {
	r = &runner{repeat: max(o.repeat, 1), long: o.long, limit: o.limit, processor: o.processor, progress: os.Stderr}
	if r.workloads, err = regexp.Compile(o.workload); err != nil {
		return nil, nil, fmt.Errorf("-workload: %w", err)
	}
	wanted, err := regexp.Compile(o.contender)
	if err != nil {
		return nil, nil, fmt.Errorf("-contender: %w", err)
	}
	for _, c := range contenders {
		switch why := c.absent(); {
		case !wanted.MatchString(c.name), c.onlyLoaded && !o.loaded:
		case why != "":
			notes = append(notes, c.name+" does not take part: "+why)
			fmt.Fprintln(os.Stderr, notes[len(notes)-1])
		default:
			r.contenders = append(r.contenders, c)
		}
	}
	if len(r.contenders) == 0 {
		return nil, nil, fmt.Errorf("-contender %s: nobody takes part", o.contender)
	}
	return r, notes, nil
}

func (c *contender) absent() string {
	if c.missing == nil {
		return ""
	}
	return c.missing()
}

func parseSizes(o *options) (sizes []int, err error) {
	text := o.cells
	switch {
	case text != "":
	case o.short:
		text = "100k"
	case o.growth && o.bulk:
		text = "1M,10M,100M"
	case o.growth:
		text = "100k,1M,10M"
	default:
		text = "1M"
	}
	for part := range strings.SplitSeq(text, ",") {
		n, err := parseCount(part)
		if err != nil {
			return nil, fmt.Errorf("-cells %s: %w", part, err)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// parseCount reads 100k as 100000.
func parseCount(s string) (int, error) {
	unit := 1
	switch {
	case strings.HasSuffix(s, "k"):
		unit = 1_000
	case strings.HasSuffix(s, "M"):
		unit = 1_000_000
	}
	n, err := strconv.Atoi(strings.TrimRight(s, "kM"))
	if err == nil && n < 1 {
		err = fmt.Errorf("must be positive")
	}
	return n * unit, err
}

// publish prints the tables and writes the requested files.
func (r *report) publish(o *options) error {
	text := r.text()
	fmt.Print(text)
	for _, file := range []struct {
		name  string
		write func(string) error
	}{
		{o.json, r.writeJSON},
		{o.svg, r.writeSVG},
		{o.readme, func(name string) error { return replaceMarked(name, r.mark(), text+picture(name, o.svg)) }},
	} {
		if file.name == "" {
			continue
		}
		if err := file.write(file.name); err != nil {
			return err
		}
	}
	return nil
}
