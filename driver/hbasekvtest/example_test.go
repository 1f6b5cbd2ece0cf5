package hbasekvtest_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/hbasekvtest"
)

// exampleTest stands in the examples for the *testing.T of a test.
type exampleTest struct {
	testing.TB
	cleanups []func()
}

func (e *exampleTest) Helper()                           {}
func (e *exampleTest) Cleanup(f func())                  { e.cleanups = append([]func(){f}, e.cleanups...) }
func (e *exampleTest) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (e *exampleTest) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (e *exampleTest) TempDir() string {
	dir, err := os.MkdirTemp("", "hbasekvtest")
	if err != nil {
		panic(err)
	}
	e.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func (e *exampleTest) end() {
	for _, f := range e.cleanups {
		f()
	}
}

const schema = `CREATE TABLE users$profile (K varbinary(64), Q varbinary(64), T bigint, V varbinary(256), PRIMARY KEY (K, Q, T))`

func ExampleOpen() {
	t := &exampleTest{} // func TestUsers(t *testing.T)
	defer t.end()

	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema))
	if _, err := db.Exec("INSERT INTO users$profile (K, Q, V) VALUES ('u1', 'name', 'Ann')"); err != nil {
		t.Fatalf("%v", err)
	}
	var name string
	if err := db.QueryRow("SELECT V FROM users$profile WHERE K = 'u1'").Scan(&name); err != nil {
		t.Fatalf("%v", err)
	}
	fmt.Println(name)
	// Output: Ann
}

func ExampleSchemaFS() {
	t := &exampleTest{}
	defer t.end()

	migrations := fstest.MapFS{ // or an embed.FS
		"001_users.sql": {Data: []byte(schema)},
		"002_ann.sql":   {Data: []byte("INSERT INTO users$profile VALUES ('u1', 'name', 1, 'Ann');")},
	}
	db := hbasekvtest.Open(t, hbasekvtest.SchemaFS(migrations, "*.sql"))
	fmt.Print(hbasekvtest.Dump(t, db, "users"))
	// Output: u1 profile:name @1 Ann
}

func ExampleParameters() {
	t := &exampleTest{}
	defer t.end()

	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema), hbasekvtest.Parameters("versions=all&fullScan=refuse"))
	hbasekvtest.Load(t, db, "users", "u1 profile:name @2 Anna\nu1 profile:name @1 Ann\n")
	var versions int
	if err := db.QueryRow("SELECT COUNT(*) FROM users$profile WHERE K = 'u1'").Scan(&versions); err != nil {
		t.Fatalf("%v", err)
	}
	fmt.Println(versions)
	// Output: 2
}

func ExampleOnDisk() {
	t := &exampleTest{}
	defer t.end()

	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema), hbasekvtest.OnDisk())
	_, err := db.Exec("BACKUP TO ?", filepath.Join(t.TempDir(), "copy"))
	fmt.Println(err)
	// Output: <nil>
}

func ExampleLoad() {
	t := &exampleTest{}
	defer t.end()

	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema))
	hbasekvtest.Load(t, db, "users", `
		# row family:qualifier @timestamp value
		u1 profile:name @1 Ann
		u1 profile:photo @1 \xff\xd8
		u1 profile:note @1 ""
		u1 profile:gone @1 NULL
	`)
	var cells int
	if err := db.QueryRow("SELECT COUNT(V) FROM users$profile").Scan(&cells); err != nil {
		t.Fatalf("%v", err)
	}
	fmt.Println(cells)
	// Output: 3
}

func ExampleDiff() {
	fmt.Print(hbasekvtest.Diff("a f:q @1 x\nb f:q @1 y\n", "a f:q @1 X\nc f:q @2 z\n"))
	// Output:
	// ~ a f:q @1 X, not x
	// - b f:q @1 y
	// + c f:q @2 z
}

