package driver

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
)

var crashCuts = flag.Int("crash.cuts", 30, "how often the power is cut")

// TestPowerLoss cuts the power at random operations of the file system, during writes, DDL,
// moves of cells, flushes, compactions and backups. The store opens after each cut, passes
// CHECK, and has every acknowledged commit, and of the others all or nothing.
func TestPowerLoss(t *testing.T) {
	t.Run("Sync", func(t *testing.T) { runPowerLoss(t, (*power).withTables, true, *crashCuts) })
	t.Run("NoSync", func(t *testing.T) { runPowerLoss(t, (*power).withTables, false, *crashCuts/2) })
}

func runPowerLoss(t *testing.T, with func(p *power, seed uint64), sync bool, cuts int) {
	seed := testseed.Of(t)
	if raceDetector {
		cuts = min(cuts, 12)
	}
	p := newPower(t, sync, seed)
	with(p, seed)
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
	defer stop()
	p.work(ctx)
	for p.checked < cuts {
		select {
		case c := <-p.cuts:
			p.check(c)
			p.checked++
		case err := <-p.broken:
			t.Fatal(err)
		case <-ctx.Done():
			t.Fatal("the power was not cut often enough: ", p.checked)
		}
	}
	p.finish()
	t.Logf("%d cuts over %d operations of the file system; %v", p.checked, p.ops.Load(), p.tally)
}

// power is a store on a file system that is cut off from time to time, and what
// its workers know of it.
type power struct {
	t       *testing.T
	sync    bool
	dir     string
	fs      *vfs.MemFS
	links   sync.RWMutex // held for reading while a file of fs is linked or reused
	db      *sql.DB
	workers []*worker
	care    []string // the statements of maintain; an empty one is a backup
	tables  []string // which CHECK TABLE looks at after each cut
	ops     atomic.Int64
	cuts    chan cut
	broken  chan error
	began   atomic.Bool // the workers are known; hook asks on Pebble's own goroutines, too
	over    atomic.Bool
	done    sync.WaitGroup
	clock   atomic.Int64
	rng     *rand.Rand // of the hook
	looks   *rand.Rand // of the checks
	mu      sync.Mutex // guards rng and backups
	backups []madeBackup
	checked int
	tally   map[string]int
}

// cut is the state of the disk at one time, what had been made durable before
// it, and what had begun before its end.
type cut struct {
	fs          *vfs.MemFS
	safe, begun []int
	backups     []madeBackup
}

// madeBackup is an acknowledged backup, and what had been acknowledged before it.
type madeBackup struct {
	dir   string
	acked []int
}

func newPower(t *testing.T, sync bool, seed uint64) *power {
	p := &power{
		t: t, sync: sync, dir: filepath.Join(t.TempDir(), "store"), fs: vfs.NewCrashableMem(),
		cuts: make(chan cut, 2), broken: make(chan error, 8), rng: rand.New(rand.NewPCG(seed, 1)), looks: rand.New(rand.NewPCG(seed, 3)), tally: map[string]int{},
	}
	p.db = p.open(errorfs.Wrap(linking{p.fs, &p.links}, errorfs.InjectorFunc(p.hook)))
	run(t, p.db, "CREATE DATABASE ddl", "CREATE DATABASE dml")
	return p
}

// withTables has workers that write two tables, and one that makes, changes and drops others.
func (p *power) withTables(seed uint64) {
	for _, name := range []string{"a", "b"} {
		run(p.t, p.db, "CREATE TABLE dml.t$"+name+" (K varbinary(64), Q varbinary(64), T bigint, V varbinary(8192), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 3")
	}
	p.care = []string{"FLUSH TABLES", "OPTIMIZE TABLE dml.t$a, dml.t$b", "ALTER TABLE dml.t$a PARTITION BY KEY(K) PARTITIONS 5",
		"FLUSH TABLES", "ALTER TABLE dml.t$b REMOVE PARTITIONING", "ALTER TABLE dml.t$b PARTITION BY KEY(K) PARTITIONS 3", ""}
	p.workers = []*worker{
		newWorker(p, "w0", seed, (*worker).writeRows, rowsState),
		newWorker(p, "w1", seed, (*worker).writeRows, rowsState),
		newWorker(p, "ddl", seed, (*worker).changeCatalog, catalogState),
	}
}

// open opens the store on that file system; the caller closes it.
func (p *power) open(fs vfs.FS) *sql.DB {
	return openStore(p.t, p.dir, pebblekv.Options{Dir: "d", FS: fs, Sync: p.sync})
}

