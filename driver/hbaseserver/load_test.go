package hbaseserver_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
	"github.com/tsuna/gohbase"
	"github.com/tsuna/gohbase/hrpc"

	"github.com/hbasekv/hbasekv/driver/hbaseserver"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

var (
	loadRounds = flag.Int("load.rounds", 0, "the rounds of TestLoad, each of which ends as its server is killed; 0 is one without an end")
	loadFor    = flag.Duration("load.for", 4*time.Second, "about how long a round of TestLoad is")
)

// The clients of each kind, and how many steps each takes if no server is killed.
const (
	loadClients = 8
	loadSteps   = 60
)

// TestLoad: eight clients of HBase and eight of SQL work on one store while its tables are split, merged,
// moved, truncated and altered, and with -load.rounds while its server, a separate process, is killed: the
// money of a bank is the same in every snapshot, rows are read whole, counters count what was acknowledged,
// and acknowledged rows are there.
func TestLoad(t *testing.T) {
	l := &load{t: t, seed: testseed.Of(t), written: map[string]string{}, tally: map[string]*[2]int{}}
	if *loadRounds == 0 {
		s := serve(t, ":memory:", hbaseserver.Options{})
		l.db, l.zookeeper = s.db, s.zookeeper
		l.begin()
		l.round(0)
		l.verify()
	} else {
		l.rounds()
	}
	t.Logf("%d steps; %d rows of log, increments: %d", l.steps.Load(), len(l.written), l.counted.Load())
	for name, n := range l.tally {
		t.Logf("%s: %d, and %d that failed", name, n[0], n[1])
	}
	if t.Failed() {
		return // all ended at the first fault, before some steps were taken
	}
	for _, s := range slices.Concat(hbaseSteps(nil), sqlSteps, changeSteps) {
		require.True(t, l.tally[s.name] != nil && l.tally[s.name][0] > 0, "nobody has done: %s", s.name)
	}
}

// load is a store under load, and what is known of it.
type load struct {
	t         *testing.T
	seed      uint64
	db        *sql.DB
	zookeeper string
	clients   []gohbase.Client
	// killed is true from when stop kills the server: nothing that fails then is a fault.
	killed atomic.Bool
	stop   func()

	steps atomic.Int64
	// counted are the acknowledged increments, tried the maximum number that can have been done.
	counted, tried atomic.Int64

	mu      sync.Mutex
	written map[string]string  // the acknowledged rows of the table log
	tally   map[string]*[2]int // how often each step was done, and how often not
}

// rounds serves a folder with a separate process, which it kills at the end of each round.
func (l *load) rounds() {
	work := l.t.TempDir()
	command := filepath.Join(work, "hbasekv")
	build := []string{"build", "-o", command}
	if raceDetector() {
		build = append(build, "-race")
	}
	run(l.t, ".", "go", append(build, "../cmd/hbasekv")...)
	arguments := []string{"serve", filepath.Join(work, "data")}
	addresses := map[string]string{}
	for _, flag := range []string{"--listen", "--hbase", "--zookeeper"} {
		addresses[flag] = freeAddress(l.t)
		arguments = append(arguments, flag, addresses[flag])
	}
	l.zookeeper = addresses["--zookeeper"]
	db, err := sql.Open("mysql", "root@tcp("+addresses["--listen"]+")/default?interpolateParams=true")
	require.NoError(l.t, err)
	defer db.Close()
	l.db = db
	for round := range *loadRounds {
		kill := l.startServer(command, arguments, addresses)
		if round == 0 {
			l.begin()
		} else {
			l.verify()
		}
		l.killed.Store(false)
		if l.round(round); l.t.Failed() {
			return
		}
		kill()
	}
	defer l.startServer(command, arguments, addresses)()
	l.verify()
}

