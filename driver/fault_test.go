package driver

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
)

var (
	faultStride = flag.Int("fault.stride", 23, "every how manieth operation of the file system fails, in a run of its own; 1 is each")
	faultOnly   = flag.Int("fault.only", 0, "the one operation to fail")
)

// TestFaults fails each operation of the file system in turn, once or from then on,
// during opening, DDL, DML, flushes, compactions, scans, checks, backups and closing.
// Nothing panics or hangs, reads are right or fail, and what was acknowledged is there
// after the fault is gone, at once and after reopening the store: a store that has
// failed recovers by itself.
func TestFaults(t *testing.T) {
	for name, f := range map[string]fault{
		"WriteOnce":  {kind: errorfs.OpIsWrite, err: syscall.EIO},
		"WriteFull":  {kind: errorfs.OpIsWrite, err: syscall.ENOSPC, lasting: true},
		"Manifest":   {kind: errorfs.OpIsWrite, err: syscall.EIO, path: "MANIFEST-"},
		"Marker":     {kind: errorfs.OpIsWrite, err: syscall.EIO, path: "marker.manifest."},
		"ReadOnce":   {kind: errorfs.OpIsRead, err: syscall.EIO},
		"ReadBroken": {kind: errorfs.OpIsRead, err: syscall.EIO, lasting: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if *faultOnly > 0 {
				runFault(t, f, *faultOnly)
				return
			}
			stride := *faultStride
			if f.path != "" {
				stride = 1 // there are few
			}
			n := 0
			for f.at = 1 + int(testseed.Of(t)%uint64(stride)); runFault(t, f, f.at) && !t.Failed(); f.at += stride {
				n++
			}
			t.Logf("%d runs, up to operation %d", n, f.at)
		})
	}
}

// fault is the failure of the nth operation of its kind.
type fault struct {
	kind    errorfs.OpReadWrite
	err     error
	lasting bool
	path    string // if given, only operations on files with this in their names
	at      int
}

// faultyFS injects a fault.
type faultyFS struct {
	fault
	mu     sync.Mutex
	n      int
	healed bool
	hit    bool
	trace  string
}

func (f *faultyFS) inject(op errorfs.Op) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.healed || op.Kind.ReadOrWrite() != f.kind || op.Kind == errorfs.OpLock || !strings.Contains(op.Path, f.path) {
		return nil
	}
	f.n++
	if f.n != f.at && (!f.lasting || f.n < f.at) {
		return nil
	}
	if !f.hit {
		f.hit, f.trace = true, fmt.Sprintf("operation %d, kind %d, %s\n%s", f.n, op.Kind, op.Path, debug.Stack())
	}
	return &os.PathError{Op: "injected", Path: op.Path, Err: f.err}
}

// met reports whether the fault was injected.
func (f *faultyFS) met() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hit
}

// where says what failed.
func (f *faultyFS) where() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.trace
}

func (f *faultyFS) heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.healed = true
}

// faultRun is one run: the store, and its possible contents.
type faultRun struct {
	t      *testing.T
	ctx    context.Context
	dir    string
	disk   *vfs.MemFS
	faulty *faultyFS
	db     *sql.DB
	// states are the possible contents of the store: more than one after an
	// error that leaves open whether a change was made.
	states []state
}

// state is tables and their rows: the keys are table and table/K.
type state map[string]string

// runFault reports whether the fault was met.
func runFault(t *testing.T, f fault, at int) bool {
	f.at = at
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r := &faultRun{t: t, ctx: ctx, dir: filepath.Join(t.TempDir(), "store"), disk: vfs.NewMem(), faulty: &faultyFS{fault: f}, states: []state{{}}}
	hang := time.AfterFunc(2*time.Minute, func() { panic(fmt.Sprintf("hangs after the fault at %s", r.faulty.where())) })
	defer hang.Stop()
	defer func() {
		if t.Failed() {
			t.Logf("the fault: -fault.only=%d, %s", at, r.faulty.where())
		}
	}()
	r.db = r.open(errorfs.Wrap(r.disk, errorfs.InjectorFunc(r.faulty.inject)))
	r.work()
	met := r.faulty.met()
	r.faulty.heal()
	r.recover()
	r.closeDB()
	r.db = r.open(r.disk)
	r.requireState()
	requireSound(t, r.db)
	r.must("INSERT INTO t VALUES ('last', 'q', 1, '')")
	r.closeDB()
	return met
}

func (r *faultRun) open(fs vfs.FS) *sql.DB {
	return openStore(r.t, r.dir, pebblekv.Options{Dir: "d", FS: fs, Sync: true, CacheBytes: 1})
}

// closeDB closes the store; the fault may occur here too.
func (r *faultRun) closeDB() {
	if err := r.db.Close(); err != nil {
		require.True(r.t, r.faulty.met(), "close: %v", err)
	}
}

const faultColumns = " (K varbinary(64), Q varbinary(64), T bigint, V varbinary(4096), PRIMARY KEY (K, Q, T))"

// work does everything that a store does, with data that soon leaves memory.
func (r *faultRun) work() {
	r.ddl("CREATE TABLE t"+faultColumns+" PARTITION BY KEY(K) PARTITIONS 2", func(s state) { s["t"] = "" })
	for round := range 5 {
		r.fill(round)
		r.try("FLUSH TABLES")
		r.read()
	}
	r.ddl("CREATE TABLE u"+faultColumns, func(s state) { s["u"] = "" })
	r.dml("u", []string{"x"}, "short")
	r.try("OPTIMIZE TABLE t")
	r.read()
	r.ddl("TRUNCATE TABLE u", func(s state) { s.drop("u"); s["u"] = "" })
	r.try("BACKUP TO 'copy'")
	r.try("CHECK TABLE t")
	r.ddl("DROP TABLE u", func(s state) { s.drop("u") })
	r.change("DELETE FROM t WHERE K < 'k2'", func(s state) {
		maps.DeleteFunc(s, func(k, _ string) bool { return strings.HasPrefix(k, "t/") && k < "t/k2" })
	}, "t")
	r.try("FLUSH TABLES")
	r.read()
}

