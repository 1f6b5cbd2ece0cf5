package conformance

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writeCase is a statement on a table t that holds the versions of given, what
// it answers, and what the table holds then.
type writeCase struct {
	name  string
	given string // versions as K/Q/T/V, divided by spaces; empty is standard
	run   string
	args  []any
	n     int64  // RowsAffected
	found int64  // RowsAffected with clientFoundRows, where it differs; -1 is 0
	id    string // LastInsertId, empty for 0; "now" is of the clock
	fails uint16 // the error, which changes nothing
	warns string // codes of the warnings
	want  string // all versions in HBase's order; empty is unchanged
}

// standard holds two versions of one cell and one of another.
const standard = "a/q/3/three a/q/1/one b/q/2/two"

const lastT = "9223372036854775807"

var writeCases = []writeCase{
	// INSERT is strict.
	{name: "insert", run: "INSERT INTO t VALUES ('a', 'q', 2, 'x')", n: 1, want: "a/q/3/three a/q/2/x a/q/1/one b/q/2/two"},
	{name: "insert of a version that exists", run: "INSERT INTO t VALUES ('a', 'q', 1, 'x')", fails: 1062},
	{name: "insert of the same value", run: "INSERT INTO t VALUES ('a', 'q', 1, 'one')", fails: 1062},
	{name: "insert of many is all or nothing", run: "INSERT INTO t VALUES ('c', 'q', 1, 'x'), ('d', 'q', 1, 'x'), ('b', 'q', 2, 'x')", fails: 1062},
	{name: "insert twice in one statement", run: "INSERT INTO t VALUES ('c', 'q', 1, 'x'), ('c', 'q', 1, 'y')", fails: 1062},
	{name: "insert of no columns needs K", run: "INSERT INTO t () VALUES ()", fails: 1364},
	{name: "insert in another order of columns", run: "INSERT INTO t (V, T, Q, K) VALUES ('v', -5, '', '')", n: 1, want: "//-5/v " + standard},
	{name: "insert set", run: "INSERT INTO t SET K = 'c', Q = 'q', T = 4, V = 'x'", n: 1, want: standard + " c/q/4/x"},
	{name: "insert without V is NULL", run: "INSERT INTO t (K, Q, T) VALUES ('c', 'q', 4)", n: 1, want: standard + " c/q/4/NULL"},
	{name: "insert NULL and empty", run: "INSERT INTO t VALUES ('c', '', 4, NULL), ('c', 'q', 4, '')", n: 2, want: standard + " c//4/NULL c/q/4/"},
	{name: "insert of columns before", run: "INSERT INTO t (K, Q, T, V) VALUES ('c', K, 4, CONCAT(K, Q, T))", n: 1, want: standard + " c/c/4/cc4"},
	{name: "insert of a column behind is NULL", run: "INSERT INTO t (Q, T, V, K) VALUES ('q', 4, K, 'c'), ('r', 4, V, 'c')", n: 2, want: standard + " c/q/4/NULL c/r/4/NULL"},
	{name: "insert NULL key", run: "INSERT INTO t VALUES (NULL, 'q', 4, 'x')", fails: 1048},
	{name: "insert NULL qualifier", run: "INSERT INTO t VALUES ('c', NULL, 4, 'x')", fails: 1048},
	{name: "insert nil bytes is NULL", run: "INSERT INTO t VALUES ('c', 'q', 4, ?)", args: []any{[]byte(nil)}, n: 1, want: standard + " c/q/4/NULL"},
	{name: "insert empty bytes is empty", run: "INSERT INTO t VALUES ('c', 'q', 4, ?)", args: []any{[]byte{}}, n: 1, want: standard + " c/q/4/"},
	{name: "insert at the ends of time", run: "INSERT INTO t VALUES ('c', 'q', 9223372036854775807, 'max'), ('c', 'q', -9223372036854775808, 'min')", n: 2,
		want: standard + " c/q/" + lastT + "/max c/q/-9223372036854775808/min"},
	{name: "insert beyond the end of time", run: "INSERT INTO t VALUES ('c', 'q', 9223372036854775808, 'x')", fails: 1264},
	{name: "insert of numbers as bytes", run: "INSERT INTO t VALUES (1, 2.50, '7', 1e3)", n: 1, want: "1/2.50/7/1000 " + standard},
	{name: "insert of a placeholder number", run: "INSERT INTO t VALUES (?, ?, ?, ?)", args: []any{7, true, int64(-1), 1.5}, n: 1, want: "7/1/-1/1.5 " + standard},

	// No T is the clock's.
	{name: "insert at the clock", run: "INSERT INTO t (K, Q, V) VALUES ('a', 'q', 'x')", n: 1, id: "now", want: "a/q/now/x " + standard},
	{name: "insert at the clock by DEFAULT", run: "INSERT INTO t VALUES ('a', 'q', DEFAULT, 'x')", n: 1, id: "now", want: "a/q/now/x " + standard},
	{name: "insert at the clock by NULL", run: "INSERT INTO t VALUES ('a', 'q', NULL, 'x')", n: 1, id: "now", want: "a/q/now/x " + standard},
	{name: "insert at the clock by a NULL placeholder", run: "INSERT INTO t VALUES ('a', 'q', ?, 'x')", args: []any{nil}, n: 1, id: "now", want: "a/q/now/x " + standard},
	{name: "insert one cell twice at the clock", run: "INSERT INTO t (K, Q, V) VALUES ('c', 'q', 'x'), ('c', 'q', 'y')", n: 2, id: "now", want: standard + " c/q/now/y c/q/now/x"},
	{name: "some rows with T", run: "INSERT INTO t VALUES ('c', 'q', 7, 'x'), ('c', 'q', NULL, 'y')", n: 2, id: "now", want: standard + " c/q/now/y c/q/7/x"},
	{name: "replace at the clock", run: "REPLACE INTO t (K, Q, V) VALUES ('c', 'q', 'x'), ('c', 'q', 'y')", n: 2, id: "now", want: standard + " c/q/now/y c/q/now/x"},
	{name: "on duplicate without T adds", run: "INSERT INTO t (K, Q, V) VALUES ('a', 'q', 'x') ON DUPLICATE KEY UPDATE V = 'dup'", n: 1, id: "now", want: "a/q/now/x " + standard},

	// INSERT IGNORE.
	{name: "ignore a duplicate", run: "INSERT IGNORE INTO t VALUES ('a', 'q', 1, 'x'), ('c', 'q', 1, 'y')", n: 1, warns: "1062", want: standard + " c/q/1/y"},
	{name: "ignore too long a value", run: "INSERT IGNORE INTO t VALUES ('c', 'q', 1, REPEAT('x', 101)), ('d', 'q', 1, 'y')", n: 1, warns: "1406", want: standard + " d/q/1/y"},
	{name: "ignore a NULL key", run: "INSERT IGNORE INTO t VALUES (NULL, 'q', 1, 'x')", warns: "1048"},
	{name: "ignore a bad T", run: "INSERT IGNORE INTO t VALUES ('c', 'q', 'noon', 'x'), ('c', 'q', 1e30, 'x')", warns: "1366 1264"},
	{name: "ignore in a select", run: "INSERT IGNORE INTO t SELECT K, Q, T + 2, 'x' FROM t WHERE K = 'a' OR K = 'b'", n: 2, want: "a/q/5/x " + "a/q/3/three a/q/1/one b/q/4/x b/q/2/two"},

	// ON DUPLICATE KEY UPDATE changes the exact version.
	{name: "on duplicate inserts", run: "INSERT INTO t VALUES ('a', 'q', 2, 'x') ON DUPLICATE KEY UPDATE V = 'dup'", n: 1, want: "a/q/3/three a/q/2/x a/q/1/one b/q/2/two"},
	{name: "on duplicate changes", run: "INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE V = VALUES(V)", n: 2, want: "a/q/3/three a/q/1/x b/q/2/two"},
	{name: "on duplicate changes nothing", run: "INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE V = 'one'", n: 0, found: 1},
	{name: "on duplicate does nothing, as gorm says it", run: "INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE `K`=`K`", n: 0, found: 1},
	{name: "on duplicate counts 1, 2 and 0", run: "INSERT INTO t VALUES ('c', 'q', 1, 'x'), ('a', 'q', 1, 'y'), ('b', 'q', 2, 'two') ON DUPLICATE KEY UPDATE V = VALUES(V)", n: 3, found: 4,
		want: "a/q/3/three a/q/1/y b/q/2/two c/q/1/x"},
	{name: "on duplicate of its own row", run: "INSERT INTO t VALUES ('c', 'q', 1, 'x'), ('c', 'q', 1, 'y') ON DUPLICATE KEY UPDATE V = CONCAT(V, VALUES(V))", n: 3, want: standard + " c/q/1/xy"},
	{name: "on duplicate increments", given: "a/n/1/41", run: "INSERT INTO t VALUES ('a', 'n', 1, 1) ON DUPLICATE KEY UPDATE V = V + VALUES(V)", n: 2, want: "a/n/1/42"},
	{name: "on duplicate moves", run: "INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE T = 2, V = VALUES(V)", n: 2, want: "a/q/3/three a/q/2/x b/q/2/two"},
	{name: "on duplicate moves onto another", run: "INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE T = 3", fails: 1062},
	{name: "on duplicate sets K", run: "INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE K = 'z'", n: 2, want: "a/q/3/three b/q/2/two z/q/1/one"},
	{name: "on duplicate sees what it set", run: "INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE V = 'y', Q = V", n: 2, want: "a/q/3/three a/y/1/y b/q/2/two"},
	{name: "on duplicate too long", run: "INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE V = REPEAT('x', 101)", fails: 1406},

	// INSERT ... SELECT.
	{name: "insert from itself", run: "INSERT INTO t SELECT CONCAT(K, 'x'), Q, T, V FROM t", n: 2, want: "a/q/3/three a/q/1/one ax/q/3/three b/q/2/two bx/q/2/two"},
	{name: "insert all versions from itself", run: "INSERT INTO t SELECT CONCAT(K, 'x'), Q, T, V FROM t FOR SYSTEM_TIME ALL", n: 3,
		want: "a/q/3/three a/q/1/one ax/q/3/three ax/q/1/one b/q/2/two bx/q/2/two"},
	{name: "insert from itself, seeing nothing of its own", run: "INSERT INTO t (K, Q, V) SELECT K, Q, V FROM t", n: 2, id: "now", want: "a/q/now/three a/q/3/three a/q/1/one b/q/now/two b/q/2/two"},
	{name: "insert select that collides", run: "INSERT INTO t SELECT 'a', Q, T + 1, V FROM t", fails: 1062, given: "a/q/3/x b/q/2/y"},
	{name: "insert select of a limit", run: "INSERT INTO t SELECT 'c', Q, T, V FROM t ORDER BY K DESC LIMIT 1", n: 1, want: standard + " c/q/2/two"},
	{name: "insert select of nothing", run: "INSERT INTO t SELECT * FROM t WHERE FALSE", n: 0},
	{name: "insert select of a period", run: "INSERT INTO t SELECT 'c', Q, T, V FROM t FOR SYSTEM_TIME FROM 1 TO 2", n: 1, want: standard + " c/q/1/one"},
	{name: "insert from dual", run: "INSERT INTO t SELECT 'c', 'q', 1, 'x' FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM t WHERE K = 'a')", n: 0},
	{name: "replace select", run: "REPLACE INTO t SELECT K, Q, T, 'x' FROM t", n: 2, want: "a/q/3/x a/q/1/one b/q/2/x"},

	// REPLACE is a blind put.
	{name: "replace", run: "REPLACE INTO t VALUES ('a', 'q', 1, 'x'), ('c', 'q', 1, 'y')", n: 2, want: "a/q/3/three a/q/1/x b/q/2/two c/q/1/y"},
	{name: "replace of the same", run: "REPLACE INTO t VALUES ('a', 'q', 1, 'one')", n: 1},
	{name: "replace twice", run: "REPLACE INTO t VALUES ('c', 'q', 1, 'x'), ('c', 'q', 1, 'y')", n: 2, want: standard + " c/q/1/y"},
	{name: "replace too long", run: "REPLACE INTO t VALUES ('a', 'q', 1, 'x'), ('b', 'q', 1, REPEAT('x', 101))", fails: 1406},

	// UPDATE through the latest view.
	{name: "update adds a version", run: "UPDATE t SET V = 'x' WHERE K = 'a'", n: 1, want: "a/q/now/x " + standard},
	{name: "update of all cells", run: "UPDATE t SET V = CONCAT(V, K)", n: 2, want: "a/q/now/threea a/q/3/three a/q/1/one b/q/now/twob b/q/2/two"},
	{name: "update that changes nothing", run: "UPDATE t SET V = 'three' WHERE K = 'a'", n: 0, found: 1},
	{name: "update that changes some", run: "UPDATE t SET V = 'two'", n: 1, found: 2, want: "a/q/now/two " + standard},
	{name: "update of nothing", run: "UPDATE t SET V = 'x' WHERE K = 'z'", n: 0},
	{name: "update of an old value finds nothing", run: "UPDATE t SET V = 'x' WHERE V = 'one'", n: 0},
	{name: "update where T is of the newest", run: "UPDATE t SET V = 'x' WHERE T < 3", n: 1, want: "a/q/3/three a/q/1/one b/q/now/x b/q/2/two"},
	{name: "update of a future version", given: "a/q/9000000000000000000/x", run: "UPDATE t SET V = 'y'", n: 1, want: "a/q/9000000000000000001/y a/q/9000000000000000000/x"},
	{name: "update at the end of time", given: "a/q/" + lastT + "/x", run: "UPDATE t SET V = 'y'", fails: 1264},
	{name: "update at the end of time that changes nothing", given: "a/q/" + lastT + "/x", run: "UPDATE t SET V = 'x'", n: 0, found: 1},
	{name: "update of many fails as one", given: "a/q/1/x b/q/" + lastT + "/x", run: "UPDATE t SET V = 'y'", fails: 1264},
	{name: "update to NULL", run: "UPDATE t SET V = NULL WHERE K = 'b'", n: 1, want: "a/q/3/three a/q/1/one b/q/now/NULL b/q/2/two"},
	{name: "update from NULL to empty", given: "a/q/1/NULL", run: "UPDATE t SET V = ''", n: 1, want: "a/q/now/ a/q/1/NULL"},
	{name: "update NULL to NULL", given: "a/q/1/NULL", run: "UPDATE t SET V = NULL", n: 0, found: 1},
	{name: "update V to DEFAULT", run: "UPDATE t SET V = DEFAULT WHERE K = 'b'", n: 1, want: "a/q/3/three a/q/1/one b/q/now/NULL b/q/2/two"},
	{name: "update of T adds there", run: "UPDATE t SET T = 2 WHERE K = 'a'", n: 1, want: "a/q/3/three a/q/2/three a/q/1/one b/q/2/two"},
	{name: "update of T and V", run: "UPDATE t SET T = T + 1, V = 'x' WHERE K = 'a'", n: 1, want: "a/q/4/x " + standard},
	{name: "update of T to one that exists", run: "UPDATE t SET T = 1, V = 'x' WHERE K = 'a'", fails: 1062},
	{name: "update of T to itself", run: "UPDATE t SET T = 3 WHERE K = 'a'", n: 0, found: 1},
	{name: "update of T to itself with another V", run: "UPDATE t SET T = 3, V = 'x' WHERE K = 'a'", n: 1, want: "a/q/3/x a/q/1/one b/q/2/two"},
	{name: "update of T beyond", run: "UPDATE t SET T = T + 9223372036854775807 WHERE K = 'a'", fails: 1690},
	{name: "update of T to NULL", run: "UPDATE t SET T = NULL WHERE K = 'a'", fails: 1048},
	{name: "update of K moves the cell", run: "UPDATE t SET K = 'c' WHERE K = 'a'", n: 1, want: "b/q/2/two c/q/3/three c/q/1/one"},
	{name: "update of Q moves the cell", run: "UPDATE t SET Q = 'p' WHERE K = 'a'", n: 1, want: "a/p/3/three a/p/1/one b/q/2/two"},
	{name: "update of K and V moves and adds", run: "UPDATE t SET K = 'c', V = 'x' WHERE K = 'a'", n: 1, want: "b/q/2/two c/q/now/x c/q/3/three c/q/1/one"},
	{name: "update of K and T moves and adds", run: "UPDATE t SET K = 'c', T = 2 WHERE K = 'a'", n: 1, want: "b/q/2/two c/q/3/three c/q/2/three c/q/1/one"},
	{name: "update of K onto a cell", run: "UPDATE t SET K = 'b' WHERE K = 'a'", fails: 1062},
	{name: "update of K of two cells to one", run: "UPDATE t SET K = 'c'", fails: 1062},
	{name: "update of K to itself", run: "UPDATE t SET K = K, Q = Q, V = V", n: 0, found: 2},
	{name: "update of K too long", run: "UPDATE t SET K = REPEAT('k', 1025) WHERE K = 'a'", fails: 1406},
	{name: "update of all keys", run: "UPDATE t SET K = CONCAT('x', K)", n: 2, want: "xa/q/3/three xa/q/1/one xb/q/2/two"},
	{name: "assignments see those before", run: "UPDATE t SET V = 'x', Q = V WHERE K = 'b'", n: 1, want: "a/q/3/three a/q/1/one b/x/now/x b/x/2/two"},
	{name: "update in order with a limit", run: "UPDATE t SET V = 'x' ORDER BY K DESC LIMIT 1", n: 1, want: "a/q/3/three a/q/1/one b/q/now/x b/q/2/two"},
	{name: "update limit 0", run: "UPDATE t SET V = 'x' LIMIT 0", n: 0},
	{name: "update by a placeholder limit", run: "UPDATE t SET V = ? WHERE K >= ? ORDER BY V LIMIT ?", args: []any{"x", "a", 1}, n: 1, want: "a/q/now/x " + standard},
	{name: "update by a subquery", run: "UPDATE t SET V = 'x' WHERE K IN (SELECT 'b' FROM DUAL)", n: 1, want: "a/q/3/three a/q/1/one b/q/now/x b/q/2/two"},
	{name: "update ignore skips", run: "UPDATE IGNORE t SET K = 'b' WHERE K = 'a'", n: 0, found: 1, warns: "1062"},
	{name: "update ignore skips the row whole", given: "a/q/" + lastT + "/x b/q/1/y", run: "UPDATE IGNORE t SET K = CONCAT(K, 'x'), V = 'z'", n: 1, found: 2, warns: "1264",
		want: "a/q/" + lastT + "/x bx/q/now/z bx/q/1/y"},
	{name: "update ignore skips a moved row whole", given: "a/q/3/x a/q/1/y", run: "UPDATE IGNORE t SET K = 'c', T = 1", n: 0, found: 1, warns: "1062"},

	// UPDATE of versions.
	{name: "update in place", run: "UPDATE /*+ VERSIONS(ALL) */ t SET V = 'x' WHERE T = 1", n: 1, want: "a/q/3/three a/q/1/x b/q/2/two"},
	{name: "update every version", run: "UPDATE /*+ VERSIONS(ALL) */ t SET V = CONCAT(V, T)", n: 3, want: "a/q/3/three3 a/q/1/one1 b/q/2/two2"},
	{name: "update of the newest n", given: "a/q/3/x a/q/2/y a/q/1/z", run: "UPDATE /*+ VERSIONS(2) */ t SET V = 'n'", n: 2, want: "a/q/3/n a/q/2/n a/q/1/z"},
	{name: "update in place of T moves", run: "UPDATE /*+ VERSIONS(ALL) */ t SET T = 7 WHERE V = 'one'", n: 1, want: "a/q/7/one a/q/3/three b/q/2/two"},
	{name: "update in place of all T", run: "UPDATE /*+ VERSIONS(ALL) */ t SET T = T + 10", n: 3, want: "a/q/13/three a/q/11/one b/q/12/two"},
	{name: "update in place of T collides", run: "UPDATE /*+ VERSIONS(ALL) */ t SET T = 3 WHERE T = 1", fails: 1062},
	{name: "update in place of K moves the version", run: "UPDATE /*+ VERSIONS(ALL) */ t SET K = 'c' WHERE T = 1", n: 1, want: "a/q/3/three b/q/2/two c/q/1/one"},
	{name: "update in place of K to a cell that exists", run: "UPDATE /*+ VERSIONS(ALL) */ t SET K = 'b' WHERE T = 1", n: 1, want: "a/q/3/three b/q/2/two b/q/1/one"},
	{name: "update in place of Q", run: "UPDATE /*+ VERSIONS(2) */ t SET Q = '', V = '' WHERE K = 'b'", n: 1, want: "a/q/3/three a/q/1/one b//2/"},
	{name: "update in place at the end of time", given: "a/q/" + lastT + "/x", run: "UPDATE /*+ VERSIONS(ALL) */ t SET V = 'y'", n: 1, want: "a/q/" + lastT + "/y"},
	{name: "update in place that changes nothing", run: "UPDATE /*+ VERSIONS(ALL) */ t SET V = V", n: 0, found: 3},
	{name: "update in place in order with a limit", run: "UPDATE /*+ VERSIONS(ALL) */ t SET V = 'x' ORDER BY T LIMIT 2", n: 2, want: "a/q/3/three a/q/1/x b/q/2/x"},
	{name: "update ignore in place skips", run: "UPDATE /*+ VERSIONS(ALL) */ IGNORE t SET T = 3 WHERE T < 3", n: 1, found: 2, warns: "1062", want: "a/q/3/three a/q/1/one b/q/3/two"},
	{name: "update of an all view by FOR SYSTEM_TIME", run: "UPDATE t FOR SYSTEM_TIME ALL SET V = 'x' WHERE T = 1", n: 1, want: "a/q/3/three a/q/1/x b/q/2/two"},

	// UPDATE of a table joined with derived ones.
	{name: "update by a grouped derived table", run: "UPDATE t JOIN (SELECT K, COUNT(*) n, MAX(V) m FROM t FOR SYSTEM_TIME ALL GROUP BY K) d ON t.K = d.K SET t.V = CONCAT(d.n, d.m)", n: 2,
		want: "a/q/now/2three a/q/3/three a/q/1/one b/q/now/1two b/q/2/two"},
	{name: "update by a grouped derived table behind a comma", run: "UPDATE t, (SELECT K, MAX(V) V FROM t GROUP BY K) d SET t.V = CONCAT(d.V, '!') WHERE t.K = d.K AND t.Q = 'q'", n: 2,
		want: "a/q/now/three! a/q/3/three a/q/1/one b/q/now/two! b/q/2/two"},
	{name: "update by a grouped derived table with HAVING", run: "UPDATE t JOIN (SELECT K, MAX(V) V FROM t FOR SYSTEM_TIME ALL GROUP BY K HAVING COUNT(*) > 1) d ON t.K = d.K SET t.V = 'x'", n: 1,
		want: "a/q/now/x " + standard},
	{name: "update by a grouped derived table behind LEFT JOIN", run: "UPDATE t LEFT JOIN (SELECT K, COUNT(*) n FROM t WHERE K = 'b' GROUP BY K) d ON t.K = d.K SET t.V = d.n WHERE d.n IS NULL OR d.n = 1", n: 2,
		want: "a/q/now/NULL a/q/3/three a/q/1/one b/q/now/1 b/q/2/two"},
	{name: "update by a grouped derived table in front of RIGHT JOIN", run: "UPDATE (SELECT K, COUNT(*) n FROM t GROUP BY K) d RIGHT JOIN t ON t.K = d.K SET t.V = d.n", n: 2,
		want: "a/q/now/1 a/q/3/three a/q/1/one b/q/now/1 b/q/2/two"},
	{name: "update by a grouped derived table with USING", run: "UPDATE t JOIN (SELECT K, SUM(T) s FROM t GROUP BY K) d USING (K) SET t.V = d.s", n: 2,
		want: "a/q/now/3 a/q/3/three a/q/1/one b/q/now/2 b/q/2/two"},
	{name: "update by a DISTINCT derived table", run: "UPDATE t JOIN (SELECT DISTINCT K FROM t FOR SYSTEM_TIME ALL) d ON t.K = d.K SET t.V = d.K", n: 2,
		want: "a/q/now/a a/q/3/three a/q/1/one b/q/now/b b/q/2/two"},
	{name: "update by a UNION of grouped queries", run: "UPDATE t JOIN (SELECT K, COUNT(*) n FROM t WHERE K = 'a' GROUP BY K UNION SELECT K, MAX(T) FROM t WHERE K = 'b' GROUP BY K) d ON t.K = d.K SET t.V = d.n", n: 2,
		want: "a/q/now/1 a/q/3/three a/q/1/one b/q/now/2 b/q/2/two"},
	{name: "update by derived tables in each other", run: "UPDATE t JOIN (SELECT K, MAX(n) m FROM (SELECT K, Q, COUNT(*) n FROM t GROUP BY K, Q) e GROUP BY K) d ON t.K = d.K SET t.V = d.m", n: 2,
		want: "a/q/now/1 a/q/3/three a/q/1/one b/q/now/1 b/q/2/two"},
	{name: "update by a common table expression that groups", run: "WITH d AS (SELECT K, COUNT(*) n FROM t GROUP BY K) UPDATE t JOIN d ON t.K = d.K SET t.V = d.n", n: 2,
		want: "a/q/now/1 a/q/3/three a/q/1/one b/q/now/1 b/q/2/two"},
	{name: "update by one aggregate", run: "UPDATE t JOIN (SELECT MAX(K) m FROM t) d ON t.K = d.m SET t.V = d.m", n: 1, want: "a/q/3/three a/q/1/one b/q/now/b b/q/2/two"},
	{name: "update of a join to an aggregate", run: "UPDATE t JOIN (SELECT K FROM t GROUP BY K) d ON t.K = d.K SET t.V = MAX(d.K)", fails: 1111},
	{name: "update to an aggregate", run: "UPDATE t SET V = MAX(K)", fails: 1111},

	// DELETE.
	{name: "delete removes cells", run: "DELETE FROM t WHERE K = 'a'", n: 1, want: "b/q/2/two"},
	{name: "delete everything", run: "DELETE FROM t", n: 2, want: "-"},
	{name: "delete by the newest version's value", run: "DELETE FROM t WHERE V = 'one'", n: 0},
	{name: "delete where T is of the newest", run: "DELETE FROM t WHERE T < 3", n: 1, want: "a/q/3/three a/q/1/one"},
	{name: "delete of versions", run: "DELETE /*+ VERSIONS(ALL) */ FROM t WHERE T = 3", n: 1, want: "a/q/1/one b/q/2/two"},
	{name: "delete of old versions", run: "DELETE /*+ VERSIONS(ALL) */ FROM t WHERE T < 3", n: 2, want: "a/q/3/three"},
	{name: "delete of the newest n", given: "a/q/3/x a/q/2/y a/q/1/z b/q/1/b", run: "DELETE /*+ VERSIONS(2) */ FROM t", n: 3, want: "a/q/1/z"},
	{name: "delete through VERSIONS(1) is by cells", run: "DELETE /*+ VERSIONS(1) */ FROM t", n: 2, want: "-"},
	{name: "delete in order with a limit", run: "DELETE FROM t ORDER BY K DESC LIMIT 1", n: 1, want: "a/q/3/three a/q/1/one"},
	{name: "delete of versions in order with a limit", run: "DELETE /*+ VERSIONS(?) */ FROM t ORDER BY T DESC LIMIT ?", args: []any{5, 2}, n: 2, want: "a/q/1/one"},
	{name: "delete by an alias", run: "DELETE FROM t AS x WHERE x.K = 'b'", n: 1, want: "a/q/3/three a/q/1/one"},
	{name: "delete by keys, as gorm says it", run: "DELETE FROM t FOR SYSTEM_TIME ALL WHERE (K,Q,T) IN ((?,?,?))", args: []any{"a", "q", 1}, n: 1, want: "a/q/3/three b/q/2/two"},
	{name: "truncate", run: "TRUNCATE TABLE t", n: 0, want: "-"},

	// Views that only read.
	{name: "update as of", run: "UPDATE t FOR SYSTEM_TIME AS OF 2 SET V = 'x'", fails: 1235},
	{name: "update of a period", run: "UPDATE t FOR SYSTEM_TIME FROM 1 TO 3 SET V = 'x'", fails: 1235},
	{name: "update of a time range", run: "UPDATE /*+ TIMERANGE(1, 3) VERSIONS(ALL) */ t SET V = 'x'", fails: 1235},
	{name: "delete as of", run: "DELETE FROM t FOR SYSTEM_TIME AS OF 2", fails: 1235},
	{name: "delete of a period", run: "DELETE FROM t FOR SYSTEM_TIME BETWEEN 1 AND 3", fails: 1235},
	{name: "delete of a time range", run: "DELETE /*+ TIMERANGE(1, 3) */ FROM t", fails: 1235},
	{name: "a hint that is not in its place", run: "DELETE FROM /*+ VERSIONS(ALL) */ t WHERE T = 3", fails: 1064},
	{name: "a hint behind a word of its statement", run: "UPDATE IGNORE /*+ VERSIONS(ALL) */ t SET V = 'x' WHERE T = 1", fails: 1064},

	// Tables of a join.
	{name: "delete of a join", run: "DELETE t FROM t JOIN t AS u ON t.K = u.K WHERE u.V = 'three'", n: 1, want: "b/q/2/two"},
	{name: "delete of a join's older versions", run: "DELETE FROM a USING t FOR SYSTEM_TIME ALL AS a JOIN t FOR SYSTEM_TIME ALL AS b ON a.K = b.K AND a.Q = b.Q AND a.T < b.T",
		n: 1, want: "a/q/3/three b/q/2/two"},
	{name: "delete under two names", run: "DELETE a, b FROM t a, t b WHERE a.K <= b.K", n: 2, want: "-"},
	{name: "delete where there is nothing to join", run: "DELETE a FROM t a LEFT JOIN t b ON b.K = 'c' WHERE b.K = 'c'"},
	{name: "delete of what is not joined", run: "DELETE u FROM t JOIN t AS v ON t.K = v.K", fails: 1109},
	{name: "update of a join", run: "UPDATE t a JOIN t b ON a.K < b.K SET a.V = b.V", n: 1, want: "a/q/now/two a/q/3/three a/q/1/one b/q/2/two"},
	{name: "update of a join by many", run: "UPDATE t, t AS u SET t.V = 'x'", n: 2, want: "a/q/now/x a/q/3/three a/q/1/one b/q/now/x b/q/2/two"},
	{name: "update of a join to what is there", run: "UPDATE t a JOIN t b ON a.K = b.K SET a.V = b.V", found: 2},
	{name: "update of a join's key", run: "UPDATE t a JOIN t b ON a.K < b.K SET a.K = CONCAT(b.K, b.K)", n: 1, want: "b/q/2/two bb/q/3/three bb/q/1/one"},
	{name: "update of a join's key to one that is there", run: "UPDATE t a JOIN t b ON a.K < b.K SET a.K = b.K", fails: 1062},
	{name: "update of a join of versions", run: "UPDATE t FOR SYSTEM_TIME ALL AS a, t AS b SET a.V = b.V WHERE a.K = b.K AND a.T < b.T", n: 1, want: "a/q/3/three a/q/1/three b/q/2/two"},
	{name: "update of a key under two names", run: "UPDATE t a JOIN t b ON a.K = b.K SET a.Q = 'r', b.V = 'x'", fails: 1706},
	{name: "update of either table of a join", run: "UPDATE t, t AS u SET V = 'x'", fails: 1052},
	{name: "update of a join in order", run: "UPDATE t, t AS u SET t.V = 'x' ORDER BY t.K", fails: 1221},
}

