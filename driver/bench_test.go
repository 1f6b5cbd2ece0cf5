package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"testing"
)

// benchRows is how many cells the benchmarks read.
const benchRows = 5000

// BenchmarkScan reads 5,000 rows of four columns: from a driver that answers
// from memory, to measure database/sql itself; through hbasekv; and through
// hbasekv's own connection, without database/sql.
func BenchmarkScan(b *testing.B) {
	b.Run("floor", func(b *testing.B) {
		db := sql.OpenDB(floor{})
		defer db.Close()
		benchScan(b, db)
	})
	b.Run("hbasekv", func(b *testing.B) { benchScan(b, openBench(b)) })
	b.Run("hbasekv-conn", func(b *testing.B) {
		conn, err := openBench(b).Conn(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close()
		dest := make([]driver.Value, 4)
		b.ReportAllocs()
		for b.Loop() {
			err := conn.Raw(func(c any) error {
				rows, err := c.(driver.QueryerContext).QueryContext(context.Background(), benchQuery, nil)
				for err == nil {
					err = rows.Next(dest)
				}
				return rows.Close()
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		perRow(b)
	})
}

const benchQuery = "SELECT K, Q, T, V FROM g$f"

func perRow(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRows, "ns/row")
}

func openBench(b *testing.B) *sql.DB {
	db := openTable(b)
	fill(b, db, benchRows)
	return db
}

func benchScan(b *testing.B, db *sql.DB) {
	var k, q, v sql.RawBytes
	var t int64
	dest := []any{&k, &q, &t, &v}
	b.ReportAllocs()
	for b.Loop() {
		rows, err := db.Query(benchQuery)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for ; rows.Next(); n++ {
			if err := rows.Scan(dest...); err != nil {
				b.Fatal(err)
			}
		}
		if rows.Err() != nil || n != benchRows {
			b.Fatal(n, rows.Err())
		}
	}
	perRow(b)
}

// BenchmarkStatement runs prepared statements of one row.
func BenchmarkStatement(b *testing.B) {
	for _, c := range []struct {
		name string
		db   func(*testing.B) *sql.DB
	}{
		{"floor", func(b *testing.B) *sql.DB {
			db := sql.OpenDB(floor{rows: 1})
			b.Cleanup(func() { db.Close() })
			return db
		}},
		{"hbasekv", openBench},
	} {
		db := c.db(b)
		b.Run("query/"+c.name, func(b *testing.B) {
			stmt, err := db.Prepare("SELECT K, Q, T, V FROM g$f WHERE K = ?")
			if err != nil {
				b.Fatal(err)
			}
			defer stmt.Close()
			var k, q, v string
			var t int64
			b.ReportAllocs()
			for b.Loop() {
				if err := stmt.QueryRow("row000123").Scan(&k, &q, &t, &v); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("exec/"+c.name, func(b *testing.B) {
			stmt, err := db.Prepare("REPLACE INTO g$f VALUES (?, 'q', ?, ?)")
			if err != nil {
				b.Fatal(err)
			}
			defer stmt.Close()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := stmt.Exec("row", i, "value"); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// floor is a driver that answers every query from memory.
type floor struct{ rows int }

func (f floor) Connect(context.Context) (driver.Conn, error) { return f, nil }
func (floor) Driver() driver.Driver                          { return nil }
func (f floor) Prepare(string) (driver.Stmt, error)          { return f, nil }
func (floor) Close() error                                   { return nil }
func (floor) Begin() (driver.Tx, error)                      { return nil, driver.ErrSkip }
func (floor) NumInput() int                                  { return -1 }
func (floor) Exec([]driver.Value) (driver.Result, error)     { return driver.RowsAffected(1), nil }
func (f floor) Query([]driver.Value) (driver.Rows, error)    { return f.answer(), nil }
func (f floor) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return f.answer(), nil
}

func (f floor) answer() driver.Rows {
	n := f.rows
	if n == 0 {
		n = benchRows
	}
	return &floorRows{left: n}
}

type floorRows struct{ left int }

var floorRow = []driver.Value{[]byte("row000123"), []byte("q"), int64(1_700_000_000_000), []byte("value123")}

func (r *floorRows) Columns() []string { return []string{"K", "Q", "T", "V"} }
func (r *floorRows) Close() error      { return nil }

func (r *floorRows) Next(dest []driver.Value) error {
	if r.left == 0 {
		return io.EOF
	}
	r.left--
	copy(dest, floorRow)
	return nil
}
