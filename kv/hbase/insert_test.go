package hbase

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
)

// The requests of statements on one cell: reads and plain writes take one each, and so
// does an INSERT of an absent version.
func TestRequestsOfOneCell(t *testing.T) {
	for _, c := range []struct {
		statement string
		holds     bool
		sent      []string
		number    uint16
	}{
		{"REPLACE INTO `t$f` VALUES ('n', 'q', 5, 'v')", true, []string{"Mutate"}, 0},
		{"REPLACE INTO `t$f` VALUES ('n', 'q', 5, 'v'), ('n', 'p', 5, 'v')", true, []string{"Mutate"}, 0},
		{"INSERT INTO `t$f` VALUES ('n', 'q', 5, 'v')", true, []string{"Multi"}, 0},
		{"INSERT INTO `t$f` (K, Q, V) VALUES ('n', 'q', 'v')", true, []string{"Multi"}, 0},
		{"INSERT INTO `t$f` VALUES ('r000', 'q0', 0, 'v')", false, []string{"Multi", "Get"}, 1062},
		{"INSERT IGNORE INTO `t$f` VALUES ('r000', 'q0', 0, 'v')", false, []string{"Multi", "Get"}, 0},
		{"INSERT IGNORE INTO `t$f` VALUES ('r000', 'q0', 0, 'v'), ('n', 'q', 5, 'v')", true, []string{"Get", "Get", "Multi"}, 0},
		{"INSERT INTO `t$f` VALUES ('r000', 'q0', 0, 'v'), ('n', 'q', 5, 'v')", true, []string{"Get"}, 1062},
		{"INSERT INTO `t$f` VALUES ('m', 'q', 5, 'v'), ('n', 'q', 5, 'v')", true, []string{"Get"}, 1235},
		{"INSERT INTO `t$f` VALUES ('n', 'q', 5, 'v'), ('n', 'q', 5, 'w')", true, []string{"Scan"}, 1062},
		{"UPDATE `t$f` SET V = 'w' WHERE K = 'r000' AND Q = 'q0'", true, []string{"Get", "Mutate"}, 0},
	} {
		f := newFake(t, someCells(1))
		f.holds = func() bool { return c.holds }
		_, err := f.openSQL("").Exec(c.statement)
		require.Equal(t, c.number, errorNumber(err), "%s: %v", c.statement, err)
		require.Equal(t, c.sent, f.sent, c.statement)
	}
}

// An INSERT whose response was lost does not count as failed.
func TestInsertLost(t *testing.T) {
	for _, executed := range []bool{false, true} {
		f := newFake(t, someCells(1))
		f.holds = func() bool { return f.done == 0 }
		f.before = func(n int, _ string, _ proto.Message) (error, bool) {
			if n > 1 || executed {
				return nil, n == 1
			}
			return &rpcError{lost, "", "connection reset"}, false
		}
		_, err := f.openSQL("").Exec("INSERT INTO `t$f` VALUES ('n', 'q', 5, 'v')")
		if require.Equal(t, 1, f.done); executed {
			require.Equal(t, uint16(1180), errorNumber(err), "%v", err)
		} else {
			require.NoError(t, err)
		}
	}
}

// INSERT never overwrites a value, not even an empty one or one of eight bytes like the
// probe's, and leaves nothing if it fails. A later scan, and one after a flush, sees the
// inserted value and nothing of the probe.
func TestInsertStrict(t *testing.T) {
	s := openTest(t)
	for kind, attributes := range map[string][]string{"Ours": behaviours["Ours"], "Others": behaviours["Others"], "One": {"VERSIONS", "1"}} {
		t.Run(kind, func(t *testing.T) {
			name := newName()
			makeTable(t, s, name, nil, familySchema("a", attributes...))
			db := openSQL(t, "")
			a := "`" + name + "$a`"
			var want []string
			for i, there := range []string{"", "v", "12345678", "\x00\x00\x00\x00\x00\x00\x00\x00", "a longer one"} {
				k := fmt.Sprintf("k%d", i)
				for _, at := range []int64{5, 0, maxTimestamp} {
					q := fmt.Sprint(at)
					exec1(t, db, "INSERT INTO "+a+" VALUES (?, ?, ?, ?)", k, q, at, there)
					for _, v := range []string{"", "w", "87654321"} {
						_, err := db.Exec("INSERT INTO "+a+" VALUES (?, ?, ?, ?)", k, q, at, v)
						require.Equal(t, uint16(1062), errorNumber(err), "%q over %q: %v", v, there, err)
						require.EqualValues(t, 0, exec1(t, db, "INSERT IGNORE INTO "+a+" VALUES (?, ?, ?, ?)", k, q, at, v))
					}
					want = append(want, fmt.Sprintf("%s|%s|%d|%s", k, q, at, there))
				}
			}
			for range 2 {
				require.ElementsMatch(t, want, rows(t, db, "SELECT * FROM "+a+" FOR SYSTEM_TIME ALL"))
				flush(t, s, name)
			}
		})
	}
}

// If many insert the same version, some with an empty value only, one succeeds, and its
// value is there.
func TestInsertOnce(t *testing.T) {
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, nil, familySchema("a", behaviours["Ours"]...))
	db := openSQL(t, "")
	a := "`" + name + "$a`"
	const writers, versions = 6, 60
	var inserted [versions]atomic.Int64
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range versions {
				v := [...]string{"", "v", "12345678"}[w%3]
				_, err := db.Exec("INSERT INTO "+a+" VALUES ('k', 'q', ?, ?)", i, v)
				if err == nil {
					inserted[i].Add(1 << (8 * (w % 3)))
				} else if errorNumber(err) != 1062 {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for i, row := range rows(t, db, "SELECT V FROM "+a+" FOR SYSTEM_TIME ALL ORDER BY T") {
		require.EqualValues(t, map[string]int64{"": 1, "v": 1 << 8, "12345678": 1 << 16}[row], inserted[i].Load(), i)
	}
}