// startServer runs the command until it is killed.
func (l *load) startServer(command string, arguments []string, addresses map[string]string) (kill func()) {
	l.t.Helper()
	cmd := exec.Command(command, arguments...)
	said, err := os.CreateTemp(l.t.TempDir(), "log")
	require.NoError(l.t, err)
	cmd.Stderr = said
	require.NoError(l.t, cmd.Start())
	over := false
	kill = func() {
		if !over {
			over = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it reports that it was killed
			text, err := os.ReadFile(said.Name())
			require.NoError(l.t, errors.Join(err, said.Close()))
			require.NotContains(l.t, string(text), "DATA RACE")
			require.NotContains(l.t, string(text), "panic")
		}
	}
	l.t.Cleanup(kill)
	for _, address := range addresses {
		require.Eventually(l.t, func() bool {
			conn, err := net.Dial("tcp", address)
			if err == nil {
				conn.Close()
			}
			return err == nil
		}, time.Minute, 20*time.Millisecond)
	}
	l.stop = func() {
		l.killed.Store(true)
		_ = cmd.Process.Kill()
	}
	return kill
}

// raceDetector reports whether this program was built with the race detector.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// begin creates the tables and the clients.
func (l *load) begin() {
	admin := gohbase.NewAdminClient(l.zookeeper, quiet)
	ctx, cancel := context.WithTimeout(l.t.Context(), time.Minute)
	defer cancel()
	for table, families := range map[string][]string{"bank": {"f", "g"}, "whole": {"f", "g", "h"}, "counts": {"f"},
		"log": {"f"}, "other": {"f"}} {
		of := map[string]map[string]string{}
		for _, f := range families {
			of[f] = nil
		}
		require.NoError(l.t, admin.CreateTable(hrpc.NewCreateTable(ctx, []byte(table), of,
			hrpc.SplitKeys([][]byte{[]byte("r05"), []byte("r10")}))))
	}
	for i := range loadRows {
		l.execute(ctx, fmt.Sprintf("INSERT INTO bank$f (K, Q, V) VALUES ('%s', 'v', LONG_TO_BYTES(0)), ('%[1]s', 'a', "+
			"LONG_TO_BYTES(%d))", loadRow(i), loadMoney),
			fmt.Sprintf("INSERT INTO bank$g (K, Q, V) VALUES ('%s', 'b', LONG_TO_BYTES(%d))", loadRow(i), loadMoney),
			fmt.Sprintf("INSERT INTO counts$f (K, Q, V) VALUES ('%s', 'n', LONG_TO_BYTES(0))", loadRow(i)))
	}
	for range loadClients {
		c := gohbase.NewClient(l.zookeeper, quiet, gohbase.FlushInterval(time.Millisecond))
		l.t.Cleanup(c.Close)
		l.clients = append(l.clients, c)
	}
}

// The rows of each table except log, and the initial money of each account of the bank.
const (
	loadRows  = 16
	loadMoney = 1_000_000
)

func loadRow(i int) string { return fmt.Sprintf("r%02d", i) }

func (l *load) execute(ctx context.Context, statements ...string) {
	l.t.Helper()
	for _, each := range statements {
		_, err := l.db.ExecContext(ctx, each)
		require.NoError(l.t, err, each)
	}
}

// round lets all clients work: for their number of steps, or until the server is killed.
func (l *load) round(round int) {
	ctx, cancel := context.WithCancel(l.t.Context())
	defer cancel()
	before := l.steps.Load()
	var workers, upheavals sync.WaitGroup
	goesOn := func(step int) bool { return step < loadSteps && !l.t.Failed() }
	if *loadRounds > 0 {
		goesOn = func(int) bool { return !l.killed.Load() && !l.t.Failed() }
		length := *loadFor/2 + rand.N(*loadFor)
		stop := time.AfterFunc(length, func() {
			l.stop()
			cancel()
		})
		defer stop.Stop()
	}
	work := func(running *sync.WaitGroup, name string, number int, steps []loadStep, on func(int) bool) {
		w := &loader{load: l, name: fmt.Sprintf("%s%d-%d", name, number, round),
			rand: rand.New(rand.NewPCG(l.seed+uint64(round), uint64(number)<<8|uint64(name[0])))}
		running.Go(func() {
			var order []int // so that each is taken equally often
			for n := 0; on(n); n++ {
				if n%len(steps) == 0 {
					order = w.rand.Perm(len(steps))
				}
				w.take(ctx, steps[order[n%len(steps)]])
			}
		})
	}
	for i := range loadClients {
		work(&workers, "hbase", i, hbaseSteps(l.clients[i]), goesOn)
		work(&workers, "sql", i, sqlSteps, goesOn)
	}
	var over atomic.Bool
	changes := 0
	work(&upheavals, "change", 0, changeSteps, func(int) bool {
		changes++
		for l.steps.Load() < before+int64(changes*stepsOfChange) && !over.Load() && goesOn(0) {
			time.Sleep(time.Millisecond)
		}
		return !over.Load() && goesOn(0)
	})
	workers.Wait()
	over.Store(true)
	upheavals.Wait()
}