func TestWrites(t *testing.T) {
	for layout, partitioning := range everyLayout() {
		for _, parameters := range []string{"", "?clientFoundRows=true"} {
			t.Run(layout+parameters, func(t *testing.T) {
				db := openDB(t, ":memory:"+parameters)
				must(t, db, strings.Replace(modelTable("t", layout, partitioning), "V varbinary(1024)", "V varbinary(100)", 1))
				for _, c := range writeCases {
					if timed(layout) && strings.Contains(c.run, smallestTime) {
						continue // 1690: its absolute value is no bigint
					}
					if layout == "prefix" || timed(layout) {
						c.run = fourColumnsOnly(c.run)
					}
					c.check(t, db, parameters != "", false)
					if c.run != "TRUNCATE TABLE t" {
						c.check(t, db, parameters != "", true)
					}
				}
			})
		}
	}
}

// fourColumnsOnly names the columns where the table has a generated one too.
func fourColumnsOnly(statement string) string {
	for _, head := range []string{"INTO t VALUES", "INTO t SELECT"} {
		statement = strings.Replace(statement, head, "INTO t (K, Q, T, V)"+strings.TrimPrefix(head, "INTO t"), 1)
	}
	return strings.Replace(statement, "SELECT * FROM", "SELECT K, Q, T, V FROM", 1)
}

