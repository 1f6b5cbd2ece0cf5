package hbaseserver_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"
)

var (
	speedFor   = flag.Duration("speed", 0, "how long TestSpeed does each thing at a time; 0 skips it")
	speedTurns = flag.Int("speed.turns", 3, "how many turns TestSpeed takes, of which the median counts")
	speedOf    = flag.String("speed.of", "", "what TestSpeed does, by a regular expression")
	speedOld   = flag.String("speed.beside", "", "the file of another hbasekv command, of which TestSpeed serves a store too")
	speedBy    = flag.String("speed.by", "", "who takes part in TestSpeed, by a regular expression")
)

// The initial table of TestSpeed: rows of five cells.
const (
	speedRows    = 20_000
	speedColumns = 5
	speedValue   = 100
)

// TestSpeed: gohbase runs YCSB's workloads and those of HBase's PerformanceEvaluation in turn with hbasekv as
// a separate process, with an echo, and with the HBase whose quorum is in HBASEKV_TEST_ZK. It measures
// HBase's memory and processor time if HBASEKV_TEST_DIR is the folder in which hbase-local keeps it.
func TestSpeed(t *testing.T) {
	if *speedFor == 0 {
		t.Skip("-speed is not given")
	}
	all := contenders(t)
	fmt.Printf("\n| operations a second | clients |%s\n|---|---|%s\n", columnsOf(all, " %s |"), strings.Repeat("---|", len(all)))
	for _, w := range speedWorkloads {
		if !regexp.MustCompile(*speedOf).MatchString(w.name) {
			continue
		}
		for _, clients := range []int{1, 8} {
			measure(t, all, w, clients)
			row := ""
			for _, c := range all {
				row += " " + c.figure() + " |"
			}
			fmt.Printf("| %s | %d |%s\n", w.name, clients, row)
		}
	}
	if *javaFlag {
		measureJava(t, all)
	}
	for _, part := range []string{"VmRSS", "RssFile"} {
		memory := ""
		for _, c := range all {
			memory += fmt.Sprintf(" %d |", c.memory(part)>>20)
		}
		fmt.Printf("| %s, MiB | |%s\n", part, memory)
	}
}

func columnsOf(all []*contender, format string) (out string) {
	for _, c := range all {
		out += fmt.Sprintf(format, c.name)
	}
	return out
}

// contender is a server.
type contender struct {
	name      string
	zookeeper string
	options   []gohbase.Option
	process   int // 0 is unknown
	clients   []gohbase.Client
	inserted  atomic.Int64
	reads     bool // it only answers Gets

	done   []float64       // operations per second, by turn
	spent  []time.Duration // the server's processor time per operation, by turn
	asked  []time.Duration // the clients' processor time per operation
	missed bool
}

func contenders(t *testing.T) (all []*contender) {
	work := t.TempDir()
	command := filepath.Join(work, "hbasekv")
	run(t, ".", "go", "build", "-ldflags=-w", "-o", command, "../cmd/hbasekv")
	takesPart := regexp.MustCompile(*speedBy)
	add := func(c *contender) {
		if takesPart.MatchString(c.name) {
			all = append(all, c)
		}
	}
	if *speedOld != "" {
		zookeeper, _, process := serveSpeed(t, *speedOld, filepath.Join(work, "other")+"?sync=false")
		add(&contender{name: "hbasekv, the other", zookeeper: zookeeper, process: process})
	}
	for name, sync := range map[string]string{"hbasekv": "false", "hbasekv, fsync": "true"} {
		zookeeper, calls, process := serveSpeed(t, command, filepath.Join(work, sync)+"?sync="+sync)
		add(&contender{name: name, zookeeper: zookeeper, process: process})
		if sync == "false" {
			echo, child := echoOf(t, calls)
			add(&contender{name: "echo", zookeeper: zookeeper, process: child, reads: true, options: []gohbase.Option{
				gohbase.RegionDialer(func(ctx context.Context, network, _ string) (net.Conn, error) {
					var d net.Dialer
					return d.DialContext(ctx, network, echo)
				})}})
		}
	}
	if quorum := os.Getenv("HBASEKV_TEST_ZK"); quorum != "" {
		id, _ := os.ReadFile(filepath.Join(os.Getenv("HBASEKV_TEST_DIR"), "pid"))
		process, _ := strconv.Atoi(strings.TrimSpace(string(id)))
		add(&contender{name: "HBase", zookeeper: quorum, process: process})
	}
	slices.SortFunc(all, func(a, b *contender) int { return cmp.Compare(a.name, b.name) })
	for _, c := range all {
		c.fill(t)
	}
	return all
}

// serveSpeed serves a store with a separate process.
func serveSpeed(t *testing.T, command, dsn string) (zookeeper, calls string, process int) {
	zookeeper, calls = freeAddress(t), freeAddress(t)
	cmd := exec.Command(command, "serve", dsn, "--listen", "", "--hbase", calls, "--zookeeper", zookeeper)
	start(t, cmd, zookeeper)
	return zookeeper, calls, cmd.Process.Pid
}

// start runs a server until the test ends, and waits until it listens.
func start(t *testing.T, cmd *exec.Cmd, address string) {
	t.Helper()
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it reports that it was killed
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, time.Minute, 20*time.Millisecond)
}

