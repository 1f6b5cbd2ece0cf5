package main

import (
	"fmt"
	"strconv"
)

// inserts write new cells to the log: many per transaction, and one.
func inserts(d dataset) []workload {
	return []workload{
		{name: "load, 1,000 cells a transaction", table: "l", workers: 1, per: batch, unit: "cell", operations: loadBatches, verify: checkLog},
		autocommit("insert, autocommit", 1),
	}
}

// durableInserts return when the cells are on disk.
func durableInserts() []workload {
	var all []workload
	for _, workers := range []int{1, 8, 64} {
		all = append(all, autocommit("durable insert, "+writers(workers), workers))
	}
	return all
}

// readsBesideWriter read a cell, alone and while another connection commits one
// durable insert after the other.
func readsBesideWriter(d dataset) []workload {
	get := pointReads(d)[1]
	alone, busy := get, get
	alone.name, busy.name = "cell get, nobody writing", "cell get beside a durable writer"
	writer := autocommit("insert", 1)
	busy.beside = &writer
	return []workload{alone, busy}
}

func writers(n int) string {
	if n == 1 {
		return "1 writer"
	}
	return strconv.Itoa(n) + " writers"
}

func autocommit(name string, workers int) workload {
	return workload{name: name, table: "l", workers: workers, per: 1, verify: checkLog, operations: func(b *bench) operation {
		value := b.data.log().appendValue(nil, 1, 2, 3)
		return func(s session, _ int) error {
			return s.write(insertCell, "l", cell{key(int(b.logged.Add(1) - 1)), qualifier(0), firstTime, value})
		}
	}}
}

func loadBatches(b *bench) operation {
	value := b.data.log().appendValue(nil, 1, 2, 3)
	return func(s session, _ int) error {
		if err := s.begin(); err != nil {
			return err
		}
		first := int(b.logged.Add(batch) - batch)
		for i := range batch {
			if err := s.write(insertCell, "l", cell{key(first + i), qualifier(0), firstTime, value}); err != nil {
				return err
			}
		}
		return s.commit()
	}
}

// scatteredInserts write new rows, in no order, among those of a table.
func scatteredInserts(d dataset) []workload {
	t := d.scattered()
	row := func(b *bench, value []byte) cell {
		i := t.rows + int(b.spread.Add(1)-1)
		return cell{scatteredKey(i), qualifier(0), firstTime + int64(i), value}
	}
	one := workload{name: "insert of a scattered row, autocommit", table: t.name, workers: 1, per: 1}
	one.verify = func(b *bench) error { return b.checkCount(t.name, int64(t.rows)+b.spread.Load()) }
	one.operations = func(b *bench) operation {
		value := t.appendValue(nil, 1, 2, 3)
		return func(s session, _ int) error { return s.write(insertCell, t.name, row(b, value)) }
	}
	many := one
	many.name, many.per, many.unit = "load of scattered rows, 1,000 a transaction", batch, "cell"
	many.operations = func(b *bench) operation {
		value := t.appendValue(nil, 1, 2, 3)
		return func(s session, _ int) error {
			return inTransaction(s, func() error {
				for range batch {
					if err := s.write(insertCell, t.name, row(b, value)); err != nil {
						return err
					}
				}
				return nil
			})
		}
	}
	return []workload{many, one}
}

// checkLog counts what the inserts have written.
func checkLog(b *bench) error { return b.checkCount("l", b.logged.Load()) }

func (b *bench) checkCount(table string, want int64) error {
	s := b.store.connect()
	defer s.close()
	expected := newSink(false)
	expected.group(nil, want)
	got, err := b.ask(s, &reading{name: "count", table: table, args: noArgs}, scan{fold: total, rows: 1})
	if err == nil && b.name != "floor" && got != expected.answer {
		err = fmt.Errorf("%s does not hold the %d cells that were written", table, want)
	}
	return err
}

// counting adds to cells, in one statement and in a transaction that reads
// first.
func counting(d dataset) []workload {
	return []workload{
		counter("update V = V + 1", 1, d.counters().rows, addOne),
		counter("update V = V + 1, 8 writers of 1 cell", 8, 1, addOne),
		counter("read, modify, write", 1, d.counters().rows, readModifyWrite),
	}
}

func counter(name string, workers, cells int, add func(s session, k []byte) error) workload {
	return workload{name: name, table: "u", workers: workers, per: 1, verify: checkCounters, operations: func(b *bench) operation {
		return func(s session, i int) error {
			if err := add(s, key(someRow(i, cells))); err != nil {
				return err
			}
			b.counted.Add(1)
			return nil
		}
	}}
}

func addOne(s session, k []byte) error {
	return s.write(increment, "u", cell{k: k, q: qualifier(0)})
}

var locked = &reading{name: "locked", table: "u", args: cellArgs}

func readModifyWrite(s session, k []byte) error {
	return inTransaction(s, func() error {
		n, err := readNumber(s, k)
		if err != nil {
			return err
		}
		return s.write(updateCell, "u", cell{k: k, q: qualifier(0), v: strconv.AppendInt(nil, n+1, 10)})
	})
}

func inTransaction(s session, do func() error) error {
	if err := s.begin(); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return s.commit()
}

func readNumber(s session, k []byte) (int64, error) {
	what := oneRow(k, 1)
	what.qualifier, what.fold, what.latest = qualifier(0), values, true
	to := sink{keep: true}
	if err := s.read(background, locked, what, &to); err != nil || to.rows != 1 {
		return 0, fmt.Errorf("%s: %d rows: %w", k, to.rows, err)
	}
	if to.kept[0] == 0 {
		return 0, nil // for the floor
	}
	return strconv.ParseInt(string(to.kept), 10, 64)
}

// checkCounters adds up what was counted.
func checkCounters(b *bench) error {
	if b.name == "floor" {
		return nil
	}
	s := b.store.connect()
	defer s.close()
	var sum int64
	for i := range b.data.counters().rows {
		err := inTransaction(s, func() error {
			n, err := readNumber(s, key(i))
			sum += n
			return err
		})
		if err != nil {
			return err
		}
	}
	if want := b.counted.Load(); sum != want {
		return fmt.Errorf("the counters add up to %d after %d increments", sum, want)
	}
	return nil
}