// check runs the case, in a transaction of its own statement or, with an
// uncommitted change beside it, of several.
func (c *writeCase) check(t *testing.T, db *sql.DB, foundRows, inTx bool) {
	t.Helper()
	label := fmt.Sprintf("%s: %s (in a transaction: %t)", c.name, c.run, inTx)
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	defer conn.Close()
	must(t, conn, "DELETE /*+ VERSIONS(ALL) */ FROM t")
	given := c.given
	if given == "" {
		given = standard
	}
	putVersions(t, conn, given)
	if inTx {
		must(t, conn, "BEGIN", "REPLACE INTO t (K, Q, T, V) VALUES ('uncommitted', 'q', 1, 'v')", "DELETE FROM t WHERE K = 'uncommitted'")
	}
	announce(t, conn, c.run)
	start := time.Now().UnixMilli()
	result, err := conn.ExecContext(context.Background(), c.run, c.args...)
	c.checkAnswer(t, label, start, foundRows, result, err)
	if err == nil {
		assert.Equal(t, c.warns, strings.Join(warningCodes(t, conn), " "), label)
	}
	want := c.want
	if want == "" {
		want = given
	}
	assert.Equal(t, strings.Trim(want, "-"), versions(t, conn, start), label)
	if inTx {
		must(t, conn, "COMMIT")
		assert.Equal(t, strings.Trim(want, "-"), versions(t, conn, start), label+", committed")
	}
}

