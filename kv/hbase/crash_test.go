package hbase

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
)

// crashed kills the test's HBase and restarts it.
func crashed(t *testing.T, dir string) {
	t.Helper()
	_, err := localHBase("kill", dir)
	require.NoError(t, err)
	_, err = localHBase("start", dir)
	require.NoError(t, err)
}

// crashDir is the folder of the HBase that a test may kill, from HBASEKV_TEST_DIR.
func crashDir(t *testing.T) string {
	dir := os.Getenv("HBASEKV_TEST_DIR")
	if dir == "" {
		t.Skip("HBASEKV_TEST_DIR does not name the folder of hbase-local")
	}
	return dir
}

// rounds is the number of faults in a test.
func rounds() int {
	if *long {
		return 5
	}
	return 1
}

// outcomes are the outcomes of writes: acknowledged ones must be there, and failed ones
// must not, unless the error says that the outcome is unknown.
type outcomes struct {
	mu      sync.Mutex
	of      map[string]error // by row
	written atomic.Int64
}

func (o *outcomes) note(row string, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.of[row] = err
	if err == nil {
		o.written.Add(1)
	}
}

// unsaid reports whether an error says that the outcome is unknown.
func unsaid(err error) bool {
	var e *mysql.MySQLError
	return errors.As(err, &e) && e.Number == 1180
}

// check compares the outcomes with the existing rows.
func (o *outcomes) check(t *testing.T, there map[string]bool) {
	unknown, failed := 0, 0
	for row, err := range o.of {
		switch {
		case err == nil:
			require.True(t, there[row], "%s was acknowledged", row)
		case unsaid(err):
			unknown++
		default:
			require.False(t, there[row], "%s is there: %v", row, err)
			failed++
		}
	}
	t.Logf("%d writes acknowledged, %d failed, of %d nobody knows", o.written.Load(), failed, unknown)
}

// TestCrash kills the test's HBase during writes, increments and scans and restarts it:
// acknowledged writes are there, unknown outcomes are reported, and a scan is complete
// or fails.
func TestCrash(t *testing.T) {
	s := openTest(t)
	dir := crashDir(t)
	name := newName()
	makeTable(t, s, name, splits, familySchema("a", behaviours["Ours"]...))
	db := openSQL(t, "")
	db.SetMaxOpenConns(8)
	a := "`" + name + "$a`"
	const before = 500
	for i := range before {
		exec1(t, db, "INSERT INTO "+a+" VALUES (?, 'q', 1, 'v')", fmt.Sprintf("b%05d", i))
	}
	exec1(t, db, "INSERT INTO "+a+" VALUES ('n', 'n', 1, 0)")
	var all sync.WaitGroup
	var over atomic.Bool
	end := func() { over.Store(true); all.Wait() }
	defer end() // if the test fails
	o := outcomes{of: map[string]error{}}
	for w := range 4 {
		all.Go(func() {
			for i := 0; !over.Load(); i++ {
				k := fmt.Sprintf("w%d-%06d", w, i)
				_, err := db.Exec("INSERT INTO "+a+" VALUES (?, 'q', 1, 'v')", k)
				o.note(k, err)
			}
		})
	}
	var sum increments
	all.Go(func() {
		for !over.Load() {
			sum.once(db, a)
		}
	})
	all.Go(func() {
		for !over.Load() {
			var n int
			err := db.QueryRow("SELECT COUNT(*) FROM " + a + " WHERE K LIKE 'b%'").Scan(&n)
			if err == nil && n != before {
				t.Errorf("a scan gave %d of %d rows", n, before)
			}
		}
	})
	for range rounds() {
		time.Sleep(time.Second)
		crashed(t, dir)
		deadline := time.Now().Add(90 * time.Second)
		for n := o.written.Load(); o.written.Load() < n+10; time.Sleep(10 * time.Millisecond) {
			require.True(t, time.Now().Before(deadline), "nothing is written")
		}
	}
	end()
	there := map[string]bool{}
	for _, c := range read(t, s, []string{name + "$a"}, kv.Scan{Ordered: true}) {
		there[string(c.Row)] = true
	}
	o.check(t, there)
	sum.check(t, db, a)
}

// increments counts V = V + 1.
type increments struct{ done, unknown, failed atomic.Int64 }

func (n *increments) once(db *sql.DB, table string) {
	switch _, err := db.Exec("UPDATE " + table + " SET V = V + 1 WHERE K = 'n' AND Q = 'n'"); {
	case err == nil:
		n.done.Add(1)
	case unsaid(err):
		n.unknown.Add(1)
	default:
		n.failed.Add(1)
	}
}

// check compares the number: each acknowledged increment was done once, and others only
// if their outcome is unknown.
func (n *increments) check(t *testing.T, db *sql.DB, table string) {
	v, err := strconv.ParseInt(rows(t, db, "SELECT V FROM "+table+" WHERE K = 'n' AND Q = 'n'")[0], 10, 64)
	require.NoError(t, err)
	t.Logf("%d increments done, %d failed, of %d nobody knows: %d", n.done.Load(), n.failed.Load(), n.unknown.Load(), v)
	require.GreaterOrEqual(t, v, n.done.Load())
	require.LessOrEqual(t, v, n.done.Load()+n.unknown.Load())
}
