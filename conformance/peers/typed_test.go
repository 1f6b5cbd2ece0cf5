package main

import (
	"cmp"
	"database/sql"
	"encoding/binary"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var typedRows = flag.Int("typed.rows", 100_000, "rows of the typed table that BenchmarkTyped asks")

// people has ten columns; SQLite ignores the lengths.
const people = "CREATE TABLE people (id bigint NOT NULL PRIMARY KEY, name varchar(100) NOT NULL, email varchar(200), age int, city varchar(50), " +
	"score double, balance decimal(12,2), joined datetime(3), active tinyint(1), bio text)"

const insertPerson = "INSERT INTO people VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

func person(i int) []any {
	return []any{i, fmt.Sprintf("Name %06d", i*7919%1_000_000), fmt.Sprintf("person%d@example.com", i), i * 31 % 90, fmt.Sprintf("City %02d", i*17%50),
		float64(i%1000) / 8, fmt.Sprintf("%d.%02d", i*13%10_000, i%100), fmt.Sprintf("20%02d-%02d-%02d 12:34:%02d.500", 10+i%15, 1+i%12, 1+i%28, i%60),
		i % 2, strings.Repeat("some words of a life. ", 1+i%6)}
}

// personKey is the row key of a person's cells.
func personKey(i int) []byte { return binary.BigEndian.AppendUint64(nil, 1<<63|uint64(i)) }

var typedStores = []struct {
	name, driver string
	dsn          func(b *testing.B) string
}{
	{"sqlite", "sqlite3", func(b *testing.B) string {
		// In SQLite only this word makes an integer the row's number.
		return mattnDSN(filepath.Join(b.TempDir(), "s"), "OFF")
	}},
	{"mariadb", "mysql", func(b *testing.B) string {
		if missing := noMariaDB(); missing != "" {
			b.Skip(missing)
		}
		dsn, stop, err := startMariaDB(b.TempDir(), false)
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, stop()) })
		return dsn
	}},
	{"hbasekv", "hbasekv", func(b *testing.B) string {
		return fmt.Sprintf("file:%s?sync=false&cache=%dMiB", filepath.Join(b.TempDir(), "h"), cacheSize>>20)
	}},
}

// BenchmarkTyped runs typical questions on a typed table of ten columns, as a load leaves it:
// Typed/store/question. The floor is Pebble with the same cells, alone and behind a driver; family is the row read
// as cells by its key.
func BenchmarkTyped(b *testing.B) {
	for _, store := range typedStores {
		b.Run(store.name, func(b *testing.B) {
			db, err := sql.Open(store.driver, store.dsn(b))
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, db.Close()) })
			t := &typedBench{db: db, next: 1}
			t.load(b, store.name)
			t.reads(b, store.name)
			t.lists(b)
			t.writes(b)
			if store.name == "hbasekv" {
				b.Run("floor", t.floor)
			}
		})
	}
}

type typedBench struct {
	db    *sql.DB
	next  int    // the first free id
	table string // where insert inserts; people if empty
}

func (t *typedBench) load(b *testing.B, store string) {
	create := people
	if store == "sqlite" {
		create = strings.Replace(create, "bigint NOT NULL", "integer", 1)
	}
	_, err := t.db.Exec(create)
	require.NoError(b, err)
	for t.next <= *typedRows {
		t.insert(b, 1000)
	}
}

// insert inserts rows in a transaction.
func (t *typedBench) insert(b *testing.B, rows int) {
	tx, err := t.db.Begin()
	require.NoError(b, err)
	insert, err := tx.Prepare(strings.Replace(insertPerson, "people", cmp.Or(t.table, "people"), 1))
	require.NoError(b, err)
	for range rows {
		_, err = insert.Exec(person(t.next)...)
		require.NoError(b, err)
		t.next++
	}
	require.NoError(b, tx.Commit())
}

// fewColumns are half of a person.
const fewColumns = "name, email, age, city, joined"

// listLengths are numbers of ids in a list.
var listLengths = []int{10, 100}

// idsFrom returns n different ids all over the table, in no order.
func idsFrom(first, n int) []any {
	ids := make([]any, n)
	for i := range ids {
		ids[i] = 1 + (first+i*31_337)%*typedRows // a prime
	}
	return ids
}

