package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sync/atomic"
	"time"
)

// stage is a set of tables, loaded once in each contender, with the workloads
// that run on them.
type stage struct {
	label     string
	data      dataset
	durable   bool
	asLoaded  bool // nothing is compacted, and no log is applied
	tables    []table
	workloads []workload
}

// stages returns those of one size: values of 100 bytes, values of 10 KiB, and
// commits that wait for the disk.
func stages(cells int) []stage {
	small, large := dataset{cells, 100}, dataset{max(cells/50, 100), 10 << 10}
	return []stage{
		{label: small.label(), data: small, tables: small.tables(), workloads: smallWorkloads(small)},
		{label: large.label(), data: large, tables: large.tables(), workloads: largeWorkloads(large)},
	}
}

func smallWorkloads(d dataset) (all []workload) {
	all = append(all, inserts(d)...)
	all = append(all, bulkLoads(d)...)
	all = append(all, pointReads(d)...)
	all = append(all, wideRead(d))
	all = append(all, rangeReads(d)...)
	all = append(all, latestReads(d)...)
	all = append(all, folds(d)...)
	all = append(all, counting(d)...)
	return append(all, ycsb(d)...)
}

func largeWorkloads(d dataset) (all []workload) {
	all = append(all, inserts(d)...)
	all = append(all, bulkLoads(d)...)
	all = append(all, pointReads(d)...)
	all = append(all, looks(d)...)
	all = append(all, rangeReads(d)...)
	return append(all, folds(d)...)
}

func durableStage(cells int) stage {
	d := dataset{cells, 100}
	return stage{
		label: "durable, 100 B", data: d, durable: true, tables: []table{d.main(), d.log()},
		workloads: append(durableInserts(), readsBesideWriter(d)...),
	}
}

// runner runs stages.
type runner struct {
	contenders []*contender
	workloads  *regexp.Regexp
	repeat     int
	long       time.Duration // of a repetition
	limit      time.Duration // for one answer during the check
	processor  bool          // measure its time
	progress   io.Writer
}

// run loads the contenders and runs the selected workloads. What a contender
// cannot do is recorded in its results; a wrong result is an error.
func (r *runner) run(st stage) (results []result, err error) {
	wanted := r.wanted(st)
	if len(wanted) == 0 {
		return nil, nil
	}
	benches, err := r.open(st, needed(st.tables, wanted))
	defer func() {
		for _, b := range benches {
			err = errors.Join(err, b.close())
		}
	}()
	if err != nil {
		return nil, err
	}
	for _, w := range wanted {
		fmt.Fprintf(r.progress, "%s: %s\n", st.label, w.name)
		got, err := r.compete(w, benches)
		if err != nil {
			return nil, err
		}
		for i := range got {
			got[i].Data = st.label
		}
		results = append(results, got...)
	}
	return results, nil
}

func (r *runner) wanted(st stage) (wanted []workload) {
	for _, w := range st.workloads {
		if r.workloads.MatchString(w.name) {
			wanted = append(wanted, w)
		}
	}
	return wanted
}

// needed returns the tables that some workload uses.
func needed(tables []table, workloads []workload) (some []table) {
	for _, t := range tables {
		if slices.ContainsFunc(workloads, func(w workload) bool { return w.table == t.name || w.beside != nil && w.beside.table == t.name }) {
			some = append(some, t)
		}
	}
	return some
}

func (r *runner) open(st stage, tables []table) (benches []*bench, err error) {
	for _, c := range r.contenders {
		began := time.Now()
		c := *c
		c.asLoaded = st.asLoaded
		b, err := openBench(&c, st.data, st.durable, tables, r.limit)
		if err != nil {
			return benches, err
		}
		fmt.Fprintf(r.progress, "%s: %s is loaded, in %v\n", st.label, c.name, time.Since(began).Round(time.Millisecond))
		benches = append(benches, b)
	}
	return benches, nil
}

// entry is a contender in one workload.
type entry struct {
	*bench
	operation operation
	sessions  []session
	beside    operation // nil for most
	aside     session   // that runs it
	next      atomic.Int64
	result    result
	ns        []float64
	allocs    []float64
}

// compete checks the contenders' answers, runs them in turns, and verifies what
// they wrote.
func (r *runner) compete(w workload, benches []*bench) (results []result, err error) {
	var entries []*entry
	for _, b := range benches {
		e, err := enter(w, b)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", b.name, w.name, err)
		}
		entries = append(entries, e)
	}
	for i := range 1 + r.repeat {
		long := r.long
		if i == 0 {
			long /= 5 // to warm up
		}
		for _, e := range entries {
			if err := e.turn(w, long, r.processor); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", e.name, w.name, err)
			}
		}
	}
	for _, e := range entries {
		if err := e.leave(w); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", e.name, w.name, err)
		}
		results = append(results, e.result)
	}
	return results, nil
}

// enter checks a contender's answers. One that cannot do the workload, or not
// within the limit, is left out, with the reason as its result.
func enter(w workload, b *bench) (*entry, error) {
	e := &entry{bench: b, result: result{Workload: w.name, Contender: b.name, Unit: w.unit}}
	if w.check != nil {
		err := w.check(b)
		if errors.Is(err, errCannot) || errors.Is(err, errSlow) || b.peer() && errors.Is(err, errWrong) {
			e.result.Out = err.Error()
			return e, nil
		}
		if err != nil {
			return nil, err
		}
	}
	if db, ok := b.store.(*sqlStore); ok && w.reading != nil {
		e.result.Statement = inTable(db.statement(w.reading), w.table)
	}
	e.operation = w.operations(b)
	for range w.workers {
		e.sessions = append(e.sessions, b.store.connect())
	}
	if w.beside != nil {
		e.beside, e.aside = w.beside.operations(b), b.store.connect()
	}
	return e, nil
}

func (e *entry) turn(w workload, long time.Duration, processor bool) error {
	if e.operation == nil {
		return nil
	}
	awaitQuiet(min(2*time.Second, 10*long))
	stop := e.keepBusy()
	s, err := measure(e.operation, e.sessions, &e.next, long)
	err = errors.Join(err, stop())
	if errors.Is(err, errCannot) {
		e.operation, e.result.Out = nil, err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	took, n := s.elapsed, float64(s.ops)*float64(w.per)
	if processor {
		took = s.processor
	}
	e.ns = append(e.ns, float64(took.Nanoseconds())/n)
	e.allocs = append(e.allocs, float64(s.allocs)/n)
	return nil
}

func (e *entry) leave(w workload) error {
	if e.aside != nil {
		e.sessions = append(e.sessions, e.aside)
	}
	for _, s := range e.sessions {
		if err := s.close(); err != nil {
			return err
		}
	}
	if e.operation == nil {
		return nil
	}
	e.result.NS, e.result.Allocs, e.result.Runs = median(e.ns[1:]), median(e.allocs[1:]), e.ns[1:]
	if w.verify == nil {
		return nil
	}
	return w.verify(e.bench)
}

// keepBusy runs the operation beside the others until it is stopped.
func (e *entry) keepBusy() (stop func() error) {
	if e.beside == nil {
		return func() error { return nil }
	}
	var over atomic.Bool
	done := make(chan error)
	go func() {
		var err error
		for i := 0; err == nil && !over.Load(); i++ {
			err = e.beside(e.aside, i)
		}
		done <- err
	}()
	return func() error {
		over.Store(true)
		return <-done
	}
}
