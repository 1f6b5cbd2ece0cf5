package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"
)

// lookup reports the processor time of a row that is found by an index (row), of one that is found by its
// primary key (key), and of a seek in Pebble with the same cells. They run by turns, so that what else the
// machine does affects them alike. ratio is row / (key + seek).
func (t *typedBench) lookup(b *testing.B) {
	s, err := openPebble(b.TempDir(), false)
	require.NoError(b, err)
	defer s.close()
	db := s.(*rawStore).db
	t.loadPebble(b, db)
	require.NoError(b, s.settle(table{name: "p"}))
	awaitQuiet(10 * time.Second)
	ways := []struct {
		name string
		read func(b *testing.B, i int)
		used time.Duration
	}{
		{name: "key", read: t.reader(b, "SELECT name, age, city FROM people WHERE id = ?", func(i int) any { return i })},
		{name: "row", read: t.reader(b, "SELECT name, age, city FROM people WHERE email = ?", func(i int) any { return fmt.Sprintf("person%d@example.com", i) })},
		{name: "seek", read: func(b *testing.B, i int) { seekPebble(b, db, i) }},
	}
	const turn = 100
	for i := 0; b.Loop(); i += turn {
		for w := range ways {
			began := processorTime()
			for n := range turn {
				ways[w].read(b, 1+(i+n)*7919%*typedRows)
			}
			ways[w].used += processorTime() - began
		}
	}
	of := map[string]float64{}
	for _, w := range ways {
		of[w.name] = float64(w.used) / float64(b.N*turn)
		b.ReportMetric(of[w.name], w.name+"-cpu-ns")
	}
	b.ReportMetric(of["row"]/(of["key"]+of["seek"]), "ratio")
}

// reader returns a function that runs a query for one row.
func (t *typedBench) reader(b *testing.B, query string, arg func(i int) any) func(b *testing.B, i int) {
	ask, err := t.db.Prepare(query)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, ask.Close()) })
	return func(b *testing.B, i int) {
		var name, age, city any
		if err := ask.QueryRow(arg(i)).Scan(&name, &age, &city); err != nil {
			b.Fatal(i, err)
		}
	}
}

// seekPebble finds the first cell of a person.
func seekPebble(b *testing.B, db *pebble.DB, i int) {
	it, err := db.NewIter(nil)
	if err != nil {
		b.Fatal(err)
	}
	if !it.SeekGE(append(rawPrefix(nil, "p"), personKey(i)...)) {
		b.Fatal(i)
	}
	if err := it.Close(); err != nil {
		b.Fatal(err)
	}
}

// insertCost reports the processor time of an insert into people without an index, with one and with a UNIQUE
// one, by turns of transactions of 1,000 rows. index and unique are what these cost beside a second row: their
// differences to the first, as parts of it.
func (t *typedBench) insertCost(b *testing.B) {
	ways := []struct {
		table, index string
		*typedBench
		used time.Duration
	}{{table: "plain"}, {table: "with_index", index: "INDEX (balance)"}, {table: "with_unique", index: "UNIQUE (email)"}}
	for i, w := range ways {
		_, err := t.db.Exec("DROP TABLE IF EXISTS " + w.table)
		require.NoError(b, err)
		_, err = t.db.Exec(strings.Replace(people, "people", w.table, 1))
		require.NoError(b, err)
		if w.index != "" {
			_, err = t.db.Exec("ALTER TABLE " + w.table + " ADD " + w.index)
			require.NoError(b, err)
		}
		ways[i].typedBench = &typedBench{db: t.db, next: 1, table: w.table}
	}
	const rows = 1000
	for b.Loop() {
		for i := range ways {
			began := processorTime()
			ways[i].insert(b, rows)
			ways[i].used += processorTime() - began
		}
	}
	plain := float64(ways[0].used)
	b.ReportMetric(plain/float64(b.N*rows), "plain-cpu-ns/row")
	b.ReportMetric(float64(ways[1].used)/plain-1, "index")
	b.ReportMetric(float64(ways[2].used)/plain-1, "unique")
}