func (c *writeCase) checkAnswer(t *testing.T, label string, start int64, foundRows bool, result sql.Result, err error) {
	t.Helper()
	if !assert.Equal(t, c.fails, numberOf(err), "%s: %v", label, err) || err != nil {
		return
	}
	n, _ := result.RowsAffected()
	want := c.n
	if foundRows && c.found != 0 {
		want = c.found
	}
	assert.Equal(t, want, n, "%s: RowsAffected", label)
	id, err := result.LastInsertId()
	require.NoError(t, err)
	if c.id == "now" {
		assert.GreaterOrEqual(t, id, start, "%s: LastInsertId", label)
		return
	}
	assert.Zero(t, id, "%s: LastInsertId", label)
}

func warningCodes(t testing.TB, db execer) []string {
	out := []string{}
	for _, line := range lines(t, db, "SHOW WARNINGS") {
		out = append(out, strings.Fields(line)[1])
	}
	return out
}

// putVersions writes versions given as K/Q/T/V.
func putVersions(t testing.TB, db execer, text string) {
	t.Helper()
	for _, version := range strings.Fields(text) {
		p := strings.SplitN(version, "/", 4)
		var v any = p[3]
		if p[3] == "NULL" {
			v = nil
		}
		affected(t, db, "REPLACE INTO t (K, Q, T, V) VALUES (?, ?, ?, ?)", p[0], p[1], p[2], v)
	}
}