// openStore is a database that shows all versions, on a store with these
// options in dir, outside the registry; the caller closes it.
func openStore(t testing.TB, dir string, o pebblekv.Options) *sql.DB {
	r := newRegistry(func(storeOptions) (kv.Store, error) {
		s, err := pebblekv.OpenReopener(o)
		if err != nil {
			return nil, err
		}
		return withIndexes(s, false)
	})
	cfg, err := (&Config{Path: dir, Versions: "all"}).complete()
	require.NoError(t, err)
	return sql.OpenDB(newConnector(cfg, r))
}

// linking is a MemFS of which no clone is made while a file is linked or reused: both take the lock that a
// clone waits for twice, so that a clone between the two would wait for ever, and they for it.
type linking struct {
	*vfs.MemFS
	links *sync.RWMutex
}

func (fs linking) Link(oldname, newname string) error {
	fs.links.RLock()
	defer fs.links.RUnlock()
	return fs.MemFS.Link(oldname, newname)
}

func (fs linking) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	fs.links.RLock()
	defer fs.links.RUnlock()
	return fs.MemFS.ReuseForWrite(oldname, newname, category)
}

// hook runs before each operation of the file system, on the operation's
// goroutine.
func (p *power) hook(errorfs.Op) error {
	p.ops.Add(1)
	if !p.began.Load() || p.over.Load() || len(p.cuts) == cap(p.cuts) {
		return nil
	}
	p.mu.Lock()
	if p.rng.IntN(20) != 0 {
		p.mu.Unlock()
		return nil
	}
	c := cut{safe: p.safe(), backups: append([]madeBackup(nil), p.backups...)}
	p.links.Lock()
	c.fs = p.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: survives(p.rng), RNG: p.rng})
	p.links.Unlock()
	p.mu.Unlock()
	for _, w := range p.workers {
		c.begun = append(c.begun, int(w.begun.Load()))
	}
	select {
	case p.cuts <- c:
	default:
	}
	return nil
}

// survives is how much unsynced data survives a cut, in per cent: often none or
// all of it.
func survives(rng *rand.Rand) int { return max(0, min(100, rng.IntN(200)-50)) }

// safe are the steps that no power loss may undo.
func (p *power) safe() []int {
	if p.sync {
		return p.acknowledged()
	}
	var out []int
	for _, w := range p.workers {
		out = append(out, int(w.durable.Load()))
	}
	return out
}

func (p *power) acknowledged() []int {
	var out []int
	for _, w := range p.workers {
		out = append(out, int(w.acked.Load()))
	}
	return out
}

// work starts the workers, and one that maintains the files.
func (p *power) work(ctx context.Context) {
	p.began.Store(true)
	for _, w := range p.workers {
		p.done.Go(func() { p.report(w.run(ctx)) })
	}
	p.done.Go(func() { p.report(p.maintain(ctx)) })
}

func (p *power) report(err error) {
	if err != nil {
		p.broken <- err
	}
}

// maintain flushes, compacts, moves cells and makes backups in turn.
func (p *power) maintain(ctx context.Context) error {
	for n := 0; !p.over.Load(); n++ {
		statement := p.care[n%len(p.care)]
		if statement != "" {
			if _, err := p.db.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
			continue
		}
		b := madeBackup{fmt.Sprintf("backup%d", n), p.acknowledged()}
		if _, err := p.db.ExecContext(ctx, "BACKUP TO ?", b.dir); err != nil {
			return fmt.Errorf("BACKUP TO %s: %w", b.dir, err)
		}
		p.mu.Lock()
		old := p.backups
		p.backups = []madeBackup{b}
		p.mu.Unlock()
		for _, o := range old {
			if err := p.fs.RemoveAll(o.dir); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish stops the workers and closes the store.
func (p *power) finish() {
	p.over.Store(true)
	p.done.Wait()
	select {
	case err := <-p.broken:
		p.t.Fatal(err)
	default:
	}
	require.NoError(p.t, p.db.Close())
}

// TestPowerLossWhileCreating cuts the power at each operation of the first
// opening: the next one finds a store or creates one.
func TestPowerLossWhileCreating(t *testing.T) {
	for _, percent := range []int{0, 50, 100} {
		for n, more := int64(1), true; more; n++ {
			p := &power{t: t, sync: true, dir: filepath.Join(t.TempDir(), "store"), fs: vfs.NewCrashableMem()}
			var left *vfs.MemFS
			rng := rand.New(rand.NewPCG(uint64(n), 0))
			db := p.open(errorfs.Wrap(p.fs, errorfs.InjectorFunc(func(errorfs.Op) error {
				if p.ops.Add(1) == n {
					left = p.fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng})
				}
				return nil
			})))
			require.NoError(t, db.Ping())
			more = p.ops.Load() >= n
			require.NoError(t, db.Close())
			if left == nil {
				continue
			}
			db = p.open(left)
			run(t, db, createTable, "INSERT INTO g$f VALUES ('k', 'q', 1, 'v')")
			requireSound(t, db)
			require.NoError(t, db.Close())
		}
	}
}
