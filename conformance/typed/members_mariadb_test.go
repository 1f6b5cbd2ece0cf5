package typed

import (
	"database/sql"
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// memberTables are columns of ENUM, SET and BIT, in keys, in indexes and in neither.
var memberTables = []string{
	"CREATE TABLE e (id int PRIMARY KEY, e enum('z','b','10','a'), s set('y','b','x'), b bit(10))",
	"CREATE TABLE e (id int PRIMARY KEY, e enum('z','b','10','a'), s set('y','b','x'), b bit(10), " +
		"KEY (e), KEY (s, id), KEY (b))",
	"CREATE TABLE e (id int, e enum('z','b','10','a') NOT NULL DEFAULT 'z', " +
		"s set('y','b','x') NOT NULL DEFAULT '', b bit(10) NOT NULL DEFAULT 0, PRIMARY KEY (e, s, b, id))",
}

// memberQueries read members as texts and as numbers.
var memberQueries = []string{
	"SELECT id FROM e ORDER BY e, id", "SELECT id FROM e ORDER BY s DESC, id",
	"SELECT id FROM e ORDER BY b DESC, id DESC", "SELECT id FROM e ORDER BY e, s, b, id",
	"SELECT e FROM e ORDER BY e LIMIT 3", "SELECT s FROM e WHERE s IS NOT NULL ORDER BY s, id LIMIT 3",
	"SELECT DISTINCT e FROM e ORDER BY e DESC LIMIT 2",
	"SELECT MIN(s), MAX(s), MIN(b) + 0, MAX(b) + 0 FROM e WHERE id < 100", "SELECT MIN(e + 0), MAX(s + 0) FROM e",
	"SELECT id, e + 0, s + 0, b + 0 FROM e ORDER BY id",
	"SELECT SUM(e), AVG(s), SUM(b), BIT_OR(e), BIT_XOR(s), BIT_AND(b) FROM e",
	"SELECT id FROM e WHERE e = 2 ORDER BY id", "SELECT id FROM e WHERE 5 = s ORDER BY id",
	"SELECT id FROM e WHERE e > 1 ORDER BY id", "SELECT id FROM e WHERE e >= 2 AND e < 4 ORDER BY id",
	"SELECT id FROM e WHERE s > 1 AND s <= 5 ORDER BY id", "SELECT id FROM e WHERE e > 'b' ORDER BY id",
	"SELECT id FROM e WHERE s < 'x' ORDER BY id", "SELECT id FROM e WHERE e <=> 3 ORDER BY id",
	"SELECT id FROM e WHERE e IN (1, 4) ORDER BY id", "SELECT id FROM e WHERE e IN ('a', 'z') ORDER BY id",
	"SELECT id FROM e WHERE e NOT IN (1, 9) ORDER BY id", "SELECT id FROM e WHERE e BETWEEN 2 AND 3 ORDER BY id",
	"SELECT id FROM e WHERE e = 1.0 ORDER BY id", "SELECT id FROM e WHERE e > 1.5 ORDER BY id",
	"SELECT id FROM e WHERE e < 0 OR e = -1 OR e > 99 ORDER BY id", "SELECT id FROM e WHERE e = 10 ORDER BY id",
	"SELECT id FROM e WHERE e = '10' ORDER BY id",
	"SELECT id FROM e WHERE s & 1 ORDER BY id", "SELECT id FROM e WHERE e ORDER BY id",
	"SELECT id FROM e WHERE NOT e ORDER BY id", "SELECT id FROM e WHERE s AND e > 1 ORDER BY id",
	"SELECT id FROM e WHERE e IS TRUE ORDER BY id", "SELECT id, IF(e, 1, 0), e XOR 1, s OR 0 FROM e ORDER BY id",
	"SELECT e * 2, -e, e DIV 2, MOD(s, 2), e | s FROM e ORDER BY id",
	"SELECT CAST(e AS UNSIGNED), CAST(s AS SIGNED), CAST(e AS CHAR), CAST(e AS DECIMAL(5,1)) FROM e ORDER BY id",
	"SELECT ROUND(e), ABS(s), FLOOR(e), SQRT(e), POW(e, 2) FROM e ORDER BY id",
	"SELECT e, COUNT(*) FROM e GROUP BY e ORDER BY e", "SELECT s, SUM(e) FROM e GROUP BY s ORDER BY s",
	"SELECT e + 0 AS n, COUNT(*) FROM e GROUP BY n ORDER BY n",
	"SELECT a.id, c.id FROM e a JOIN e c ON a.e = c.id ORDER BY 1, 2",
	"SELECT a.id, c.id FROM e a JOIN e c ON a.e = c.e ORDER BY 1, 2",
	"SELECT a.id, c.id FROM e a JOIN e c ON a.s = c.b ORDER BY 1, 2",
	"SELECT a.id, c.id FROM e a JOIN e c ON c.e ORDER BY 1, 2",
	"SELECT a.id, c.id FROM e a JOIN e c ON a.s AND a.id = c.id ORDER BY 1, 2",
	"SELECT a.id, c.id FROM e a LEFT JOIN e c ON c.s ORDER BY 1, 2",
	"SELECT a.id, c.id FROM e a RIGHT JOIN e c ON a.e ORDER BY 1, 2",
	"SELECT e, COUNT(*) FROM e GROUP BY e HAVING e ORDER BY e", "SELECT s AS x, id FROM e HAVING x ORDER BY id",
	"SELECT s, MAX(id) FROM e GROUP BY s HAVING NOT s", "SELECT e FROM e GROUP BY e HAVING e AND COUNT(*) > 1 ORDER BY e",
	"SELECT id, CASE e WHEN 1 THEN 'one' WHEN 4 THEN 'four' END FROM e ORDER BY id",
	"SELECT id, CASE e WHEN 'a' THEN 'A' ELSE 'other' END FROM e ORDER BY id",
	"SELECT id, CASE WHEN e THEN 1 ELSE 0 END FROM e ORDER BY id",
	"SELECT id, RANK() OVER (ORDER BY e) FROM e ORDER BY id",
	"SELECT id, COUNT(*) OVER (PARTITION BY e ORDER BY s, id) FROM e ORDER BY id",
	"SELECT GROUP_CONCAT(e ORDER BY e, id), GROUP_CONCAT(s ORDER BY s DESC, id SEPARATOR ';') FROM e",
	"SELECT CONCAT(e, '-', s), LENGTH(e), UPPER(s) FROM e ORDER BY id",
	"SELECT id, COALESCE(e, 'q'), IFNULL(s, 'none'), NULLIF(e, 'a') FROM e ORDER BY id",
	"SELECT e + 0 FROM (SELECT e, id FROM e) d ORDER BY id",
	"SELECT e FROM (SELECT DISTINCT e FROM e) d ORDER BY e",
	"SELECT x FROM (SELECT e AS x FROM e UNION ALL SELECT s FROM e) d ORDER BY CONCAT(x)",
	"SELECT (SELECT e FROM e x WHERE x.id = e.id) FROM e ORDER BY id",
	"SELECT id FROM e WHERE e IN (SELECT id FROM e) ORDER BY id",
	"SELECT id FROM e WHERE b = b'101' ORDER BY id", "SELECT id FROM e WHERE b = 5 OR b > 1000 ORDER BY id",
	"SELECT id FROM e WHERE b BETWEEN b'1' AND 9 ORDER BY id",
	"SELECT id FROM e WHERE b IN (0, b'1001', 1023) ORDER BY id",
	"SELECT b & 4, b | 2, b << 1, ~b, b * 2, b / 2, b DIV 2, -b FROM e ORDER BY id",
	"SELECT BIN(b), OCT(b), HEX(b + 0) FROM e ORDER BY id", "SELECT HEX(b) FROM e ORDER BY id",
	"SELECT LENGTH(b), HEX(CONCAT(b)), BIT_COUNT(b), BIT_LENGTH(b) FROM e ORDER BY id",
	"SELECT id FROM e WHERE b ORDER BY id", "SELECT b + 0, COUNT(*) FROM e GROUP BY b ORDER BY b",
	"SELECT b FROM e ORDER BY id", "SELECT e, s, b FROM e ORDER BY id",
	"SELECT id FROM e WHERE b > 2.5 ORDER BY id",
	"SELECT CAST(b AS UNSIGNED), CAST(b AS SIGNED), HEX(CAST(b AS BINARY)), CAST(b AS DECIMAL(6,2)) FROM e ORDER BY id",
	"SELECT HEX(IFNULL(b, 1)), COALESCE(b, 0) + 0, IF(id > 1, b, 0) + 0 FROM e ORDER BY id",
}

const members = "INSERT INTO e VALUES (1, 'a', 'x,y', b'101'), (2, 'z', '', 9), (3, '10', 'b', 1023), " +
	"(5, 'b', 'x', 0), (6, 4, 7, 0x31), (7, '2', 'y', '9')"

// TestLiveMembers compares the numeric values of ENUM, SET and BIT columns with
// MariaDB's.
func TestLiveMembers(t *testing.T) {
	theirs := liveMariaDB(t)
	ours := one(t)
	for _, table := range memberTables {
		for _, db := range []*sql.DB{ours, theirs} {
			harness.Must(t, db, "DROP TABLE IF EXISTS e", table, members)
			if table != memberTables[2] {
				harness.Must(t, db, "INSERT INTO e VALUES (4, NULL, NULL, NULL)")
			}
		}
		for _, query := range memberQueries {
			compareRows(t, ours, theirs, query)
		}
	}
	for _, db := range []*sql.DB{ours, theirs} {
		harness.Must(t, db, findInSetTable...)
	}
	for operands := range findInSet {
		compareRows(t, ours, theirs, "SELECT FIND_IN_SET("+operands+") FROM f ORDER BY id")
	}
}
