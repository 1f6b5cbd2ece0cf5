package hbase

import (
	"bufio"
	"context"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var besideJava = flag.Bool("java", false, "measure beside HBase's own client in Java")

var besideOnly = flag.String("java.only", "", "of what is measured beside Java, that whose name has this in it")

// javaClient is a running testdata/JavaClient.java.
type javaClient struct {
	to   io.Writer
	from *bufio.Scanner
}

// startJava runs a program of testdata with HBase's jars.
func startJava(b testing.TB, program string, args ...string) *javaClient {
	jars, err := localHBase("classpath")
	require.NoError(b, err)
	cmd := exec.Command("java", append([]string{"-XX:+UseSerialGC", "-cp", strings.TrimSpace(jars), "testdata/" + program}, args...)...)
	log, err := os.CreateTemp(b.TempDir(), "java")
	require.NoError(b, err)
	cmd.Stderr = log
	to, err := cmd.StdinPipe()
	require.NoError(b, err)
	from, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() {
		to.Close()
		_ = cmd.Wait()
		log.Close()
	})
	return &javaClient{to, bufio.NewScanner(from)}
}

// run does something n times.
func (j *javaClient) run(b testing.TB, what string, n int) (took time.Duration, seen int) {
	_, err := fmt.Fprintln(j.to, what, n)
	require.NoError(b, err)
	for j.from.Scan() { // libraries may print something
		if _, err := fmt.Sscan(j.from.Text(), &took, &seen); err == nil {
			return took, seen
		}
	}
	b.Fatal("the Java program has ended")
	return 0, 0
}

// measured is one operation that both do, in turns of n.
type measured struct {
	name, java  string
	n           int
	warm, turns int // uncounted and counted turns of each
	sql         func(n int) (seen int)
}

// BenchmarkBesideJava compares SQL with HBase's own client in Java, in one run and in
// short turns, so that the machine's other load affects both: a full scan, the count of
// its shell, gets, the first row, REPLACE against its put and INSERT against its
// checkAndMutate. Both have one connection, and have done each operation often enough
// for Java's compiler before a turn counts.
func BenchmarkBesideJava(b *testing.B) {
	if !*besideJava {
		b.Skip("-java=false")
	}
	s := openTest(b)
	name := newName()
	makeTable(b, s, name, [][]byte{[]byte("k0250000"), []byte("k0500000"), []byte("k0750000")}, familySchema("a", "VERSIONS", "3", "NEW_VERSION_BEHAVIOR", "true"))
	const rows = 100_000
	fillRaw(b, s, name, rows, make([]byte, 100))
	flush(b, s, name)
	host, port, _ := strings.Cut(strings.Split(quorumOfTests, ",")[0], ":")
	java := startJava(b, "JavaClient.java", host, port, name, fmt.Sprint(rows))
	w := &worker{TB: b, db: openSQL(b, ""), table: "`" + name + "$a`", rows: rows}
	for b.Loop() {
		for _, m := range []measured{
			{"full scan", "scan", 1, 4, 15, w.scan},
			{"COUNT(*), shell with CACHE 10000", "count", 1, 4, 15, w.count},
			{"COUNT(*), shell's count", "shellcount", 1, 1, 3, w.count},
			{"get", "get", 50, 60, 60, w.get},
			{"LIMIT 1", "limit1", 50, 40, 40, w.first},
			{"REPLACE, put", "put", 50, 60, 60, w.replace},
			{"INSERT, checkAndMutate", "insert", 50, 60, 60, w.insert},
		} {
			if *besideOnly == "" || strings.Contains(m.name, *besideOnly) {
				w.beside(java, &m)
			}
		}
	}
}

// worker does with SQL what JavaClient does.
type worker struct {
	testing.TB
	db            *sql.DB
	table         string
	rows, written int
}

// beside prints the times of both: the medians of the turns, the median of the turns'
// ratios, and its quartiles.
func (w *worker) beside(java *javaClient, m *measured) {
	var ours, theirs, ratios []float64
	for turn := range m.warm + m.turns {
		var took, other time.Duration
		var seen, also int
		one := func() {
			start := time.Now()
			seen = m.sql(m.n)
			took = time.Since(start)
		}
		if turn%2 == 0 { // each goes first as often as the other
			one()
		}
		if other, also = java.run(w, m.java, m.n); turn%2 == 1 {
			one()
		}
		require.Equal(w, also, seen, m.name)
		if turn >= m.warm {
			ours, theirs = append(ours, float64(took)/float64(m.n)), append(theirs, float64(other)/float64(m.n))
			ratios = append(ratios, float64(took)/float64(other))
		}
	}
	w.Logf("%-33s SQL %9v, Java %9v, ratio %.2f (%.2f-%.2f)", m.name, median(ours), median(theirs),
		quantile(ratios, 2), quantile(ratios, 1), quantile(ratios, 3))
}

// quantile returns the quarter-th quartile.
func quantile(of []float64, quarter int) float64 {
	slices.Sort(of)
	return of[len(of)*quarter/4]
}

func median(of []float64) time.Duration {
	return time.Duration(quantile(of, 2)).Round(time.Microsecond)
}

// read returns the number of rows of a SELECT.
func (w *worker) read(query string, args ...any) (n int) {
	r, err := w.db.QueryContext(context.Background(), query, args...)
	require.NoError(w, err)
	defer r.Close()
	var k, q, v sql.RawBytes
	var t int64
	for r.Next() {
		require.NoError(w, r.Scan(&k, &q, &t, &v))
		n++
	}
	require.NoError(w, r.Err())
	return n
}

func (w *worker) scan(int) int { return w.read("SELECT K, Q, T, V FROM " + w.table) }

func (w *worker) count(int) (n int) {
	require.NoError(w, w.db.QueryRow("SELECT COUNT(*) FROM "+w.table).Scan(&n))
	return n
}

func (w *worker) get(n int) (seen int) {
	for i := range n {
		seen += w.read("SELECT K, Q, T, V FROM "+w.table+" WHERE K = ? AND Q = 'q'", fmt.Sprintf("k%07d", i*7919%w.rows*10))
	}
	return seen
}

func (w *worker) first(n int) (seen int) {
	for range n {
		seen += w.read("SELECT K, Q, T, V FROM " + w.table + " ORDER BY K LIMIT 1")
	}
	return seen
}

func (w *worker) replace(n int) int { return w.write("REPLACE", n) }
func (w *worker) insert(n int) int  { return w.write("INSERT", n) }

func (w *worker) write(verb string, n int) int {
	for range n {
		w.written++
		_, err := w.db.Exec(verb+" INTO "+w.table+" VALUES (?, 'q', 5, ?)", fmt.Sprintf("n%07d", w.written), make([]byte, 100))
		require.NoError(w, err)
	}
	return n
}
