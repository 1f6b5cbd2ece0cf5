package main

import (
	"bufio"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// smallDisk is a directory on a file system of 24 MiB.
func smallDisk(t *testing.T) string {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("no file system can be mounted here: %s", out)
	}
	t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
	return dir
}

// serveStore serves a directory, and returns what it logs.
func serveStore(t *testing.T, dir string) (*serving, *logLines) {
	t.Helper()
	s := &serving{cmd: command(t.TempDir(), "serve", dir, "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0")}
	stderr, err := s.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() { s.cmd.Process.Kill(); s.cmd.Wait() })
	log, scanner := &logLines{}, bufio.NewScanner(stderr)
	go func() {
		for scanner.Scan() {
			log.add(scanner.Text())
		}
	}()
	require.Eventually(t, func() bool {
		s.sql, s.httpd = log.find(servingOn), log.find(metricsOn)
		return s.sql != "" && s.httpd != ""
	}, time.Minute, time.Millisecond)
	return s, log
}

type logLines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logLines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(&l.text, line)
}

func (l *logLines) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logLines) find(re *regexp.Regexp) string {
	if m := re.FindStringSubmatch(l.all()); m != nil {
		return m[1]
	}
	return ""
}

// told is what clients were told and have seen.
type told struct {
	mu   sync.Mutex
	rows map[string]string // why each row is known
}

func (w *told) add(row, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rows[row] = why
}

func keysOf(db *sql.DB) ([]string, error) {
	rows, err := db.Query("SELECT K FROM t")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var k string
		if err := rows.Scan(&k); err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, rows.Err()
}

func (w *told) requireAll(t *testing.T, db *sql.DB) {
	t.Helper()
	keys, err := keysOf(db)
	require.NoError(t, err)
	there := map[string]bool{}
	for _, k := range keys {
		there[k] = true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for row, why := range w.rows {
		require.True(t, there[row], "%s was %s", row, why)
	}
}

func openServed(t *testing.T, s *serving) *sql.DB {
	db, err := sql.Open("mysql", "root@tcp("+s.sql+")/default?interpolateParams=true")
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func statusOf(t *testing.T, db *sql.DB, name string) (value string) {
	require.NoError(t, db.QueryRow("SHOW STATUS LIKE '"+name+"'").Scan(&name, &value))
	return value
}

// TestServeFullDisk fills a server's disk. Its readiness, metrics, status and log report
// that, until there is room: then it continues. What was acknowledged or seen is there, then
// and after the server was killed.
func TestServeFullDisk(t *testing.T) {
	disk := smallDisk(t)
	s, log := serveStore(t, filepath.Join(disk, "store"))
	db := openServed(t, s)
	_, err := db.Exec("CREATE TABLE t (K varbinary(64), Q varbinary(20), T bigint, V varbinary(65000), PRIMARY KEY (K, Q, T))")
	require.NoError(t, err)
	w := &told{rows: map[string]string{}}
	var over, full, killed atomic.Bool
	var busy sync.WaitGroup
	for i := range 3 {
		busy.Go(func() { // writes
			value := make([]byte, 20<<10)
			for n := 0; !over.Load(); n++ {
				for j := range value {
					value[j] = byte(rand.IntN(256))
				}
				row := fmt.Sprintf("%d-%06d", i, n)
				_, err := db.Exec("INSERT INTO t VALUES (?, 'q', 1, ?)", row, value)
				var no *mysql.MySQLError
				switch {
				case err == nil:
					w.add(row, "acknowledged")
				case killed.Load():
				case !errors.As(err, &no) || no.Number != 1021 && no.Number != 1213:
					t.Errorf("not 1021: %v", err)
				case no.Number == 1021:
					full.Store(true)
					time.Sleep(time.Millisecond)
				}
			}
		})
		busy.Go(func() { // reads
			for !over.Load() {
				keys, err := keysOf(db)
				var no *mysql.MySQLError
				if err != nil && !killed.Load() && (!errors.As(err, &no) || no.Number != 1213) {
					t.Errorf("a reader: %v", err)
				}
				for _, k := range keys {
					w.add(k, "seen")
				}
			}
		})
	}
	defer busy.Wait()
	defer over.Store(true)
	require.Eventually(t, full.Load, time.Minute, time.Millisecond)
	require.Eventually(t, func() bool {
		code, body := s.get(t, "/readyz")
		return code == 503 && strings.Contains(body, "writes are refused") && strings.Contains(body, "disk is full")
	}, time.Minute, time.Millisecond)
	_, metrics := s.get(t, "/metrics")
	require.Contains(t, metrics, "hbasekv_store_writes_refused 1")
	require.Contains(t, statusOf(t, db, "Hbasekv_writes_refused"), "disk is full")
	require.Eventually(t, func() bool { return strings.Contains(log.all(), `msg="writes are refused"`) }, time.Minute, time.Millisecond)

	require.NoError(t, exec.Command("mount", "-o", "remount,size=200m", disk).Run())
	require.Eventually(t, func() bool {
		code, _ := s.get(t, "/readyz")
		return code == 200
	}, time.Minute, time.Millisecond)
	_, metrics = s.get(t, "/metrics")
	require.Contains(t, metrics, "hbasekv_store_writes_refused 0")
	require.Empty(t, statusOf(t, db, "Hbasekv_writes_refused"))
	require.Eventually(t, func() bool { return strings.Contains(log.all(), `msg="writes are taken again"`) }, time.Minute, time.Millisecond)
	_, err = db.Exec("INSERT INTO t VALUES ('again', 'q', 1, '')")
	require.NoError(t, err)
	w.add("again", "acknowledged")
	killed.Store(true)
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGKILL), "while all are busy")
	over.Store(true)
	_ = s.cmd.Wait()
	t.Log(len(w.rows), "rows")
	again, _ := serveStore(t, filepath.Join(disk, "store"))
	w.requireAll(t, openServed(t, again))
}
