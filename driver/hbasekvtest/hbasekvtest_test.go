package hbasekvtest_test

import (
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/hbasekv/hbasekv/driver/hbasekvtest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

const columns = "(K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1024), PRIMARY KEY (K, Q, T))"

const users = "CREATE TABLE users$info " + columns + "; CREATE TABLE users$log " + columns + ";"

func count(t testing.TB, db *sql.DB, query string, args ...any) (n int64) {
	t.Helper()
	require.NoError(t, db.QueryRow(query, args...).Scan(&n))
	return n
}

func TestOpen(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"2.sql": {Data: []byte("INSERT INTO users$info VALUES ('a;', 'q', 1, 'v'); -- the last\n")},
		"1.sql": {Data: []byte(users)},
	}
	for _, options := range [][]hbasekvtest.Option{
		{hbasekvtest.SchemaFS(files, "*.sql")},
		{hbasekvtest.SchemaFS(files, "*.sql"), hbasekvtest.OnDisk(), hbasekvtest.Parameters("versions=all&parseTime=true")},
	} {
		db := hbasekvtest.Open(t, options...)
		require.EqualValues(t, 1, count(t, db, "SELECT COUNT(*) FROM users WHERE K = 'a;'"))
	}
}

// recorder is a testing.TB that records what it is told.
type recorder struct {
	testing.TB
	errors   []string
	cleanups []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(r)
}

// during runs f with a recorder, and ends the recorder's test.
func during(t *testing.T, f func(t testing.TB)) []string {
	r := &recorder{TB: t}
	func() {
		defer func() {
			if p := recover(); p != nil && p != any(r) {
				panic(p)
			}
		}()
		f(r)
	}()
	r.end()
	return r.errors
}

// end is the end of the recorder's test.
func (r *recorder) end() {
	for _, f := range slices.Backward(r.cleanups) {
		f()
	}
}

func TestLeaksAreReported(t *testing.T) {
	t.Parallel()
	var rows *sql.Rows
	var tx *sql.Tx
	for name, leak := range map[string]func(db *sql.DB) (err error){
		"rows":        func(db *sql.DB) (err error) { rows, err = db.Query("SELECT K FROM users$info"); return err },
		"transaction": func(db *sql.DB) (err error) { tx, err = db.Begin(); return err },
	} {
		told := during(t, func(r testing.TB) {
			require.NoError(t, leak(hbasekvtest.Open(r, hbasekvtest.Schema(users))))
		})
		require.Len(t, told, 1, name)
		require.Contains(t, told[0], "1 connections are in use")
	}
	_, _ = rows.Close(), tx.Rollback()
	stop := make(chan struct{})
	told := during(t, func(r testing.TB) {
		db := hbasekvtest.Open(r, hbasekvtest.Schema(users))
		go func() { <-stop }()
		require.NoError(t, db.Ping())
	})
	require.Len(t, told, 1)
	require.Contains(t, told[0], "1 goroutines run on")
	require.Contains(t, told[0], "TestLeaksAreReported")
	go func() { <-stop }() // started by no test
	require.Empty(t, during(t, func(r testing.TB) {
		db, done := hbasekvtest.Open(r), make(chan struct{})
		go func() {
			defer close(done)
			_ = db.Ping()
		}()
		<-done
	}), "what has ended is no leak, nor what others have started")
	close(stop)
	require.Empty(t, during(t, func(r testing.TB) { hbasekvtest.Open(r) }))
	require.Contains(t, during(t, func(r testing.TB) { hbasekvtest.Open(r, hbasekvtest.Schema("SELEC 1")) })[0], "1064")
	require.Contains(t, during(t, func(r testing.TB) { hbasekvtest.Open(r, hbasekvtest.Parameters("nonesuch=1")) })[0], "nonesuch")
	require.Contains(t, during(t, func(r testing.TB) { hbasekvtest.Open(r, hbasekvtest.SchemaFS(fstest.MapFS{}, "*.sql")) })[0], "no file")
}

const cells = `"" info:"" @-1 NULL
\x00\xff info:q @5 a\x20b
\x00\xff info:q @4 \x4eULL
\x00\xff log:\x5c\x22 @4 ""
u:1 info:a:b @9223372036854775807 @#
`

func TestDumpAndLoad(t *testing.T) {
	t.Parallel()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(users+"CREATE TABLE alone "+columns))
	hbasekvtest.Load(t, db, "users", "# a comment\n\n"+cells)
	require.Equal(t, cells, hbasekvtest.Dump(t, db, "users"))
	require.EqualValues(t, 1, count(t, db, "SELECT /*+ VERSIONS(ALL) */ COUNT(*) FROM users$info WHERE V = 'NULL'"))
	require.EqualValues(t, 1, count(t, db, "SELECT COUNT(*) FROM users$info WHERE V IS NULL"))
	require.Equal(t, `\x00\xff log:\x5c\x22 @4 ""`+"\n", hbasekvtest.Dump(t, db, "users$log"))

	hbasekvtest.Load(t, db, "alone", "k :q @1 v\n")
	require.Equal(t, "k :q @1 v\n", hbasekvtest.Dump(t, db, "alone"))
	for text, says := range map[string]string{
		"k q @1 v": "line 1: a cell is written", "k :q 1 v": "a cell is written", "k :q @x v": "a cell is written", "k :q @1": "a cell is written",
		"k :q @2 v\nk :q @3 a\\b": "line 2: a backslash", "k :q @1 \\xzz": "a backslash", "k nofamily:q @1 v": "1146",
	} {
		told := during(t, func(r testing.TB) { hbasekvtest.Load(r, db, "alone", text) })
		require.Len(t, told, 1, text)
		require.Contains(t, told[0], says)
	}
	require.Equal(t, "k :q @1 v\n", hbasekvtest.Dump(t, db, "alone"), "all or none")
}

