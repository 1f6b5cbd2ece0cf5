package hbasekvtest

import (
	"context"
	"database/sql"
	"fmt"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A test's goroutines have a label of the profiler, which a goroutine inherits
// from the one that started it: so parallel tests are told apart.
const goroutineLabel = "hbasekvtest"

var lastOpen atomic.Int64

// watch labels the goroutine and those that it will start.
func watch() (label string) {
	label = strconv.FormatInt(lastOpen.Add(1), 10)
	setLabels(pprof.Labels(goroutineLabel, label))
	return label
}

func setLabels(labels pprof.LabelSet) {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), labels))
}

// finish closes the database and reports what the test has left open or running.
func finish(t testing.TB, db *sql.DB, label string) {
	t.Helper()
	if n := inUse(db); n > 0 {
		t.Errorf("hbasekvtest: %d connections are in use at the end of the test: "+
			"rows, a transaction or a sql.Conn has not been closed", n)
	}
	if err := db.Close(); err != nil {
		t.Errorf("hbasekvtest: closing the store: %v", err)
	}
	setLabels(pprof.Labels())
	if _, ok := t.(interface{ Loop() bool }); ok {
		return // a benchmark: looking at all goroutines takes as long as opening a store
	}
	if left := running(label); len(left) > 0 {
		t.Errorf("hbasekvtest: %d goroutines run on after the end of the test:\n\n%s", len(left), strings.Join(left, "\n\n"))
	}
}

// endWait is how long to wait for goroutines to end after the store is closed, and
// for transactions whose context has ended, which database/sql rolls back later.
const endWait = time.Second

// inUse is the number of connections in use, after waiting for them to be returned.
func inUse(db *sql.DB) (n int) {
	waitUntil(func() bool { n = db.Stats().InUse; return n == 0 })
	return n
}

// running returns the stacks of the goroutines with the label, after waiting
// for them to end.
func running(label string) (left []string) {
	waitUntil(func() bool {
		left = stacks(fmt.Sprintf("%q:%q", goroutineLabel, label))
		return len(left) == 0
	})
	return left
}

// waitUntil returns when ended returns true, or after endWait.
func waitUntil(ended func() bool) {
	for wait := time.Millisecond; !ended() && wait <= endWait; wait *= 2 {
		time.Sleep(wait)
	}
}

// others are goroutines of database/sql and net/http for connections that are
// idle, or in use, which inUse reports.
var others = []string{"database/sql.(*Tx).awaitDone", "database/sql.(*Rows).awaitDone", "net/http.(*persistConn)"}

// stacks returns the stacks of the goroutines with the label.
func stacks(label string) (found []string) {
	var text strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&text, 1) // a Builder never fails
	for group := range strings.SplitSeq(text.String(), "\n\n") {
		other := slices.ContainsFunc(others, func(name string) bool { return strings.Contains(group, name) })
		if strings.Contains(group, label) && !other {
			found = append(found, group)
		}
	}
	return found
}
