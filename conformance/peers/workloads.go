package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// workload is a set of operations that is timed.
type workload struct {
	name    string
	table   string // the name of the table that it uses
	workers int
	per     int // the units that one operation counts as
	unit    string
	reading *reading // the one that it runs, if there is only one
	// operations returns the operation for a bench, with its data.
	operations func(*bench) operation
	// beside, if not nil, runs in one more session all the time; it is not
	// counted.
	beside *workload
	// check compares the contender's answers with the model's before the timing.
	check func(*bench) error
	// verify checks what was written, after the timing.
	verify func(*bench) error
}

// someRow distributes the rows that are read; the same i returns the same row.
func someRow(i, rows int) int {
	return int(rand.New(rand.NewPCG(uint64(i), 3)).Uint64N(uint64(rows)))
}

// read returns a workload that reads the i-th of many scans.
func read(name string, t table, r reading, per int, scans func(i int) scan) workload {
	r.table = t.name
	expected := map[int]answer{}
	return workload{
		name: name, table: t.name, reading: &r, workers: 1, per: max(per, 1), unit: unit(per),
		operations: func(*bench) operation { return readOperation(&r, scans) },
		check: func(b *bench) error {
			for i := range checks(per) {
				if _, known := expected[i]; !known {
					expected[i] = t.expected(scans(i), r.ordered)
				}
			}
			return b.checkRead(&r, scans, expected)
		},
	}
}

func unit(per int) string {
	if per > 1 {
		return "cell"
	}
	return ""
}

// checks is the number of answers that are checked: one for a large scan.
func checks(per int) int {
	if per > 1 {
		return 1
	}
	return 5
}

// readOperation counts the rows returned, which must be as many as expected.
func readOperation(r *reading, scans func(int) scan) operation {
	return func(s session, i int) error {
		what := scans(i)
		to := sink{looks: r.looks}
		if err := s.read(background, r, what, &to); err != nil {
			return err
		}
		if to.rows != what.rows {
			return fmt.Errorf("%s: %d rows, want %d", r.name, to.rows, what.rows)
		}
		return nil
	}
}

// checkRead compares the answers of each statement with the expected ones, and
// chooses the fastest statement.
func (b *bench) checkRead(r *reading, scans func(int) scan, expected map[int]answer) error {
	if b.name == "floor" {
		return nil
	}
	s := b.store.connect()
	defer s.close()
	choice, ok := b.store.(chooser)
	if !ok {
		_, err := b.compare(s, r, scans, expected)
		return err
	}
	return b.chooseFastest(choice, s, r, scans, expected)
}

// chooseFastest tries each statement. A statement that is too slow or, for a
// peer, wrong matters only if no other is left.
func (b *bench) chooseFastest(choice chooser, s session, r *reading, scans func(int) scan, expected map[int]answer) error {
	best, fastest, refused := "", time.Duration(0), errCannot
	for _, statement := range choice.statements(r) {
		choice.choose(r, statement)
		took, err := b.compare(s, r, scans, expected)
		switch {
		case errors.Is(err, errSlow), b.peer() && errors.Is(err, errWrong):
			refused = err
		case err != nil:
			return fmt.Errorf("%s: %w", statement, err)
		case best == "" || took < fastest:
			best, fastest = statement, took
		}
	}
	if best == "" {
		return refused
	}
	choice.choose(r, best)
	return nil
}

// compare reads each scan that has an expected answer, and returns the time of
// the last one, when caches are warm.
func (b *bench) compare(s session, r *reading, scans func(int) scan, expected map[int]answer) (took time.Duration, err error) {
	for i := range len(expected) {
		what := scans(i)
		began := time.Now()
		got, err := b.ask(s, r, what)
		if err != nil {
			return 0, err
		}
		if got != expected[i] {
			return 0, fmt.Errorf("%s: %w: %d rows, want %d", r.name, errWrong, got.rows, expected[i].rows)
		}
		if took = time.Since(began); expected[i].rows != what.rows {
			return 0, fmt.Errorf("%s says %d rows, the model has %d", r.name, what.rows, expected[i].rows)
		}
	}
	return took, nil
}
