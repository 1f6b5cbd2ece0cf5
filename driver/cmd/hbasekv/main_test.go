package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testgc"
)

// bin is the directory of the compiled command.
var bin string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "hbasekv-cmd")
	if err != nil {
		panic(err)
	}
	bin = dir
	// go run, unlike go build, keeps in the build cache what it links. It leaves out the commit, which export and
	// version would otherwise print.
	build := exec.Command("go", "run", "-ldflags=-w", "-exec", "cp", ".", filepath.Join(dir, "hbasekv"))
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		panic(err)
	}
	testgc.Seldom()
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// command is the compiled command, to run in dir.
func command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(bin, "hbasekv"), args...)
	cmd.Dir = dir
	return cmd
}

// volatile are the parts of the output that differ from run to run.
var volatile = regexp.MustCompile(`\d[\d.]*(µs|ms|s), [\d,]+ cells/s`)

// TestTranscripts runs shell commands with the compiled command in the path, in
// one directory per file of testdata, and compares their output and exit code.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		t.Parallel()
		dir := t.TempDir()
		data, err := filepath.Abs("demodata")
		require.NoError(t, err)
		exports, err := filepath.Abs("internal/seqfile/testdata")
		require.NoError(t, err)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			cmd := exec.Command("sh", "-c", d.Input)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "DATA="+data, "EXPORTS="+exports)
			out, err := cmd.CombinedOutput()
			text := volatile.ReplaceAllString(strings.ReplaceAll(string(out), dir, "$DIR"), "(time)")
			if err != nil {
				text += err.Error() + "\n"
			}
			return text
		})
	})
}

func TestDemo(t *testing.T) {
	t.Parallel()
	out, err := command(t.TempDir(), "demo").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, want := range []string{
		"done: 560 lines, 560 rows, 560 cells into market$price, 0 bad lines",
		"done: 42,049 lines, 42,049 rows, 210,245 cells into zip$place, 0 bad lines",
		"| AAPL   | 2010-03-01 | 223.02 |",
		"| AMZN   | 2004-12-01 | 44.29  |",
		"| 90210 | Beverly Hills | CA    |",
		"| TX    |      2670 |",
		"To keep one and go on in a shell:",
	} {
		require.Contains(t, string(out), want)
	}
	require.Regexp(t, `(?s)explain select.*\| p\d +\|.*zip codes`, strings.ToLower(string(out)))
}

func TestDemoTwiceInOneDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	for range 2 {
		out, err := command(t.TempDir(), "demo", dir).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	out, err := command(".", "sql", dir, "-e", "SELECT COUNT(*) FROM zip$place FOR SYSTEM_TIME ALL").Output()
	require.NoError(t, err)
	require.Equal(t, "COUNT(*)\n210245\n", string(out))
	out, err = command(t.TempDir(), "demo", "--data", "absent").CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "stocks.csv")
}

// TestKilledLoad kills a running load. What it reported as committed is there,
// in whole batches and nothing else, and the directory can be opened again.
func TestKilledLoad(t *testing.T) {
	dir := t.TempDir()
	out, err := command(dir, "sql", "store", "-e",
		"CREATE TABLE t (K varbinary(20), Q varbinary(20), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 7").CombinedOutput()
	require.NoError(t, err, "%s", out)
	load := command(dir, "load", "store", "t", "-", "--columns", "HBASE_ROW_KEY,a,b", "--batch", "50", "--progress", "lines")
	load.Stdin = &endless{}
	stderr, err := load.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, load.Start())
	acknowledged := 0
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		_, err := fmt.Sscanf(lines.Text(), "committed %d lines", &acknowledged)
		require.NoError(t, err, lines.Text())
		if acknowledged >= 1000 {
			require.NoError(t, load.Process.Kill())
		}
	}
	require.Error(t, load.Wait())

	out, err = command(dir, "sql", "store", "-e", "SELECT COUNT(*), COUNT(DISTINCT K), MAX(K) FROM t").CombinedOutput()
	require.NoError(t, err, "%s", out)
	var cells, rows, last int
	_, err = fmt.Sscanf(strings.Split(string(out), "\n")[1], "%d\t%d\trow%d", &cells, &rows, &last)
	require.NoError(t, err, "%s", out)
	require.GreaterOrEqual(t, rows, acknowledged)
	require.Equal(t, 2*rows, cells)
	require.Zero(t, rows%50)
	require.Equal(t, rows, last, "the first lines and no others")
}

// endless is an endless CSV file.
type endless struct {
	n   int
	buf bytes.Buffer
}

func (e *endless) Read(p []byte) (int, error) {
	for e.buf.Len() < len(p) {
		e.n++
		fmt.Fprintf(&e.buf, "row%09d,a%d,b%d\n", e.n, e.n, e.n)
	}
	return e.buf.Read(p)
}

// TestInterruptedLoad: an interrupt rolls the batch back, and the message says
// where the load stopped.
func TestInterruptedLoad(t *testing.T) {
	dir := t.TempDir()
	out, err := command(dir, "sql", "store", "-e",
		"CREATE TABLE t (K varbinary(20), Q varbinary(20), T bigint, V varbinary(200), PRIMARY KEY (K, Q, T))").CombinedOutput()
	require.NoError(t, err, "%s", out)
	load := command(dir, "load", "store", "t", "-", "--columns", "HBASE_ROW_KEY,a", "--batch", "10", "--progress", "lines")
	feed, err := load.StdinPipe()
	require.NoError(t, err)
	stderr, err := load.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, load.Start())
	for i := range 15 {
		fmt.Fprintf(feed, "row%d,v\n", i)
	}
	lines := bufio.NewScanner(stderr)
	require.True(t, lines.Scan())
	require.Equal(t, "committed 10 lines", lines.Text())
	require.NoError(t, load.Process.Signal(os.Interrupt))
	// The load notices an interrupt only when it reads a line, perhaps before the
	// interrupt arrives: it gets more lines, fewer than fill a batch.
	rest := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(stderr)
		rest <- string(text)
	}()
	for wait := 50 * time.Millisecond; len(rest) == 0 && wait < time.Minute; wait *= 8 {
		time.Sleep(wait)
		fmt.Fprintln(feed, "late,v")
	}
	feed.Close()
	said := <-rest
	require.Error(t, load.Wait())
	require.Contains(t, said, "stopped: 10 lines")
	require.Contains(t, said, "loaded up to and including line 10")
	out, err = command(dir, "sql", "store", "-e", "SELECT COUNT(*) FROM t").Output()
	require.NoError(t, err)
	require.Equal(t, "COUNT(*)\n10\n", string(out))
}
