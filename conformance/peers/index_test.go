package main

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkIndex runs typical questions with secondary indexes: Index/store/question. A read of the row by
// its primary key, and an insert without an index, are beside them.
func BenchmarkIndex(b *testing.B) {
	for _, store := range typedStores {
		b.Run(store.name, func(b *testing.B) {
			db, err := sql.Open(store.driver, store.dsn(b))
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, db.Close()) })
			t := &typedBench{db: db, next: 1}
			t.load(b, store.name)
			for _, statement := range []string{"CREATE UNIQUE INDEX by_email ON people (email)", "CREATE INDEX by_balance ON people (balance)",
				"CREATE INDEX by_joined ON people (joined, age)"} {
				_, err := db.Exec(statement)
				require.NoError(b, err)
			}
			t.indexReads(b)
			if store.name == "hbasekv" {
				b.Run("lookup", t.lookup)
				b.Run("insertcost", t.insertCost)
			}
			t.indexWrites(b, store.name)
		})
	}
}

// indexReads are questions and the number of rows of each answer.
func (t *typedBench) indexReads(b *testing.B) {
	email := func(i int) []any { return []any{fmt.Sprintf("person%d@example.com", i)} }
	none := func(int) []any { return nil }
	ask := func(name, query string, rows int, args func(i int) []any) {
		b.Run(name, func(b *testing.B) { t.askWith(b, query, rows, args) })
	}
	t.ask(b, "key", "SELECT name, age, city FROM people WHERE id = ?", 1)
	ask("row", "SELECT name, age, city FROM people WHERE email = ?", 1, email)
	ask("covered", "SELECT id FROM people WHERE balance > ? ORDER BY balance LIMIT 1", 1, func(i int) []any { return []any{i % 9000} })
	ask("range100", "SELECT name, age, city FROM people WHERE balance >= ? ORDER BY balance LIMIT 100", 100, func(i int) []any { return []any{i % 9000} })
	ask("first20", "SELECT * FROM people ORDER BY balance LIMIT 20", 20, none)
	ask("last20", "SELECT * FROM people ORDER BY joined DESC, age DESC LIMIT 20", 20, none)
	ask("extremes", "SELECT MIN(balance), MAX(joined) FROM people", 1, none)
	ask("count", "SELECT COUNT(*) FROM people WHERE joined < '2011-01-01'", 1, none)
	ask("distinct", "SELECT DISTINCT joined FROM people", distinctJoined(*typedRows), none)
	t.follow(b)
	ask("join1000", "SELECT f.n, p.name FROM follows f JOIN people p ON p.email = f.email", 1000, none)
	ask("in1000", "SELECT COUNT(name) FROM people WHERE email IN (SELECT email FROM follows)", 1, none)
	ask("exists1000", "SELECT COUNT(*) FROM follows f WHERE EXISTS (SELECT 1 FROM people p WHERE p.email = f.email)", 1, none)
}

// distinctJoined is the number of distinct dates at which that many people have joined.
func distinctJoined(rows int) int {
	seen := map[any]bool{}
	for i := 1; i <= rows; i++ {
		seen[person(i)[7]] = true
	}
	return len(seen)
}

// follow creates a table of 1,000 rows, each with the email of a person.
func (t *typedBench) follow(b *testing.B) {
	_, err := t.db.Exec("CREATE TABLE follows (n bigint NOT NULL PRIMARY KEY, email varchar(200))")
	require.NoError(b, err)
	for from := 0; from < 1000; from += 250 {
		var rows []string
		for n := from; n < from+250; n++ {
			rows = append(rows, fmt.Sprintf("(%d, 'person%d@example.com')", n, 1+n*7919%*typedRows))
		}
		_, err := t.db.Exec("INSERT INTO follows VALUES " + strings.Join(rows, ", "))
		require.NoError(b, err)
	}
}

// indexWrites inserts rows into tables without an index and with one.
func (t *typedBench) indexWrites(b *testing.B, store string) {
	for _, index := range []string{"", "(a)", "(a, b)"} {
		name := strings.Trim("t"+strings.NewReplacer("(", "_", ", ", "_", ")", "").Replace(index), " ")
		create := "CREATE TABLE " + name + " (id bigint NOT NULL PRIMARY KEY, a bigint, b varchar(50))"
		if store == "sqlite" {
			create = strings.Replace(create, "bigint NOT NULL PRIMARY", "integer NOT NULL PRIMARY", 1)
		}
		_, err := t.db.Exec(create)
		require.NoError(b, err)
		if index != "" {
			_, err = t.db.Exec("CREATE INDEX i_" + name + " ON " + name + " " + index)
			require.NoError(b, err)
		}
		b.Run("insert1000"+strings.ReplaceAll(index, ", ", ","), func(b *testing.B) { t.insertMany(b, name) })
	}
}

// insertMany inserts rows, 1,000 per transaction.
func (t *typedBench) insertMany(b *testing.B, table string) {
	id := 0
	require.NoError(b, t.db.QueryRow("SELECT COALESCE(MAX(id), 0) FROM "+table).Scan(&id))
	defer reportProcessor(b)()
	for b.Loop() {
		tx, err := t.db.Begin()
		require.NoError(b, err)
		insert, err := tx.Prepare("INSERT INTO " + table + " VALUES (?, ?, ?)")
		require.NoError(b, err)
		for range 1000 {
			id++
			_, err = insert.Exec(id, id*7919%1_000_003, "some text")
			require.NoError(b, err)
		}
		require.NoError(b, tx.Commit())
	}
}
