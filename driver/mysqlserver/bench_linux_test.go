package mysqlserver

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var mariadb = flag.String("mariadb.socket", "", "the socket of a MariaDB server, with a user root without a password and a "+
	"database test, for the benchmarks beside it")

var benchSync = flag.Bool("bench.sync", false, "commits of the benchmarks wait for the disk")

const (
	benchRows  = 10_000
	benchCells = 4 // of a row
	benchTable = "CREATE TABLE bench (K varbinary(64) NOT NULL, Q varbinary(64) NOT NULL, T bigint NOT NULL, " +
		"V varbinary(200), PRIMARY KEY (K, Q, T))"
)

// BenchmarkWire runs the same client with the same statements on the same cells, with
// the server and with a MariaDB, each a separate process behind a socket. The client
// does as little as possible, so that the servers are compared. server-us/op is the
// processor time of the server's process, client-us/op that of the clients'. The server
// called none repeats answers from memory: what it leaves to clients is the maximum for
// any server. Commits are left to the operating system: start MariaDB with
// --innodb-flush-log-at-trx-commit=2.
func BenchmarkWire(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(64)) // the clients wait in the kernel, too
	hbasekv := startAlone(b, fmt.Sprintf("file:%s?sync=%t&cache=256MiB", b.TempDir(), *benchSync))
	servers := []struct{ name, socket, database string }{
		{"hbasekv", hbasekv, "default"}, {"none", startTest(b, serveBehind+"="+hbasekv), "default"}, {"mariadb", *mariadb, "test"},
	}
	if *mariadb == "" {
		servers = servers[:2]
	}
	for _, s := range servers {
		if s.name != "none" {
			dialPlain(b, s.socket, s.database).fill()
		}
	}
	for _, statement := range benchStatements {
		for _, clients := range []int{1, 8} {
			for _, s := range servers { // in turns, because the machine's other load varies
				b.Run(fmt.Sprintf("%s/clients=%d/server=%s", statement.name, clients, s.name), func(b *testing.B) {
					benchWire(b, s.socket, s.database, statement, clients)
				})
			}
		}
	}
}

// benchStatement is a statement that is executed repeatedly.
type benchStatement struct {
	name, text string
	args       func(i int) []string
}

var benchStatements = []benchStatement{
	{"Ping", "DO 1", func(int) []string { return nil }},
	{"RowGet", "SELECT Q, T, V FROM bench WHERE K = ?", func(i int) []string { return []string{benchKey(i)} }},
	{"CellGet", "SELECT V FROM bench WHERE K = ? AND Q = ? AND T = 1", func(i int) []string {
		return []string{benchKey(i), "column2"}
	}},
	{"Scan1000", "SELECT K, Q, T, V FROM bench WHERE K >= ? ORDER BY K, Q LIMIT 1000", func(i int) []string {
		return []string{benchKey(i)}
	}},
	{"Insert", "INSERT INTO bench VALUES (?, 'q', 1, 'a value of some length')", func(int) []string {
		return []string{fmt.Sprintf("new%d", inserted.Add(1))}
	}},
}

// inserted counts the rows of all runs, so that no two servers' clients insert the same
// row.
var inserted atomic.Int64

func benchKey(i int) string { return fmt.Sprintf("row%08d", i*7919%(benchRows-1000)) }

// benchWire runs a statement from several clients at once.
func benchWire(b *testing.B, socket, database string, s benchStatement, clients int) {
	all, numbers := make([]*plainClient, clients), make([]uint32, clients)
	for i := range all {
		all[i] = dialPlain(b, socket, database)
		numbers[i] = all[i].prepare(s.text)
		all[i].execute(numbers[i], s.args(i)...)
	}
	before, beforeHere := all[0].used(), usedHere(b)
	b.ResetTimer()
	var running sync.WaitGroup
	for at, c := range all {
		running.Go(func() {
			for i := at; i < b.N; i += clients {
				c.execute(numbers[at], s.args(i)...)
			}
		})
	}
	running.Wait()
	b.StopTimer()
	perOp := func(d time.Duration) float64 { return d.Seconds() * 1e6 / float64(b.N) }
	b.ReportMetric(perOp(all[0].used()-before), "server-us/op")
	b.ReportMetric(perOp(usedHere(b)-beforeHere), "client-us/op")
}

func (c *plainClient) fill() {
	c.query("DROP TABLE IF EXISTS bench")
	c.query(benchTable)
	for i := 0; i < benchRows; i += 1000 {
		var rows []string
		for j := i; j < i+1000; j++ {
			for q := range benchCells {
				rows = append(rows, fmt.Sprintf("('row%08d', 'column%d', 1, 'the value of %d in %d, some bytes long')", j, q, q, j))
			}
		}
		c.query("INSERT INTO bench VALUES " + strings.Join(rows, ","))
	}
}