// versions are all versions of t as K/Q/T/V; T is "now" from start on, for
// some years.
func versions(t testing.TB, db execer, start int64) string {
	t.Helper()
	var out []string
	for _, line := range lines(t, db, "SELECT CONCAT(K, '/', Q, '/'), T, CONCAT('/', IFNULL(V, 'NULL')) FROM t FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC") {
		p := strings.SplitN(line, " ", 3)
		ts, err := strconv.ParseInt(p[1], 10, 64)
		require.NoError(t, err)
		if start <= ts && ts < start+1e12 {
			p[1] = "now"
		}
		out = append(out, strings.Join(p, ""))
	}
	return strings.Join(out, " ")
}

// TestFailedStatementInATransaction holds that a failed statement undoes itself
// alone, and that the transaction goes on.
func TestFailedStatementInATransaction(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		putVersions(t, db, standard)
		tx := begin(t, db)
		must(t, tx, "UPDATE t SET V = 'mine' WHERE K = 'b'", "DELETE /*+ VERSIONS(ALL) */ FROM t WHERE T = 1")
		for statement, number := range map[string]uint16{
			"INSERT INTO t VALUES ('c', 'q', 1, 'x'), ('a', 'q', 3, 'x')": 1062,
			"UPDATE t SET K = 'c'":                                                              1062,
			"UPDATE /*+ VERSIONS(ALL) */ t SET T = 3":                                           1062,
			"INSERT INTO t VALUES ('c', 'q', 1, 'x'), ('c', 'q', 'noon', 'x')":                  1366,
			"REPLACE INTO t SELECT K, Q, T, IF(K = 'a', 'x', REPEAT('x', 1048577)) FROM t":      1406,
			"INSERT INTO t SELECT 'z', Q, 1, V FROM t":                                          1062,
			"UPDATE t SET V = 'x' WHERE K = 'a' OR 9223372036854775807 + LENGTH(K) > LENGTH(V)": 1690,
		} {
			_, err := tx.Exec(statement)
			requireErrorNumber(t, number, err)
			require.Equal(t, []string{"a three", "b mine", "b two"}, lines(t, tx, "SELECT K, V FROM t FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC"), statement)
		}
		require.NoError(t, tx.Commit())
		require.Equal(t, []string{"a three", "b mine", "b two"}, lines(t, db, "SELECT K, V FROM t FOR SYSTEM_TIME ALL ORDER BY K, Q, T DESC"))
	})
}