// fill creates the table and its rows.
func (c *contender) fill(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for range 8 {
		client := gohbase.NewClient(c.zookeeper, append(c.options, quiet)...)
		t.Cleanup(client.Close)
		c.clients = append(c.clients, client)
	}
	if c.reads {
		return // another contender has filled it
	}
	admin := gohbase.NewAdminClient(c.zookeeper, quiet)
	_ = admin.DisableTable(hrpc.NewDisableTable(ctx, []byte(speedTable))) // left by another run
	_ = admin.DeleteTable(hrpc.NewDeleteTable(ctx, []byte(speedTable)))
	require.NoError(t, admin.CreateTable(hrpc.NewCreateTable(ctx, []byte(speedTable),
		map[string]map[string]string{"f": {"VERSIONS": "1"}})))
	var running sync.WaitGroup
	for i, client := range c.clients {
		running.Go(func() {
			for from := i * 100; from < speedRows; from += 100 * len(c.clients) {
				var batch []hrpc.Call
				for row := from; row < min(from+100, speedRows); row++ {
					put, err := hrpc.NewPutStr(ctx, speedTable, speedRow(row), speedRecord(row))
					if err != nil {
						t.Error(err)
						return
					}
					batch = append(batch, put)
				}
				if _, ok := client.SendBatch(ctx, batch); !ok {
					t.Error(c.name, " does not take a batch")
					return
				}
			}
		})
	}
	running.Wait()
}

const speedTable = "speed"

func speedRow(i int) string { return fmt.Sprintf("user%08d", i) }

func speedRecord(row int) map[string]map[string][]byte {
	cells := map[string][]byte{}
	for column := range speedColumns {
		cells[speedColumn(column)] = speedBytes(row + column)
	}
	return map[string]map[string][]byte{"f": cells}
}

func speedColumn(i int) string { return fmt.Sprintf("field%d", i) }

func speedBytes(i int) []byte { return []byte(fmt.Sprintf("%0*d", speedValue, i)) }

// measure runs a workload with each contender in turns.
func measure(t *testing.T, all []*contender, w speedWorkload, clients int) {
	for _, c := range all {
		c.done, c.spent, c.asked, c.missed = nil, nil, nil, c.reads && !w.gets
	}
	for range *speedTurns {
		for _, c := range all {
			if !c.missed {
				require.NoError(t, c.turn(t.Context(), w, clients), "%s: %s", c.name, w.name)
			}
		}
	}
}

// measureJava runs testdata/Speed.java with Java's client and each contender, turn by turn.
func measureJava(t *testing.T, all []*contender) {
	jars := javaPrograms(t, t.TempDir(), "Speed.java")
	names, done := []string{}, map[string]map[*contender][]string{}
	for range *speedTurns {
		for _, c := range all {
			if c.reads {
				continue
			}
			out := run(t, ".", "java", "-Xmx256m", "-cp", jars, "Speed", c.zookeeper, fmt.Sprint(speedFor.Milliseconds()))
			for line := range strings.Lines(out) {
				part := strings.Split(strings.TrimSpace(line), "|")
				name := "Java: " + part[0] + " | " + part[1]
				if done[name] == nil {
					names, done[name] = append(names, name), map[*contender][]string{}
				}
				done[name][c] = append(done[name][c], part[2])
			}
		}
	}
	for _, name := range names {
		row := ""
		for _, c := range all {
			figures := done[name][c]
			slices.SortFunc(figures, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
			if len(figures) == 0 {
				figures = []string{"-"}
			}
			row += " " + figures[len(figures)/2] + " |"
		}
		fmt.Printf("| %s |%s\n", name, row)
	}
}

// turn lets clients run a workload for a while.
func (c *contender) turn(ctx context.Context, w speedWorkload, clients int) error {
	ctx, cancel := context.WithTimeout(ctx, *speedFor+time.Minute)
	defer cancel()
	var count atomic.Int64
	errs := make(chan error, clients)
	before, mine, began := processor(c.process), processor(os.Getpid()), time.Now()
	var took atomic.Int64
	for i := range clients {
		go func() {
			p := &speedProgram{contender: c, ctx: ctx, client: c.clients[i], rand: rand.New(rand.NewPCG(rand.Uint64(), uint64(i)))}
			p.ranks = rand.NewZipf(p.rand, 1.01, 1, speedRows-1)
			var err error
			for err == nil && time.Since(began) < *speedFor {
				if err = w.do(p); err == nil {
					count.Add(1)
				}
			}
			took.Store(max(took.Load(), int64(time.Since(began))))
			errs <- err
		}()
	}
	var failed error
	for range clients {
		failed = cmp.Or(failed, <-errs)
	}
	c.done = append(c.done, float64(count.Load())/time.Duration(took.Load()).Seconds())
	n := time.Duration(max(1, count.Load()))
	c.spent = append(c.spent, (processor(c.process)-before)/n)
	c.asked = append(c.asked, (processor(os.Getpid())-mine)/n)
	return failed
}

// figure is the median of operations per second, and of the server's and the clients' processor time per
// operation.
func (c *contender) figure() string {
	if c.missed {
		return "-"
	}
	slices.Sort(c.done)
	slices.Sort(c.spent)
	slices.Sort(c.asked)
	return fmt.Sprintf("%.0f (%.0f + %.0f us)", c.done[len(c.done)/2], float64(c.spent[len(c.spent)/2].Nanoseconds())/1e3,
		float64(c.asked[len(c.asked)/2].Nanoseconds())/1e3)
}

// processor is the processor time that a process has used.
func processor(process int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// memory is resident memory of the contender's process: VmRSS is all, RssFile that of files, such as the
// program itself.
func (c *contender) memory(part string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.process))
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(part + `:\s+(\d+)`).FindSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return n << 10
}