func TestExpect(t *testing.T) {
	t.Parallel()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(users))
	hbasekvtest.Load(t, db, "users", cells)
	lines := strings.Split(strings.TrimSpace(cells), "\n")
	hbasekvtest.Expect(t, db, "users", lines[3]+"\n# any order\n"+strings.Join(lines[:3], "\n")+"\n"+lines[4])
	told := during(t, func(r testing.TB) {
		hbasekvtest.Expect(r, db, "users", strings.Replace(strings.Join(lines[1:], "\n"), "@4 \"\"", "@4 other", 1)+"\nz info:q @1 v")
	})
	require.Equal(t, []string{"hbasekvtest: the cells of users:\n" +
		`~ \x00\xff log:\x5c\x22 @4 "", not other` + "\n" + "- z info:q @1 v\n" + `+ "" info:"" @-1 NULL` + "\n"}, told)
}

func TestClock(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	clock := hbasekvtest.NewClock(at)
	db := hbasekvtest.Open(t, hbasekvtest.Schema(users), hbasekvtest.WithClock(clock), hbasekvtest.Parameters("parseTime=true&time_zone=%27UTC%27"))
	insert := func() {
		_, err := db.Exec("INSERT INTO users$info (K, Q, V) VALUES ('k', 'q', 'v')")
		require.NoError(t, err)
	}
	insert()
	clock.Advance(time.Hour)
	insert()
	var now time.Time
	require.NoError(t, db.QueryRow("SELECT NOW()").Scan(&now))
	require.Equal(t, at.Add(time.Hour), now)
	hbasekvtest.Expect(t, db, "users", fmt.Sprintf("k info:q @%d v\nk info:q @%d v\n", at.UnixMilli(), at.Add(time.Hour).UnixMilli()))

	clock.Run()
	require.Eventually(t, func() bool { return clock.Now().After(at.Add(time.Hour)) }, time.Minute, time.Millisecond)
	clock.Set(at)
	clock.Freeze()
	require.Equal(t, clock.Now(), clock.Now())
	require.False(t, clock.Now().Before(at))
}

func TestExpectPlan(t *testing.T) {
	t.Parallel()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(users))
	told := during(t, func(r testing.TB) {
		hbasekvtest.ExpectPlan(r, db, "SELECT V FROM users$info WHERE K = ? AND Q = 'q'", "nonesuch", "k")
	})
	require.Len(t, told, 1)
	require.Contains(t, told[0], "Point lookup of users$info")
	hbasekvtest.ExpectPlan(t, db, "SELECT V FROM users$info WHERE K = ? AND Q = 'q'", "Point lookup", "k")
}

var clones = flag.Int("clones", 200, "how many tests have a clone of a template")

// TestTemplate makes many clones of one store, each isolated from the others'
// writes.
func TestTemplate(t *testing.T) {
	open := hbasekvtest.Template(t, func(db *sql.DB) error {
		_, err := db.Exec("INSERT INTO users$info VALUES ('k', 'q', 1, ?)", strings.Repeat("v", 1000))
		return err
	}, hbasekvtest.Schema(users))
	n := *clones
	if testing.Short() {
		n = 20
	}
	t.Run("clones", func(t *testing.T) {
		for i := range n {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				db := open(t, hbasekvtest.Parameters("versions=all"))
				_, err := db.Exec("INSERT INTO users$info VALUES ('k', 'q', ?, 'mine')", 2+i)
				require.NoError(t, err)
				require.EqualValues(t, 2, count(t, db, "SELECT COUNT(*) FROM users$info"))
				_, err = db.Exec("OPTIMIZE TABLE users$info")
				require.NoError(t, err)
				require.EqualValues(t, 2+i, count(t, db, "SELECT MAX(T) FROM users$info"))
			})
		}
	})
	require.EqualValues(t, 1, count(t, open(t), "SELECT COUNT(*) FROM users$info"))
	reader := open(t, hbasekvtest.Parameters("readOnly=true"))
	require.EqualValues(t, 1, count(t, reader, "SELECT COUNT(*) FROM users$info"))
	_, err := reader.Exec("DELETE FROM users$info")
	require.EqualValues(t, 1290, number(err))
	require.Contains(t, during(t, func(r testing.TB) {
		hbasekvtest.Template(r, func(*sql.DB) error { return errors.New("not built") })
	})[0], "not built")
}