// TestWriteOutsideThePartitions holds that a row without a partition is refused
// by each statement, and the data stays.
func TestWriteOutsideThePartitions(t *testing.T) {
	db := openDB(t, ":memory:")
	must(t, db, "CREATE TABLE t "+plainTable+" PARTITION BY RANGE COLUMNS(K) (PARTITION p VALUES LESS THAN ('m'), PARTITION q VALUES LESS THAN ('t'))")
	putVersions(t, db, standard)
	for _, statement := range []string{
		"INSERT INTO t VALUES ('c', 'q', 1, 'x'), ('z', 'q', 1, 'x')",
		"INSERT INTO t (K, Q, V) VALUES ('t', 'q', 'x')",
		"REPLACE INTO t VALUES ('z', 'q', 1, 'x')",
		"INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE K = 'z'",
		"UPDATE t SET K = 'z' WHERE K = 'a'",
		"UPDATE /*+ VERSIONS(ALL) */ t SET K = 'z' WHERE K = 'a'",
	} {
		_, err := db.Exec(statement)
		requireErrorNumber(t, 1526, err)
		require.Equal(t, standard, versions(t, db, 100), statement)
	}
	require.EqualValues(t, 1, affected(t, db, "INSERT IGNORE INTO t VALUES ('z', 'q', 1, 'x'), ('n', 'q', 1, 'x')"))
	require.EqualValues(t, 1, affected(t, db, "UPDATE t SET K = 's' WHERE K = 'a'"), "from one partition to another")
	require.Equal(t, "b/q/2/two n/q/1/x s/q/3/three s/q/1/one", versions(t, db, 100))
	require.Empty(t, lines(t, db, "SELECT * FROM t WHERE K = 'z'"))
	require.EqualValues(t, 0, affected(t, db, "DELETE FROM t WHERE K = 'z'"))
	require.EqualValues(t, 0, affected(t, db, "UPDATE t SET V = 'x' WHERE K >= 't'"))
}

