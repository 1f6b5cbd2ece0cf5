package suite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// WriteCase is a statement on a table t that holds the versions of Given, its
// answer, and what the table holds afterwards.
type WriteCase struct {
	Name  string
	Given string // versions as K/Q/T/V, separated by spaces; empty means Standard
	Run   string
	Args  []any
	n     int64  // RowsAffected
	found int64  // RowsAffected with clientFoundRows, if it differs; -1 is 0
	id    string // LastInsertId, empty for 0; "now" is the clock's
	Fails uint16 // the error, with which nothing changes
	warns string // codes of the warnings
	Want  string // all versions in HBase's order; empty if unchanged
}

// Standard holds two versions of one cell and one of another.
const Standard = "a/q/3/three a/q/1/one b/q/2/two"

const lastT = "9223372036854775807"

// WriteCases each begin with a new table.
var WriteCases = []WriteCase{
	// INSERT is strict.
	{Name: "insert", Run: "INSERT INTO t VALUES ('a', 'q', 2, 'x')", n: 1, Want: "a/q/3/three a/q/2/x a/q/1/one b/q/2/two"},
	{Name: "insert of a version that exists", Run: "INSERT INTO t VALUES ('a', 'q', 1, 'x')", Fails: 1062},
	{Name: "insert of the same value", Run: "INSERT INTO t VALUES ('a', 'q', 1, 'one')", Fails: 1062},
	{Name: "insert of many is all or nothing", Run: "INSERT INTO t VALUES ('c', 'q', 1, 'x'), ('d', 'q', 1, 'x'), ('b', 'q', 2, 'x')", Fails: 1062},
	{Name: "insert twice in one statement", Run: "INSERT INTO t VALUES ('c', 'q', 1, 'x'), ('c', 'q', 1, 'y')", Fails: 1062},
	{Name: "insert of no columns needs K", Run: "INSERT INTO t () VALUES ()", Fails: 1364},
	{Name: "insert in another order of columns", Run: "INSERT INTO t (V, T, Q, K) VALUES ('v', -5, '', '')", n: 1, Want: "//-5/v " + Standard},
	{Name: "insert set", Run: "INSERT INTO t SET K = 'c', Q = 'q', T = 4, V = 'x'", n: 1, Want: Standard + " c/q/4/x"},
	{Name: "insert without V is NULL", Run: "INSERT INTO t (K, Q, T) VALUES ('c', 'q', 4)", n: 1, Want: Standard + " c/q/4/NULL"},
	{Name: "insert NULL and empty", Run: "INSERT INTO t VALUES ('c', '', 4, NULL), ('c', 'q', 4, '')", n: 2, Want: Standard + " c//4/NULL c/q/4/"},
	{Name: "insert of columns before", Run: "INSERT INTO t (K, Q, T, V) VALUES ('c', K, 4, CONCAT(K, Q, T))", n: 1, Want: Standard + " c/c/4/cc4"},
	{Name: "insert of a column behind is NULL", Run: "INSERT INTO t (Q, T, V, K) VALUES ('q', 4, K, 'c'), ('r', 4, V, 'c')", n: 2, Want: Standard + " c/q/4/NULL c/r/4/NULL"},
	{Name: "insert NULL key", Run: "INSERT INTO t VALUES (NULL, 'q', 4, 'x')", Fails: 1048},
	{Name: "insert NULL qualifier", Run: "INSERT INTO t VALUES ('c', NULL, 4, 'x')", Fails: 1048},
	{Name: "insert nil bytes is NULL", Run: "INSERT INTO t VALUES ('c', 'q', 4, ?)", Args: []any{[]byte(nil)}, n: 1, Want: Standard + " c/q/4/NULL"},
	{Name: "insert empty bytes is empty", Run: "INSERT INTO t VALUES ('c', 'q', 4, ?)", Args: []any{[]byte{}}, n: 1, Want: Standard + " c/q/4/"},
	{Name: "insert at the ends of time", Run: "INSERT INTO t VALUES ('c', 'q', 9223372036854775807, 'max'), ('c', 'q', -9223372036854775808, 'min')", n: 2,
		Want: Standard + " c/q/" + lastT + "/max c/q/-9223372036854775808/min"},
	{Name: "insert beyond the end of time", Run: "INSERT INTO t VALUES ('c', 'q', 9223372036854775808, 'x')", Fails: 1264},
	{Name: "insert of numbers as bytes", Run: "INSERT INTO t VALUES (1, 2.50, '7', 1e3)", n: 1, Want: "1/2.50/7/1000 " + Standard},
	{Name: "insert of a placeholder number", Run: "INSERT INTO t VALUES (?, ?, ?, ?)", Args: []any{7, true, int64(-1), 1.5}, n: 1, Want: "7/1/-1/1.5 " + Standard},

	// Without T, the clock's time is used.
	{Name: "insert at the clock", Run: "INSERT INTO t (K, Q, V) VALUES ('a', 'q', 'x')", n: 1, id: "now", Want: "a/q/now/x " + Standard},
	{Name: "insert at the clock by DEFAULT", Run: "INSERT INTO t VALUES ('a', 'q', DEFAULT, 'x')", n: 1, id: "now", Want: "a/q/now/x " + Standard},
	{Name: "insert at the clock by NULL", Run: "INSERT INTO t VALUES ('a', 'q', NULL, 'x')", n: 1, id: "now", Want: "a/q/now/x " + Standard},
	{Name: "insert at the clock by a NULL placeholder", Run: "INSERT INTO t VALUES ('a', 'q', ?, 'x')", Args: []any{nil}, n: 1, id: "now", Want: "a/q/now/x " + Standard},
	{Name: "insert one cell twice at the clock", Run: "INSERT INTO t (K, Q, V) VALUES ('c', 'q', 'x'), ('c', 'q', 'y')", n: 2, id: "now", Want: Standard + " c/q/now/y c/q/now/x"},
	{Name: "some rows with T", Run: "INSERT INTO t VALUES ('c', 'q', 7, 'x'), ('c', 'q', NULL, 'y')", n: 2, id: "now", Want: Standard + " c/q/now/y c/q/7/x"},
	{Name: "replace at the clock", Run: "REPLACE INTO t (K, Q, V) VALUES ('c', 'q', 'x'), ('c', 'q', 'y')", n: 2, id: "now", Want: Standard + " c/q/now/y c/q/now/x"},
	{Name: "on duplicate without T adds", Run: "INSERT INTO t (K, Q, V) VALUES ('a', 'q', 'x') ON DUPLICATE KEY UPDATE V = 'dup'", n: 1, id: "now", Want: "a/q/now/x " + Standard},

	// INSERT IGNORE.
	{Name: "ignore a duplicate", Run: "INSERT IGNORE INTO t VALUES ('a', 'q', 1, 'x'), ('c', 'q', 1, 'y')", n: 1, warns: "1062", Want: Standard + " c/q/1/y"},
	{Name: "ignore too long a value", Run: "INSERT IGNORE INTO t VALUES ('c', 'q', 1, REPEAT('x', 101)), ('d', 'q', 1, 'y')", n: 1, warns: "1406", Want: Standard + " d/q/1/y"},
	{Name: "ignore a NULL key", Run: "INSERT IGNORE INTO t VALUES (NULL, 'q', 1, 'x')", warns: "1048"},
	{Name: "ignore a bad T", Run: "INSERT IGNORE INTO t VALUES ('c', 'q', 'noon', 'x'), ('c', 'q', 1e30, 'x')", warns: "1366 1264"},
	{Name: "ignore in a select", Run: "INSERT IGNORE INTO t SELECT K, Q, T + 2, 'x' FROM t WHERE K = 'a' OR K = 'b'", n: 2, Want: "a/q/5/x " + "a/q/3/three a/q/1/one b/q/4/x b/q/2/two"},

	// ON DUPLICATE KEY UPDATE changes the exact version.
	{Name: "on duplicate inserts", Run: "INSERT INTO t VALUES ('a', 'q', 2, 'x') ON DUPLICATE KEY UPDATE V = 'dup'", n: 1, Want: "a/q/3/three a/q/2/x a/q/1/one b/q/2/two"},
	{Name: "on duplicate changes", Run: "INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE V = VALUES(V)", n: 2, Want: "a/q/3/three a/q/1/x b/q/2/two"},
	{Name: "on duplicate changes nothing", Run: "INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE V = 'one'", n: 0, found: 1},
	{Name: "on duplicate does nothing, as gorm says it", Run: "INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE `K`=`K`", n: 0, found: 1},
	{Name: "on duplicate counts 1, 2 and 0", Run: "INSERT INTO t VALUES ('c', 'q', 1, 'x'), ('a', 'q', 1, 'y'), ('b', 'q', 2, 'two') ON DUPLICATE KEY UPDATE V = VALUES(V)", n: 3, found: 4,
		Want: "a/q/3/three a/q/1/y b/q/2/two c/q/1/x"},
	{Name: "on duplicate of its own row", Run: "INSERT INTO t VALUES ('c', 'q', 1, 'x'), ('c', 'q', 1, 'y') ON DUPLICATE KEY UPDATE V = CONCAT(V, VALUES(V))", n: 3, Want: Standard + " c/q/1/xy"},
	{Name: "on duplicate increments", Given: "a/n/1/41", Run: "INSERT INTO t VALUES ('a', 'n', 1, 1) ON DUPLICATE KEY UPDATE V = V + VALUES(V)", n: 2, Want: "a/n/1/42"},
	{Name: "on duplicate moves", Run: "INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE T = 2, V = VALUES(V)", n: 2, Want: "a/q/3/three a/q/2/x b/q/2/two"},
	{Name: "on duplicate moves onto another", Run: "INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE T = 3", Fails: 1062},
	{Name: "on duplicate sets K", Run: "INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE K = 'z'", n: 2, Want: "a/q/3/three b/q/2/two z/q/1/one"},
	{Name: "on duplicate sees what it set", Run: "INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE V = 'y', Q = V", n: 2, Want: "a/q/3/three a/y/1/y b/q/2/two"},
	{Name: "on duplicate too long", Run: "INSERT INTO t VALUES ('a', 'q', 1, 'x') ON DUPLICATE KEY UPDATE V = REPEAT('x', 101)", Fails: 1406},

	// INSERT ... SELECT.
	{Name: "insert from itself", Run: "INSERT INTO t SELECT CONCAT(K, 'x'), Q, T, V FROM t", n: 2, Want: "a/q/3/three a/q/1/one ax/q/3/three b/q/2/two bx/q/2/two"},
	{Name: "insert all versions from itself", Run: "INSERT INTO t SELECT CONCAT(K, 'x'), Q, T, V FROM t FOR SYSTEM_TIME ALL", n: 3,
		Want: "a/q/3/three a/q/1/one ax/q/3/three ax/q/1/one b/q/2/two bx/q/2/two"},
	{Name: "insert from itself, seeing nothing of its own", Run: "INSERT INTO t (K, Q, V) SELECT K, Q, V FROM t", n: 2, id: "now", Want: "a/q/now/three a/q/3/three a/q/1/one b/q/now/two b/q/2/two"},
	{Name: "insert select that collides", Run: "INSERT INTO t SELECT 'a', Q, T + 1, V FROM t", Fails: 1062, Given: "a/q/3/x b/q/2/y"},
	{Name: "insert select of a limit", Run: "INSERT INTO t SELECT 'c', Q, T, V FROM t ORDER BY K DESC LIMIT 1", n: 1, Want: Standard + " c/q/2/two"},
	{Name: "insert select of nothing", Run: "INSERT INTO t SELECT * FROM t WHERE FALSE", n: 0},
	{Name: "insert select of a period", Run: "INSERT INTO t SELECT 'c', Q, T, V FROM t FOR SYSTEM_TIME FROM 1 TO 2", n: 1, Want: Standard + " c/q/1/one"},
	{Name: "insert from dual", Run: "INSERT INTO t SELECT 'c', 'q', 1, 'x' FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM t WHERE K = 'a')", n: 0},
	{Name: "replace select", Run: "REPLACE INTO t SELECT K, Q, T, 'x' FROM t", n: 2, Want: "a/q/3/x a/q/1/one b/q/2/x"},

	// REPLACE is a blind put.
	{Name: "replace", Run: "REPLACE INTO t VALUES ('a', 'q', 1, 'x'), ('c', 'q', 1, 'y')", n: 2, Want: "a/q/3/three a/q/1/x b/q/2/two c/q/1/y"},
	{Name: "replace of the same", Run: "REPLACE INTO t VALUES ('a', 'q', 1, 'one')", n: 1},
	{Name: "replace twice", Run: "REPLACE INTO t VALUES ('c', 'q', 1, 'x'), ('c', 'q', 1, 'y')", n: 2, Want: Standard + " c/q/1/y"},
	{Name: "replace too long", Run: "REPLACE INTO t VALUES ('a', 'q', 1, 'x'), ('b', 'q', 1, REPEAT('x', 101))", Fails: 1406},

	// UPDATE through the latest view.
	{Name: "update adds a version", Run: "UPDATE t SET V = 'x' WHERE K = 'a'", n: 1, Want: "a/q/now/x " + Standard},
	{Name: "update of all cells", Run: "UPDATE t SET V = CONCAT(V, K)", n: 2, Want: "a/q/now/threea a/q/3/three a/q/1/one b/q/now/twob b/q/2/two"},
	{Name: "update that changes nothing", Run: "UPDATE t SET V = 'three' WHERE K = 'a'", n: 0, found: 1},
	{Name: "update that changes some", Run: "UPDATE t SET V = 'two'", n: 1, found: 2, Want: "a/q/now/two " + Standard},
	{Name: "update of nothing", Run: "UPDATE t SET V = 'x' WHERE K = 'z'", n: 0},
	{Name: "update of an old value finds nothing", Run: "UPDATE t SET V = 'x' WHERE V = 'one'", n: 0},
	{Name: "update where T is of the newest", Run: "UPDATE t SET V = 'x' WHERE T < 3", n: 1, Want: "a/q/3/three a/q/1/one b/q/now/x b/q/2/two"},
	{Name: "update of a future version", Given: "a/q/9000000000000000000/x", Run: "UPDATE t SET V = 'y'", n: 1, Want: "a/q/9000000000000000001/y a/q/9000000000000000000/x"},
	{Name: "update at the end of time", Given: "a/q/" + lastT + "/x", Run: "UPDATE t SET V = 'y'", Fails: 1264},
	{Name: "update at the end of time that changes nothing", Given: "a/q/" + lastT + "/x", Run: "UPDATE t SET V = 'x'", n: 0, found: 1},
	{Name: "update of many fails as one", Given: "a/q/1/x b/q/" + lastT + "/x", Run: "UPDATE t SET V = 'y'", Fails: 1264},
	{Name: "update to NULL", Run: "UPDATE t SET V = NULL WHERE K = 'b'", n: 1, Want: "a/q/3/three a/q/1/one b/q/now/NULL b/q/2/two"},
	{Name: "update from NULL to empty", Given: "a/q/1/NULL", Run: "UPDATE t SET V = ''", n: 1, Want: "a/q/now/ a/q/1/NULL"},
	{Name: "update NULL to NULL", Given: "a/q/1/NULL", Run: "UPDATE t SET V = NULL", n: 0, found: 1},
	{Name: "update V to DEFAULT", Run: "UPDATE t SET V = DEFAULT WHERE K = 'b'", n: 1, Want: "a/q/3/three a/q/1/one b/q/now/NULL b/q/2/two"},
	{Name: "update of T adds there", Run: "UPDATE t SET T = 2 WHERE K = 'a'", n: 1, Want: "a/q/3/three a/q/2/three a/q/1/one b/q/2/two"},
	{Name: "update of T and V", Run: "UPDATE t SET T = T + 1, V = 'x' WHERE K = 'a'", n: 1, Want: "a/q/4/x " + Standard},
	{Name: "update of T to one that exists", Run: "UPDATE t SET T = 1, V = 'x' WHERE K = 'a'", Fails: 1062},
	{Name: "update of T to itself", Run: "UPDATE t SET T = 3 WHERE K = 'a'", n: 0, found: 1},
	{Name: "update of T to itself with another V", Run: "UPDATE t SET T = 3, V = 'x' WHERE K = 'a'", n: 1, Want: "a/q/3/x a/q/1/one b/q/2/two"},
	{Name: "update of T beyond", Run: "UPDATE t SET T = T + 9223372036854775807 WHERE K = 'a'", Fails: 1690},
	{Name: "update of T to NULL", Run: "UPDATE t SET T = NULL WHERE K = 'a'", Fails: 1048},
	{Name: "update of K moves the cell", Run: "UPDATE t SET K = 'c' WHERE K = 'a'", n: 1, Want: "b/q/2/two c/q/3/three c/q/1/one"},
	{Name: "update of Q moves the cell", Run: "UPDATE t SET Q = 'p' WHERE K = 'a'", n: 1, Want: "a/p/3/three a/p/1/one b/q/2/two"},
	{Name: "update of K and V moves and adds", Run: "UPDATE t SET K = 'c', V = 'x' WHERE K = 'a'", n: 1, Want: "b/q/2/two c/q/now/x c/q/3/three c/q/1/one"},
	{Name: "update of K and T moves and adds", Run: "UPDATE t SET K = 'c', T = 2 WHERE K = 'a'", n: 1, Want: "b/q/2/two c/q/3/three c/q/2/three c/q/1/one"},
	{Name: "update of K onto a cell", Run: "UPDATE t SET K = 'b' WHERE K = 'a'", Fails: 1062},
	{Name: "update of K of two cells to one", Run: "UPDATE t SET K = 'c'", Fails: 1062},
	{Name: "update of K to itself", Run: "UPDATE t SET K = K, Q = Q, V = V", n: 0, found: 2},
	{Name: "update of K too long", Run: "UPDATE t SET K = REPEAT('k', 1025) WHERE K = 'a'", Fails: 1406},
	{Name: "update of all keys", Run: "UPDATE t SET K = CONCAT('x', K)", n: 2, Want: "xa/q/3/three xa/q/1/one xb/q/2/two"},
	{Name: "assignments see those before", Run: "UPDATE t SET V = 'x', Q = V WHERE K = 'b'", n: 1, Want: "a/q/3/three a/q/1/one b/x/now/x b/x/2/two"},
	{Name: "update in order with a limit", Run: "UPDATE t SET V = 'x' ORDER BY K DESC LIMIT 1", n: 1, Want: "a/q/3/three a/q/1/one b/q/now/x b/q/2/two"},
	{Name: "update limit 0", Run: "UPDATE t SET V = 'x' LIMIT 0", n: 0},
	{Name: "update by a placeholder limit", Run: "UPDATE t SET V = ? WHERE K >= ? ORDER BY V LIMIT ?", Args: []any{"x", "a", 1}, n: 1, Want: "a/q/now/x " + Standard},
	{Name: "update by a subquery", Run: "UPDATE t SET V = 'x' WHERE K IN (SELECT 'b' FROM DUAL)", n: 1, Want: "a/q/3/three a/q/1/one b/q/now/x b/q/2/two"},
	{Name: "update ignore skips", Run: "UPDATE IGNORE t SET K = 'b' WHERE K = 'a'", n: 0, found: 1, warns: "1062"},
	{Name: "update ignore skips the row whole", Given: "a/q/" + lastT + "/x b/q/1/y", Run: "UPDATE IGNORE t SET K = CONCAT(K, 'x'), V = 'z'", n: 1, found: 2, warns: "1264",
		Want: "a/q/" + lastT + "/x bx/q/now/z bx/q/1/y"},
	{Name: "update ignore skips a moved row whole", Given: "a/q/3/x a/q/1/y", Run: "UPDATE IGNORE t SET K = 'c', T = 1", n: 0, found: 1, warns: "1062"},

	// UPDATE of versions.
	{Name: "update in place", Run: "UPDATE /*+ VERSIONS(ALL) */ t SET V = 'x' WHERE T = 1", n: 1, Want: "a/q/3/three a/q/1/x b/q/2/two"},
	{Name: "update every version", Run: "UPDATE /*+ VERSIONS(ALL) */ t SET V = CONCAT(V, T)", n: 3, Want: "a/q/3/three3 a/q/1/one1 b/q/2/two2"},
	{Name: "update of the newest n", Given: "a/q/3/x a/q/2/y a/q/1/z", Run: "UPDATE /*+ VERSIONS(2) */ t SET V = 'n'", n: 2, Want: "a/q/3/n a/q/2/n a/q/1/z"},
	{Name: "update in place of T moves", Run: "UPDATE /*+ VERSIONS(ALL) */ t SET T = 7 WHERE V = 'one'", n: 1, Want: "a/q/7/one a/q/3/three b/q/2/two"},
	{Name: "update in place of all T", Run: "UPDATE /*+ VERSIONS(ALL) */ t SET T = T + 10", n: 3, Want: "a/q/13/three a/q/11/one b/q/12/two"},
	{Name: "update in place of T collides", Run: "UPDATE /*+ VERSIONS(ALL) */ t SET T = 3 WHERE T = 1", Fails: 1062},
	{Name: "update in place of K moves the version", Run: "UPDATE /*+ VERSIONS(ALL) */ t SET K = 'c' WHERE T = 1", n: 1, Want: "a/q/3/three b/q/2/two c/q/1/one"},
	{Name: "update in place of K to a cell that exists", Run: "UPDATE /*+ VERSIONS(ALL) */ t SET K = 'b' WHERE T = 1", n: 1, Want: "a/q/3/three b/q/2/two b/q/1/one"},
	{Name: "update in place of Q", Run: "UPDATE /*+ VERSIONS(2) */ t SET Q = '', V = '' WHERE K = 'b'", n: 1, Want: "a/q/3/three a/q/1/one b//2/"},
	{Name: "update in place at the end of time", Given: "a/q/" + lastT + "/x", Run: "UPDATE /*+ VERSIONS(ALL) */ t SET V = 'y'", n: 1, Want: "a/q/" + lastT + "/y"},
	{Name: "update in place that changes nothing", Run: "UPDATE /*+ VERSIONS(ALL) */ t SET V = V", n: 0, found: 3},
	{Name: "update in place in order with a limit", Run: "UPDATE /*+ VERSIONS(ALL) */ t SET V = 'x' ORDER BY T LIMIT 2", n: 2, Want: "a/q/3/three a/q/1/x b/q/2/x"},
	{Name: "update ignore in place skips", Run: "UPDATE /*+ VERSIONS(ALL) */ IGNORE t SET T = 3 WHERE T < 3", n: 1, found: 2, warns: "1062", Want: "a/q/3/three a/q/1/one b/q/3/two"},
	{Name: "update of an all view by FOR SYSTEM_TIME", Run: "UPDATE t FOR SYSTEM_TIME ALL SET V = 'x' WHERE T = 1", n: 1, Want: "a/q/3/three a/q/1/x b/q/2/two"},

	// UPDATE of a table joined with derived ones.
	{Name: "update by a grouped derived table", Run: "UPDATE t JOIN (SELECT K, COUNT(*) n, MAX(V) m FROM t FOR SYSTEM_TIME ALL GROUP BY K) d ON t.K = d.K SET t.V = CONCAT(d.n, d.m)", n: 2,
		Want: "a/q/now/2three a/q/3/three a/q/1/one b/q/now/1two b/q/2/two"},
	{Name: "update by a grouped derived table behind a comma", Run: "UPDATE t, (SELECT K, MAX(V) V FROM t GROUP BY K) d SET t.V = CONCAT(d.V, '!') WHERE t.K = d.K AND t.Q = 'q'", n: 2,
		Want: "a/q/now/three! a/q/3/three a/q/1/one b/q/now/two! b/q/2/two"},
	{Name: "update by a grouped derived table with HAVING", Run: "UPDATE t JOIN (SELECT K, MAX(V) V FROM t FOR SYSTEM_TIME ALL GROUP BY K HAVING COUNT(*) > 1) d ON t.K = d.K SET t.V = 'x'", n: 1,
		Want: "a/q/now/x " + Standard},
	{Name: "update by a grouped derived table behind LEFT JOIN", Run: "UPDATE t LEFT JOIN (SELECT K, COUNT(*) n FROM t WHERE K = 'b' GROUP BY K) d ON t.K = d.K SET t.V = d.n WHERE d.n IS NULL OR d.n = 1", n: 2,
		Want: "a/q/now/NULL a/q/3/three a/q/1/one b/q/now/1 b/q/2/two"},
	{Name: "update by a grouped derived table in front of RIGHT JOIN", Run: "UPDATE (SELECT K, COUNT(*) n FROM t GROUP BY K) d RIGHT JOIN t ON t.K = d.K SET t.V = d.n", n: 2,
		Want: "a/q/now/1 a/q/3/three a/q/1/one b/q/now/1 b/q/2/two"},
	{Name: "update by a grouped derived table with USING", Run: "UPDATE t JOIN (SELECT K, SUM(T) s FROM t GROUP BY K) d USING (K) SET t.V = d.s", n: 2,
		Want: "a/q/now/3 a/q/3/three a/q/1/one b/q/now/2 b/q/2/two"},
	{Name: "update by a DISTINCT derived table", Run: "UPDATE t JOIN (SELECT DISTINCT K FROM t FOR SYSTEM_TIME ALL) d ON t.K = d.K SET t.V = d.K", n: 2,
		Want: "a/q/now/a a/q/3/three a/q/1/one b/q/now/b b/q/2/two"},
	{Name: "update by a UNION of grouped queries", Run: "UPDATE t JOIN (SELECT K, COUNT(*) n FROM t WHERE K = 'a' GROUP BY K UNION SELECT K, MAX(T) FROM t WHERE K = 'b' GROUP BY K) d ON t.K = d.K SET t.V = d.n", n: 2,
		Want: "a/q/now/1 a/q/3/three a/q/1/one b/q/now/2 b/q/2/two"},
	{Name: "update by derived tables in each other", Run: "UPDATE t JOIN (SELECT K, MAX(n) m FROM (SELECT K, Q, COUNT(*) n FROM t GROUP BY K, Q) e GROUP BY K) d ON t.K = d.K SET t.V = d.m", n: 2,
		Want: "a/q/now/1 a/q/3/three a/q/1/one b/q/now/1 b/q/2/two"},
	{Name: "update by a common table expression that groups", Run: "WITH d AS (SELECT K, COUNT(*) n FROM t GROUP BY K) UPDATE t JOIN d ON t.K = d.K SET t.V = d.n", n: 2,
		Want: "a/q/now/1 a/q/3/three a/q/1/one b/q/now/1 b/q/2/two"},
	{Name: "update by one aggregate", Run: "UPDATE t JOIN (SELECT MAX(K) m FROM t) d ON t.K = d.m SET t.V = d.m", n: 1, Want: "a/q/3/three a/q/1/one b/q/now/b b/q/2/two"},
	{Name: "update of a join to an aggregate", Run: "UPDATE t JOIN (SELECT K FROM t GROUP BY K) d ON t.K = d.K SET t.V = MAX(d.K)", Fails: 1111},
	{Name: "update to an aggregate", Run: "UPDATE t SET V = MAX(K)", Fails: 1111},

	// DELETE.
	{Name: "delete removes cells", Run: "DELETE FROM t WHERE K = 'a'", n: 1, Want: "b/q/2/two"},
	{Name: "delete everything", Run: "DELETE FROM t", n: 2, Want: "-"},
	{Name: "delete by the newest version's value", Run: "DELETE FROM t WHERE V = 'one'", n: 0},
	{Name: "delete where T is of the newest", Run: "DELETE FROM t WHERE T < 3", n: 1, Want: "a/q/3/three a/q/1/one"},
	{Name: "delete of versions", Run: "DELETE /*+ VERSIONS(ALL) */ FROM t WHERE T = 3", n: 1, Want: "a/q/1/one b/q/2/two"},
	{Name: "delete of old versions", Run: "DELETE /*+ VERSIONS(ALL) */ FROM t WHERE T < 3", n: 2, Want: "a/q/3/three"},
	{Name: "delete of the newest n", Given: "a/q/3/x a/q/2/y a/q/1/z b/q/1/b", Run: "DELETE /*+ VERSIONS(2) */ FROM t", n: 3, Want: "a/q/1/z"},
	{Name: "delete through VERSIONS(1) is by cells", Run: "DELETE /*+ VERSIONS(1) */ FROM t", n: 2, Want: "-"},
	{Name: "delete in order with a limit", Run: "DELETE FROM t ORDER BY K DESC LIMIT 1", n: 1, Want: "a/q/3/three a/q/1/one"},
	{Name: "delete of versions in order with a limit", Run: "DELETE /*+ VERSIONS(?) */ FROM t ORDER BY T DESC LIMIT ?", Args: []any{5, 2}, n: 2, Want: "a/q/1/one"},
	{Name: "delete by an alias", Run: "DELETE FROM t AS x WHERE x.K = 'b'", n: 1, Want: "a/q/3/three a/q/1/one"},
	{Name: "delete by keys, as gorm says it", Run: "DELETE FROM t FOR SYSTEM_TIME ALL WHERE (K,Q,T) IN ((?,?,?))", Args: []any{"a", "q", 1}, n: 1, Want: "a/q/3/three b/q/2/two"},
	{Name: "truncate", Run: "TRUNCATE TABLE t", n: 0, Want: "-"},

	// Views that are read-only.
	{Name: "update as of", Run: "UPDATE t FOR SYSTEM_TIME AS OF 2 SET V = 'x'", Fails: 1235},
	{Name: "update of a period", Run: "UPDATE t FOR SYSTEM_TIME FROM 1 TO 3 SET V = 'x'", Fails: 1235},
	{Name: "update of a time range", Run: "UPDATE /*+ TIMERANGE(1, 3) VERSIONS(ALL) */ t SET V = 'x'", Fails: 1235},
	{Name: "delete as of", Run: "DELETE FROM t FOR SYSTEM_TIME AS OF 2", Fails: 1235},
	{Name: "delete of a period", Run: "DELETE FROM t FOR SYSTEM_TIME BETWEEN 1 AND 3", Fails: 1235},
	{Name: "delete of a time range", Run: "DELETE /*+ TIMERANGE(1, 3) */ FROM t", Fails: 1235},
	{Name: "a hint that is not in its place", Run: "DELETE FROM /*+ VERSIONS(ALL) */ t WHERE T = 3", Fails: 1064},
	{Name: "a hint behind a word of its statement", Run: "UPDATE IGNORE /*+ VERSIONS(ALL) */ t SET V = 'x' WHERE T = 1", Fails: 1064},

	// Tables of a join.
	{Name: "delete of a join", Run: "DELETE t FROM t JOIN t AS u ON t.K = u.K WHERE u.V = 'three'", n: 1, Want: "b/q/2/two"},
	{Name: "delete of a join's older versions", Run: "DELETE FROM a USING t FOR SYSTEM_TIME ALL AS a JOIN t FOR SYSTEM_TIME ALL AS b ON a.K = b.K AND a.Q = b.Q AND a.T < b.T",
		n: 1, Want: "a/q/3/three b/q/2/two"},
	{Name: "delete under two names", Run: "DELETE a, b FROM t a, t b WHERE a.K <= b.K", n: 2, Want: "-"},
	{Name: "delete where there is nothing to join", Run: "DELETE a FROM t a LEFT JOIN t b ON b.K = 'c' WHERE b.K = 'c'"},
	{Name: "delete of what is not joined", Run: "DELETE u FROM t JOIN t AS v ON t.K = v.K", Fails: 1109},
	{Name: "update of a join", Run: "UPDATE t a JOIN t b ON a.K < b.K SET a.V = b.V", n: 1, Want: "a/q/now/two a/q/3/three a/q/1/one b/q/2/two"},
	{Name: "update of a join by many", Run: "UPDATE t, t AS u SET t.V = 'x'", n: 2, Want: "a/q/now/x a/q/3/three a/q/1/one b/q/now/x b/q/2/two"},
	{Name: "update of a join to what is there", Run: "UPDATE t a JOIN t b ON a.K = b.K SET a.V = b.V", found: 2},
	{Name: "update of a join's key", Run: "UPDATE t a JOIN t b ON a.K < b.K SET a.K = CONCAT(b.K, b.K)", n: 1, Want: "b/q/2/two bb/q/3/three bb/q/1/one"},
	{Name: "update of a join's key to one that is there", Run: "UPDATE t a JOIN t b ON a.K < b.K SET a.K = b.K", Fails: 1062},
	{Name: "update of a join of versions", Run: "UPDATE t FOR SYSTEM_TIME ALL AS a, t AS b SET a.V = b.V WHERE a.K = b.K AND a.T < b.T", n: 1, Want: "a/q/3/three a/q/1/three b/q/2/two"},
	{Name: "update of a key under two names", Run: "UPDATE t a JOIN t b ON a.K = b.K SET a.Q = 'r', b.V = 'x'", Fails: 1706},
	{Name: "update of either table of a join", Run: "UPDATE t, t AS u SET V = 'x'", Fails: 1052},
	{Name: "update of a join in order", Run: "UPDATE t, t AS u SET t.V = 'x' ORDER BY t.K", Fails: 1221},
}