func ExampleTemplate() {
	t := &exampleTest{}
	defer t.end()

	open := hbasekvtest.Template(t, func(db *sql.DB) error { // once for all tests
		_, err := db.Exec("INSERT INTO users$profile VALUES ('u1', 'name', 1, 'Ann')")
		return err
	}, hbasekvtest.Schema(schema))

	first, second := open(t), open(t) // one for each test
	if _, err := first.Exec("DELETE FROM users$profile"); err != nil {
		t.Fatalf("%v", err)
	}
	hbasekvtest.Expect(t, first, "users", "")
	fmt.Print(hbasekvtest.Dump(t, second, "users"))
	// Output: u1 profile:name @1 Ann
}

func ExampleDump() {
	t := &exampleTest{}
	defer t.end()

	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema))
	hbasekvtest.Load(t, db, "users", `
		u1 profile:name @2 Anna
		u1 profile:name @1 Ann
		u1 profile:note @1 a\x20space
	`)
	if _, err := db.Exec("DELETE FROM users$profile WHERE Q = 'name'"); err != nil {
		t.Fatalf("%v", err)
	}
	fmt.Print(hbasekvtest.Dump(t, db, "users"))
	// Output: u1 profile:note @1 a\x20space
}

func ExampleExpect() {
	t := &exampleTest{}
	defer t.end()

	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema))
	hbasekvtest.Load(t, db, "users", "u1 profile:name @2 Anna\nu1 profile:name @1 Ann\n")
	hbasekvtest.Expect(t, db, "users", "u1 profile:name @2 Ann\nu2 profile:name @1 Bob\n")
	// Output:
	// hbasekvtest: the cells of users:
	// ~ u1 profile:name @2 Anna, not Ann
	// - u2 profile:name @1 Bob
	// + u1 profile:name @1 Ann
}

func ExampleClock() {
	t := &exampleTest{}
	defer t.end()

	clock := hbasekvtest.NewClock(time.UnixMilli(1000))
	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema), hbasekvtest.WithClock(clock))
	for _, name := range []string{"Ann", "Anna"} {
		if _, err := db.Exec("INSERT INTO users$profile (K, Q, V) VALUES ('u1', 'name', ?)", name); err != nil {
			t.Fatalf("%v", err)
		}
		clock.Advance(time.Second)
	}
	fmt.Print(hbasekvtest.Dump(t, db, "users"))
	// Output:
	// u1 profile:name @2000 Anna
	// u1 profile:name @1000 Ann
}

func ExampleNoFullScan() {
	t := &exampleTest{}
	defer t.end()

	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema))
	hbasekvtest.NoFullScan(t, db)
	_, err := db.Exec("DELETE FROM users$profile WHERE Q = 'note'")
	fmt.Println(err)
	// Output:
	// Error 1104 (42000): The statement would read a whole table; check your WHERE
	// -> Delete users$profile
	//     -> Skip scan of users$profile
	//          view: latest
	//          spans: [ - ]
	//          qualifiers: ['note' - 'note']
	//          read: keys only
}

func ExampleFaults() {
	t := &exampleTest{}
	defer t.end()

	faults := hbasekvtest.NewFaults()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema), hbasekvtest.WithFaults(faults))
	faults.Fail(hbasekvtest.Commit, 1, hbasekvtest.Deadlock)
	calls := 0
	err := driver.Retry(context.Background(), db, driver.RetryOptions{}, func(tx *sql.Tx) error {
		calls++
		_, err := tx.Exec("INSERT INTO users$profile VALUES ('u1', 'name', 1, 'Ann')")
		return err
	})
	fmt.Println(calls, err)

	faults.FailAfter(hbasekvtest.Commit, 1, hbasekvtest.StoreFailed)
	_, err = db.Exec("INSERT INTO users$profile VALUES ('u2', 'name', 1, 'Bob')")
	fmt.Println(err)
	// Output:
	// 2 <nil>
	// Error 1030 (HY000): Got error 0 - 'the store has failed and will reopen itself when the disk accepts writes' from storage engine
}

func ExampleExpectPlan() {
	t := &exampleTest{}
	defer t.end()

	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema))
	hbasekvtest.ExpectPlan(t, db, "SELECT V FROM users$profile WHERE K = ? AND Q = ?", "Point lookup", "u1", "name")
	// Output:
}