// TestWriteIntoNamedPartitions holds that PARTITION (...) bounds what a
// statement reads and refuses what it would write elsewhere.
func TestWriteIntoNamedPartitions(t *testing.T) {
	db := openDB(t, ":memory:")
	must(t, db, "CREATE TABLE t "+plainTable+" PARTITION BY RANGE COLUMNS(K) (PARTITION low VALUES LESS THAN ('b'), PARTITION mid VALUES LESS THAN ('m'), PARTITION high VALUES LESS THAN (MAXVALUE))")
	putVersions(t, db, standard)
	for _, statement := range []string{
		"INSERT INTO t PARTITION (low) VALUES ('a', 'q', 9, 'x'), ('b', 'q', 9, 'x')",
		"INSERT INTO t PARTITION (mid, high) (K, Q, V) VALUES ('a', 'q', 'x')",
		"REPLACE INTO t PARTITION (mid) VALUES ('a', 'q', 1, 'x')",
		"INSERT INTO t PARTITION (high) SELECT * FROM t",
		"INSERT INTO t PARTITION (mid) VALUES ('b', 'q', 2, 'x') ON DUPLICATE KEY UPDATE K = 'z'",
		"UPDATE t PARTITION (low, mid) SET K = CONCAT('z', K)",
		"UPDATE /*+ VERSIONS(ALL) */ t PARTITION (low) SET K = 'b', T = 7 WHERE T = 1",
	} {
		_, err := db.Exec(statement)
		requireErrorNumber(t, 1748, err)
		require.Equal(t, standard, versions(t, db, 100), statement)
	}
	require.EqualValues(t, 1, affected(t, db, "INSERT IGNORE INTO t PARTITION (high) VALUES ('a', 'q', 9, 'x'), ('z', 'q', 9, 'x')"))
	require.EqualValues(t, 1, affected(t, db, "UPDATE t PARTITION (low, mid) SET K = 'c' WHERE V = 'three'"))
	require.EqualValues(t, 2, affected(t, db, "DELETE FROM t PARTITION (mid)"))
	require.Equal(t, "z/q/9/x", versions(t, db, 100))
	_, err := db.Exec("INSERT INTO t PARTITION (nowhere) VALUES ('a', 'q', 9, 'x')")
	requireErrorNumber(t, 1735, err)
}