// loadStep is a step of a client.
type loadStep struct {
	name string
	do   func(*loader) error
}

// loader is one of the clients in a round.
type loader struct {
	*load
	name string
	ctx  context.Context
	rand *rand.Rand
	next int // the number of the next row of log
}

func (w *loader) row() string { return loadRow(w.rand.IntN(loadRows)) }

// take takes a step, and checks its outcome.
func (w *loader) take(ctx context.Context, s loadStep) {
	var end context.CancelFunc
	w.ctx, end = context.WithTimeout(ctx, time.Minute)
	defer end()
	err := s.do(w)
	w.steps.Add(1)
	w.judge(w.name+": "+s.name, err)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tally[s.name] == nil {
		w.tally[s.name] = &[2]int{}
	}
	if err == nil {
		w.tally[s.name][0]++
	} else {
		w.tally[s.name][1]++
	}
}

// fault is something that must never happen.
type fault string

func (f fault) Error() string { return string(f) }

func faultf(format string, args ...any) error { return fault(fmt.Sprintf(format, args...)) }

// passing are the SQL errors, caused by concurrent work, after which a client retries.
var passing = []uint16{1205, 1213, 1412, 1615}

// judge checks the outcome of a step.
func (l *load) judge(name string, err error) {
	if err == nil {
		return
	}
	var wrong fault
	var refused *mysql.MySQLError
	switch {
	case errors.As(err, &wrong):
		l.t.Errorf("%s: %v", name, err)
	case l.killed.Load(), errors.As(err, &refused) && slices.Contains(passing, refused.Number):
	default:
		l.t.Errorf("%s: %T %v", name, err, err)
	}
}

// acknowledged records a row of log.
func (l *load) acknowledged(row, value string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.written[row] = value
}

// verify checks the store while no client works on it.
func (l *load) verify() {
	ctx, cancel := context.WithTimeout(l.t.Context(), 2*time.Minute)
	defer cancel()
	w := &loader{load: l, name: "verify", ctx: ctx, rand: rand.New(rand.NewPCG(l.seed, 1))}
	for _, look := range []func() error{w.sumBySQL, w.wholeBySQL, func() error { return w.sumByScan(l.clients[0]) },
		func() error { return w.wholeByScan(l.clients[1]) }} {
		require.NoError(l.t, look())
	}
	var total int64
	require.NoError(l.t, l.db.QueryRowContext(ctx, "SELECT SUM(BYTES_TO_LONG(V)) FROM counts$f").Scan(&total))
	require.GreaterOrEqual(l.t, total, l.counted.Load(), "increments were acknowledged")
	require.LessOrEqual(l.t, total, l.tried.Load(), "increments were sent")
	if *loadRounds == 0 {
		require.Equal(l.t, l.counted.Load(), total)
	}
	l.counted.Store(total)
	l.tried.Store(total)
	rows, err := l.db.QueryContext(ctx, "SELECT K, V FROM log$f")
	require.NoError(l.t, err)
	defer rows.Close()
	there := map[string]string{}
	for rows.Next() {
		var row, value string
		require.NoError(l.t, rows.Scan(&row, &value))
		there[row] = value
	}
	require.NoError(l.t, rows.Err())
	for row, value := range l.written {
		require.Equal(l.t, value, there[row], "row %s of log was acknowledged", row)
	}
	l.execute(ctx, "CHECK TABLE bank$f, bank$g, whole$f, log$f")
}