func (s state) drop(table string) {
	maps.DeleteFunc(s, func(k, _ string) bool { return k == table || strings.HasPrefix(k, table+"/") })
}

// fill is a commit of several blocks.
func (r *faultRun) fill(round int) {
	var keys []string
	for i := range 12 {
		keys = append(keys, fmt.Sprintf("k%d-%d", (i+round)%4, i))
	}
	r.dml("t", keys, strings.Repeat(fmt.Sprint(round), 1500))
}

func (r *faultRun) dml(table string, keys []string, value string) error {
	var rows []string
	for _, k := range keys {
		rows = append(rows, fmt.Sprintf("('%s', 'q', 1, '%s')", k, value))
	}
	return r.change("REPLACE INTO "+table+" VALUES "+strings.Join(rows, ", "), func(s state) {
		for _, k := range keys {
			s[table+"/"+k] = value
		}
	}, table)
}

// change runs a statement that writes to a table, which may not exist because
// of the fault.
func (r *faultRun) change(statement string, apply func(state), table string) error {
	return r.ddl(statement, func(s state) {
		if _, ok := s[table]; ok {
			apply(s)
		}
	})
}

// ddl runs a statement and tracks what it may have done: an error means that it
// did nothing, unless the error says that this is unknown.
func (r *faultRun) ddl(statement string, apply func(state)) error {
	err := r.exec(statement)
	var next []state
	for _, s := range r.states {
		changed := maps.Clone(s)
		apply(changed)
		switch {
		case err == nil:
			next = append(next, changed)
		case strings.Contains(err.Error(), "it is not known"):
			next = append(next, s, changed)
		default:
			next = append(next, s)
		}
	}
	r.states = next
	return err
}

// exec runs a statement; an error must be MySQL's or one of opening the store,
// and needs a fault.
func (r *faultRun) exec(statement string) error {
	_, err := r.db.ExecContext(r.ctx, statement)
	r.requireKnown(statement, err)
	return err
}

func (r *faultRun) requireKnown(statement string, err error) {
	if err == nil {
		return
	}
	r.t.Helper()
	statement = statement[:min(len(statement), 60)]
	require.NoError(r.t, r.ctx.Err(), "%s hangs: %v", statement, err)
	require.True(r.t, r.faulty.met(), "%s: %v", statement, err)
	var known *mysql.MySQLError
	if !errors.As(err, &known) {
		require.ErrorContains(r.t, err, "cannot be opened", statement)
		return
	}
	if _, exists := r.states[0]["t"]; exists && known.Number == 1146 && len(r.states) == 1 && !strings.Contains(statement, " u") {
		r.t.Errorf("%s: %v", statement, err)
	}
}

// try runs a statement that changes no data; it may fail.
func (r *faultRun) try(statement string) { _ = r.exec(statement) }

func (r *faultRun) must(statement string) {
	_, err := r.db.ExecContext(r.ctx, statement)
	if err != nil && strings.Contains(err.Error(), "doesn't exist") && len(r.states[0]) == 0 {
		return
	}
	require.NoError(r.t, err, statement)
}

// read checks that reads are right or fail.
func (r *faultRun) read() {
	got, err := r.stored()
	r.requireKnown("SELECT", err)
	if err == nil {
		r.requireOneOf(got)
	}
}

func (r *faultRun) requireState() {
	got, err := r.stored()
	require.NoError(r.t, err)
	r.requireOneOf(got)
}

func (r *faultRun) requireOneOf(got state) {
	r.t.Helper()
	require.True(r.t, slices.ContainsFunc(r.states, func(s state) bool { return maps.Equal(s, got) }),
		"found %v\nwant one of %v", brief(got), brief(r.states...))
}

// brief shows the ends of values.
func brief(states ...state) string {
	var out []string
	for _, s := range states {
		for _, k := range slices.Sorted(maps.Keys(s)) {
			out = append(out, fmt.Sprintf("%s=%.3s", k, s[k]))
		}
		out = append(out, "|")
	}
	return strings.Join(out, " ")
}

// stored is what the store holds.
func (r *faultRun) stored() (state, error) {
	got := state{}
	for _, table := range []string{"t", "u"} {
		err := r.storedIn(table, got)
		var no *mysql.MySQLError
		if err != nil && !(errors.As(err, &no) && no.Number == 1146) {
			return nil, err
		}
	}
	return got, nil
}

func (r *faultRun) storedIn(table string, got state) error {
	rows, err := r.db.QueryContext(r.ctx, "SELECT K, V FROM "+table)
	if err != nil {
		return err
	}
	defer rows.Close()
	got[table] = ""
	for rows.Next() {
		var k, v string
		if err := rows.Scan(&k, &v); err != nil {
			return err
		}
		got[table+"/"+k] = v
	}
	return rows.Err()
}

// recover continues after the fault is gone.
func (r *faultRun) recover() {
	deadline := time.Now().Add(30 * time.Second)
	for {
		err := r.dml("t", []string{"after"}, "the fault")
		var no *mysql.MySQLError
		switch {
		case err == nil, errors.As(err, &no) && no.Number == 1146:
			r.read()
			return
		}
		require.True(r.t, time.Now().Before(deadline), "writes are refused though the fault is gone: %v", err)
		time.Sleep(10 * time.Millisecond)
	}
}