func TestBigValues(t *testing.T) {
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		must(t, db, "CREATE TABLE big (K varbinary(65535), Q varbinary(256), T bigint, V longblob, PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 3")
		value := bytes.Repeat([]byte{0x00, 0xFF, 'v', '\''}, 5<<20/4)
		key := bytes.Repeat([]byte{0xFF, 0x00, 'k'}, 65535/3)
		for version := range 3 {
			require.EqualValues(t, 1, affected(t, db, "INSERT INTO big VALUES (?, 'q', ?, ?)", key, version, append(value, byte(version))))
		}
		var k, v []byte
		rows, err := db.Query("SELECT K, V FROM big FOR SYSTEM_TIME ALL WHERE K = ?", key)
		require.NoError(t, err)
		defer rows.Close()
		for version := 2; rows.Next(); version-- {
			require.NoError(t, rows.Scan(&k, &v))
			require.True(t, bytes.Equal(key, k))
			require.True(t, bytes.Equal(append(value, byte(version)), v))
		}
		require.NoError(t, rows.Err())
		require.Equal(t, strconv.Itoa(len(value)+1), single(t, db, "SELECT LENGTH(V) FROM big"))
		require.EqualValues(t, 1, affected(t, db, "UPDATE big SET V = CONCAT(V, 'x')"))
		require.Equal(t, strconv.Itoa(len(value)+2), single(t, db, "SELECT LENGTH(V) FROM big"))
		require.Equal(t, "4", single(t, db, "SELECT COUNT(*) FROM big FOR SYSTEM_TIME ALL WHERE LEFT(K, 2) = X'FF00'"))
		_, err = db.Exec("INSERT INTO big VALUES (?, 'q', 1, 'v')", append(key, 'x'))
		requireErrorNumber(t, 1406, err)
		_, err = db.Exec("UPDATE big SET Q = REPEAT('q', 257)")
		requireErrorNumber(t, 1406, err)
		require.EqualValues(t, 1, affected(t, db, "UPDATE big SET K = 'small'"))
		require.Equal(t, []string{"small 3"}, lines(t, db, "SELECT K, COUNT(*) - 1 FROM big FOR SYSTEM_TIME ALL GROUP BY K"))
		require.EqualValues(t, 1, affected(t, db, "DELETE FROM big"))
		require.Empty(t, lines(t, db, "SELECT K FROM big FOR SYSTEM_TIME ALL"))
	})
}

// TestAnyBytesAreKeys writes keys that an encoding could mix up, and finds each
// of them, alone, in order, and by prefix.
func TestAnyBytesAreKeys(t *testing.T) {
	parts := []string{"", "\x00", "\x00\x00", "\x00\x01", "\x00\xff", "\x01", "a", "a\x00", "a\x00\x00", "a\x00b", "a\xff", "a\xff\xff", "b", "\xfe\xff", "\xff", "\xff\x00", "\xff\xff"}
	onLayouts(t, "", func(t *testing.T, db *sql.DB) {
		for _, k := range parts {
			for _, q := range parts {
				require.EqualValues(t, 1, affected(t, db, "INSERT INTO t VALUES (?, ?, -1, ?), (?, ?, 1, ?)",
					[]byte(k), []byte(q), "old", []byte(k), []byte(q), []byte(k+"|"+q))-1)
			}
		}
		rows, err := db.Query("SELECT K, Q, V FROM t ORDER BY K, Q")
		require.NoError(t, err)
		defer rows.Close()
		for _, k := range parts {
			for _, q := range parts {
				require.True(t, rows.Next())
				var gotK, gotQ, v []byte
				require.NoError(t, rows.Scan(&gotK, &gotQ, &v))
				require.Equal(t, [3]string{k, q, k + "|" + q}, [3]string{string(gotK), string(gotQ), string(v)})
			}
		}
		require.False(t, rows.Next())
		for _, k := range parts {
			prefixed, below := 0, 0
			for _, other := range parts {
				if strings.HasPrefix(other, k) {
					prefixed++
				}
				if other < k {
					below++
				}
			}
			n := len(parts)
			require.Equal(t, strconv.Itoa(n), single(t, db, "SELECT COUNT(*) FROM t WHERE K = ?", []byte(k)))
			require.Equal(t, strconv.Itoa(n), single(t, db, "SELECT COUNT(*) FROM t WHERE Q = ?", []byte(k)))
			require.Equal(t, strconv.Itoa(n*prefixed), single(t, db, "SELECT COUNT(*) FROM t WHERE LEFT(K, ?) = ?", len(k), []byte(k)))
			require.Equal(t, strconv.Itoa(n*below), single(t, db, "SELECT COUNT(*) FROM t WHERE K < ?", []byte(k)))
			require.Equal(t, strconv.Itoa(2*n*(n-below)), single(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL WHERE Q >= ?", []byte(k)))
			require.Equal(t, k+"|"+k, single(t, db, "SELECT V FROM t WHERE (K, Q) = (?, ?)", []byte(k), []byte(k)))
		}
		for i, k := range parts {
			require.EqualValues(t, len(parts), affected(t, db, "DELETE FROM t WHERE K = ?", []byte(k)))
			require.Equal(t, strconv.Itoa(2*len(parts)*(len(parts)-i-1)), single(t, db, "SELECT COUNT(*) FROM t FOR SYSTEM_TIME ALL"))
		}
	})
}