// lists reads and changes rows by lists of ids.
func (t *typedBench) lists(b *testing.B) {
	for _, n := range listLengths {
		in := "WHERE id IN (?" + strings.Repeat(", ?", n-1) + ")"
		b.Run(fmt.Sprintf("in%d", n), func(b *testing.B) {
			t.askWith(b, "SELECT "+fewColumns+" FROM people "+in, n, func(i int) []any { return idsFrom(i, n) })
		})
		b.Run(fmt.Sprintf("update-in%d", n), func(b *testing.B) {
			update, err := t.db.Prepare("UPDATE people SET age = ? " + in)
			require.NoError(b, err)
			defer update.Close()
			defer reportProcessor(b)()
			for i := 0; b.Loop(); i++ {
				_, err := update.Exec(append([]any{100 + i}, idsFrom(i*7919, n)...)...)
				require.NoError(b, err)
			}
		})
	}
}

// reads are questions and the number of rows of each answer.
func (t *typedBench) reads(b *testing.B, store string) {
	n := *typedRows
	t.ask(b, "point", "SELECT "+fewColumns+" FROM people WHERE id = ?", 1)
	if store == "hbasekv" {
		b.Run("family", func(b *testing.B) {
			t.askWith(b, "SELECT Q, V FROM people$d WHERE K = ?", 10, func(i int) []any { return []any{personKey(i)} })
		})
	}
	t.ask(b, "range", "SELECT * FROM people WHERE id BETWEEN ? AND ? + 99 ORDER BY id", 100)
	t.ask(b, "scan2", "SELECT name, age FROM people", n)
	t.ask(b, "count", "SELECT COUNT(*) FROM people", 1)
	t.ask(b, "group", "SELECT city, COUNT(*), AVG(age) FROM people GROUP BY city", 50)
	t.ask(b, "filter", "SELECT COUNT(*), MAX(name) FROM people WHERE age = 7", 1)
}

func (t *typedBench) ask(b *testing.B, name, query string, rows int) {
	b.Run(name, func(b *testing.B) {
		t.askWith(b, query, rows, func(i int) []any {
			args := []any{}
			for range strings.Count(query, "?") {
				args = append(args, i)
			}
			return args
		})
	})
}

// askWith runs one prepared statement, with the arguments of another row each time.
func (t *typedBench) askWith(b *testing.B, query string, rows int, args func(i int) []any) {
	ask, err := t.db.Prepare(query)
	require.NoError(b, err)
	defer ask.Close()
	columns := []any{}
	defer reportProcessor(b)()
	for i := 0; b.Loop(); i++ {
		answer, err := ask.Query(args(1 + i*7919%(*typedRows-200))...)
		if err != nil {
			b.Fatal(err)
		}
		if len(columns) == 0 {
			names, err := answer.Columns()
			require.NoError(b, err)
			for range names {
				columns = append(columns, new(sql.RawBytes))
			}
		}
		n := 0
		for ; err == nil && answer.Next(); n++ { // not require, which takes a tenth of a read of few rows
			err = answer.Scan(columns...)
		}
		if err = cmp.Or(err, answer.Err()); err != nil || n != rows {
			b.Fatal(n, err)
		}
	}
}

func (t *typedBench) writes(b *testing.B) {
	b.Run("insert1000", func(b *testing.B) {
		defer reportProcessor(b)()
		for b.Loop() {
			t.insert(b, 1000)
		}
	})
	b.Run("insert", func(b *testing.B) {
		insert, err := t.db.Prepare(insertPerson)
		require.NoError(b, err)
		defer insert.Close()
		defer reportProcessor(b)()
		for ; b.Loop(); t.next++ {
			_, err := insert.Exec(person(t.next)...)
			require.NoError(b, err)
		}
	})
	b.Run("update", func(b *testing.B) {
		update, err := t.db.Prepare("UPDATE people SET age = ? WHERE id = ?")
		require.NoError(b, err)
		defer update.Close()
		defer reportProcessor(b)()
		for i := 0; b.Loop(); i++ {
			_, err := update.Exec(100+i, 1+i*7919%*typedRows)
			require.NoError(b, err)
		}
	})
}

// reportProcessor begins to count allocations and the process's time on all processors, and reports them
// when the result is called.
func reportProcessor(b *testing.B) func() {
	b.ReportAllocs()
	began := processorTime()
	return func() { b.ReportMetric(float64(processorTime()-began)/float64(b.N), "cpu-ns/op") }
}