// Check runs the case in a transaction of its own or, if inTx is set, in a
// transaction with another uncommitted change.
func (c *WriteCase) Check(t *testing.T, db *sql.DB, foundRows, inTx bool) {
	t.Helper()
	label := fmt.Sprintf("%s: %s (in a transaction: %t)", c.Name, c.Run, inTx)
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	defer conn.Close()
	harness.Must(t, conn, "DELETE /*+ VERSIONS(ALL) */ FROM t")
	given := c.Given
	if given == "" {
		given = Standard
	}
	harness.PutVersions(t, conn, given)
	if inTx {
		harness.Must(t, conn, "BEGIN", "REPLACE INTO t (K, Q, T, V) VALUES ('uncommitted', 'q', 1, 'v')", "DELETE FROM t WHERE K = 'uncommitted'")
	}
	oracle.Announce(t, conn, c.Run)
	start := time.Now().UnixMilli()
	result, err := conn.ExecContext(context.Background(), c.Run, c.Args...)
	c.CheckAnswer(t, label, start, foundRows, result, err)
	if err == nil {
		assert.Equal(t, c.warns, strings.Join(harness.WarningCodes(t, conn), " "), label)
	}
	want := c.Want
	if want == "" {
		want = given
	}
	assert.Equal(t, strings.Trim(want, "-"), harness.Versions(t, conn, start), label)
	if inTx {
		harness.Must(t, conn, "COMMIT")
		assert.Equal(t, strings.Trim(want, "-"), harness.Versions(t, conn, start), label+", committed")
	}
}

// CheckAnswer compares counts, identity, error and warnings with the case.
func (c *WriteCase) CheckAnswer(t *testing.T, label string, start int64, foundRows bool, result sql.Result, err error) {
	t.Helper()
	if !assert.Equal(t, c.Fails, harness.NumberOf(err), "%s: %v", label, err) || err != nil {
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
