package sql

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

const (
	collationsFile = "../testdata/mariadb/collations.jsonl.gz"
	collationsSeed = 20261126
	collationTexts = 40
)

// The collations of MariaDB, and those of MySQL 8.
var (
	sharedCollations = []string{"utf8mb4_general_ci", "utf8mb4_bin", "utf8mb4_unicode_ci", "utf8mb4_unicode_520_ci"}
	ownCollations    = []string{"utf8mb4_0900_ai_ci", "utf8mb4_0900_as_ci", "utf8mb4_0900_as_cs", "utf8mb4_0900_bin"}
)

// collatedLetters are letters that collations distinguish differently: case, accents, one letter
// as two, combining marks, characters without weight, spaces, ideographs, syllables, pictures,
// and unassigned characters.
var collatedLetters = strings.Split("a,A,ä,Ä,á,b,B,e,é,s,S,ß,ss,ẞ,æ,Æ,ae,ﬀ,f,i,ı,İ,I,o,ø,œ,ł,l,\u0301,\u0308,\u0001,\u200d, ,  ,\u00a0,\u3000,1,¹,½,"+
	"一,丁,㐀,𠀀,가,각,㉮,ア,ｱ,あ,😀,😁,\U000e0100,\U0010ffff,\u0378,-,x", ",")

func collatedText(r *rand.Rand) (text string) {
	for range r.IntN(5) {
		text += harness.Pick(r, collatedLetters)
	}
	return text
}

// fillTexts fills the table t with random texts in V, some of which differ from another one in
// one letter.
func fillTexts(t *testing.T, db *sql.DB, r *rand.Rand, table string) (texts []string) {
	harness.Must(t, db, "DROP TABLE IF EXISTS t", table)
	for i := range collationTexts {
		text := collatedText(r)
		if i > 0 && r.IntN(2) == 0 {
			text = strings.Replace(harness.Pick(r, texts), harness.Pick(r, collatedLetters),
				harness.Pick(r, collatedLetters), 1)
		}
		texts = append(texts, text)
		harness.Must(t, db, fmt.Sprintf("INSERT INTO t (K, Q, T, V) VALUES ('%02d', 'q', 1, X'%x')", i, text))
	}
	return texts
}

// collationQueries are queries with X(V) for the text in V with a collation; those that begin
// with a plus sign return their rows in an order.
var collationQueries = []string{
	"SELECT a.K, b.K FROM t a JOIN t b ON X(a.V) = X(b.V)",
	"SELECT a.K, b.K FROM t a JOIN t b ON X(a.V) = CAST(b.V AS CHAR)",
	"SELECT a.K, b.K FROM t a JOIN t b ON X(a.V) < X(b.V)",
	"SELECT a.K, b.K FROM t a LEFT JOIN t b ON X(a.V) = b.V AND a.K <> b.K",
	"SELECT a.K, b.K FROM t a JOIN t b ON X(a.V) LIKE CONCAT('%', CAST(b.V AS CHAR), '%')",
	"SELECT a.K, b.K FROM t a JOIN t b ON X(a.V) LIKE CAST(b.V AS CHAR)",
	"SELECT a.K, b.K FROM t a JOIN t b ON X(a.V) LIKE CONCAT('_', CAST(b.V AS CHAR))",
	"SELECT a.K, b.K FROM t a JOIN t b ON a.V <=> X(b.V)",
	"SELECT a.K, b.K FROM t a JOIN t b ON FIND_IN_SET(X(a.V), CONCAT('x,', CAST(b.V AS CHAR), ',y'))",
	"SELECT a.K, STRCMP(X(a.V), X(b.V)) FROM t a JOIN t b ON a.K < b.K",
	"SELECT a.K, GREATEST(X(a.V), X(b.V)) = X(a.V), LEAST(X(a.V), 'b') = 'b', FIELD('b', X(a.V), X(b.V)) FROM t a JOIN t b ON a.K < b.K",
	"SELECT COUNT(*), MIN(K) FROM t GROUP BY X(V)",
	"SELECT COUNT(*), MIN(K) FROM t GROUP BY X(V) HAVING MAX(X(V)) > 'b'",
	"SELECT COUNT(DISTINCT X(V)) FROM t",
	"SELECT COUNT(*) FROM (SELECT DISTINCT X(V) FROM t) d",
	"SELECT COUNT(*) FROM (SELECT X(V) AS x FROM t UNION SELECT CAST(V AS CHAR) FROM t) d",
	"SELECT COUNT(*) FROM (SELECT '0' AS x UNION SELECT X(V) FROM t) d WHERE x > 'A'",
	"+SELECT K FROM t ORDER BY X(V), K",
	"+SELECT K FROM t ORDER BY X(V) DESC, K LIMIT 7",
	"SELECT K, DENSE_RANK() OVER (ORDER BY X(V)), COUNT(*) OVER (PARTITION BY X(V)) FROM t",
	"SELECT K FROM t WHERE X(V) = (SELECT MAX(X(V)) FROM t) OR X(V) = (SELECT MIN(X(V)) FROM t)",
	"SELECT K FROM t WHERE X(V) IN ('a', 'ss', 'AE', 'é', ' ', '가', '一', 'x', 'e', '1')",
	"SELECT K FROM t WHERE X(V) NOT IN ('a', 'ss', CONCAT('b', K))",
	"SELECT K FROM t WHERE V IN ('a', 'SS' COLLATE C, 'AE')",
	"SELECT K FROM t WHERE X(V) BETWEEN 'AE' AND 'ss'",
	"SELECT K FROM t WHERE V BETWEEN 'AE' AND 'ss' COLLATE C",
	"SELECT K FROM t WHERE V >= 'ss' COLLATE C",
	"SELECT K, CASE X(V) WHEN 'a' THEN 1 WHEN 'ss' THEN 2 ELSE 3 END, NULLIF(X(V), 'A') IS NULL FROM t",
	"SELECT a.K FROM t a WHERE X(a.V) IN (SELECT CAST(V AS CHAR) FROM t b WHERE b.K <> a.K)",
	"SELECT a.K FROM t a WHERE X(a.V) NOT IN (SELECT V FROM t b WHERE b.K > '20')",
	"SELECT a.K FROM t a WHERE CAST(a.V AS CHAR) IN (SELECT X(V) FROM t b WHERE b.K > '20')",
	"SELECT a.K FROM t a WHERE X(a.V) > ALL (SELECT X(V) FROM t b WHERE b.K > '30')",
	"SELECT a.K FROM t a WHERE EXISTS (SELECT 1 FROM t b WHERE b.K <> a.K AND X(b.V) = a.V)",
	"SELECT a.K FROM t a WHERE (X(a.V), a.Q) IN (SELECT V, Q FROM t b WHERE b.K <> a.K)",
	"SELECT K FROM (SELECT K, X(V) AS x FROM t) d WHERE x = 'a' OR x LIKE 's%' OR CONCAT(x, 'b') = 'ab'",
	"SELECT COLLATION(x), COLLATION(CONCAT('a', x)), COLLATION(UPPER(x)), COLLATION(HEX(x)) FROM (SELECT X(V) AS x FROM t LIMIT 1) d",
	"SELECT UPPER(X('a')) = 'A', REPLACE(X('aAa'), 'A', 'b'), X('a') = 'A', X('ab') REGEXP 'A', X('b') COLLATE utf8mb4_bin = 'B', LOCATE('b', X('aB'))",
}

func collationQuery(query, collation string) oracle.Generated {
	query, ordered := strings.CutPrefix(query, "+")
	of := func(v string) string { return "CAST(" + v + " AS CHAR) COLLATE " + collation }
	query = strings.NewReplacer("X(a.V)", of("a.V"), "X(b.V)", of("b.V"), "X(V)", of("V"), "COLLATE C", "COLLATE "+collation,
		"X('a')", of("'a'"), "X('b')", of("'b'"), "X('ab')", of("'ab'"), "X('aB')", of("'aB'"), "X('aAa')", of("'aAa'")).Replace(query)
	return oracle.Generated{SQL: query, Ordered: ordered}
}

// TestRecordedCollations compares with MariaDB's recorded answers.
func TestRecordedCollations(t *testing.T) {
	if *harness.MariaDB != "" && *harness.Record {
		peer := oracle.OpenMariaDB(t)
		fillTexts(t, peer, rand.New(rand.NewPCG(collationsSeed, 0)), "CREATE TABLE t "+oracle.Columns)
		var answers []oracle.Answer
		for _, c := range sharedCollations {
			for _, q := range collationQueries {
				answers = append(answers, oracle.Ask(peer, collationQuery(q, c)))
			}
		}
		oracle.WriteRecorded(t, collationsFile, answers)
	}
	recorded := oracle.ReadRecorded[oracle.Answer](t, collationsFile)
	require.Len(t, recorded, len(sharedCollations)*len(collationQueries))
	for _, parameters := range []string{"parallelism=0", "parallelism=1&tmp_table_size=1024", "parallelism=2"} {
		db := harness.OpenDB(t, "file::memory:?versions=all&"+parameters+"&"+harness.CommonParameters)
		fillTexts(t, db, rand.New(rand.NewPCG(collationsSeed, 0)),
			"CREATE TABLE t "+oracle.Columns+" PARTITION BY KEY(K) PARTITIONS 3")
		for _, want := range recorded {
			oracle.Compare(t, parameters, want, oracle.Ask(db, oracle.Generated{SQL: want.SQL, Ordered: want.Ordered}))
		}
	}
}

// TestLiveCollations compares random texts with a live server.
func TestLiveCollations(t *testing.T) {
	if *harness.MariaDB == "" {
		t.Skip("no -mariadb: the recorded answers alone were compared")
	}
	peer, db := oracle.OpenMariaDB(t), harness.OpenDB(t, harness.MemoryDSN())
	seed := testseed.Of(t)
	for round := range uint64(max(1, *harness.OracleN/1000)) {
		for _, each := range []*sql.DB{peer, db} {
			fillTexts(t, each, rand.New(rand.NewPCG(seed, round)), "CREATE TABLE t "+oracle.Columns)
		}
		for _, c := range sharedCollations {
			for _, q := range collationQueries {
				stmt := collationQuery(q, c)
				oracle.Compare(t, "live", oracle.Ask(peer, stmt), oracle.AskAgain(t, db, stmt))
			}
		}
	}
}

// TestOneOrderOfTexts: =, ORDER BY, MIN, MAX, GROUP BY, DISTINCT, IN, joins and windows agree on
// the order of random texts in each collation, in memory and in temporary files.
func TestOneOrderOfTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for _, c := range slices.Concat(sharedCollations, ownCollations) {
		db := harness.OpenDB(t, ":memory:?tmp_table_size="+harness.Pick(r, []string{"1024", "16777216"}))
		texts := fillTexts(t, db, r, "CREATE TABLE t "+harness.PlainTable)
		of := func(v string) string { return "CAST(" + v + " AS CHAR) COLLATE " + c }
		harness.Must(t, db, "CREATE VIEW d AS SELECT K, "+of("V")+" AS J FROM t")
		less, equal := comparedDocuments(t, db, len(texts))
		requireOrder(t, texts, less, equal)
		requireOneOrder(t, db, texts, less, equal, of)
	}
}

// TestCollationsOfUnicode9 checks comparisons against MySQL 8's answers.
func TestCollationsOfUnicode9(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	for _, c := range []struct{ x, want string }{
		{"'ß' = 'ss' COLLATE utf8mb4_0900_ai_ci, 'ß' = 'ss' COLLATE utf8mb4_0900_as_ci, 'ß' = 'ss' COLLATE utf8mb4_0900_as_cs", "1 0 0"},
		{"'a' = 'a ' COLLATE utf8mb4_0900_ai_ci, 'a' = 'a ' COLLATE utf8mb4_0900_as_cs, 'a' = 'a ' COLLATE utf8mb4_0900_bin, 'a' = 'a ' COLLATE utf8mb4_bin", "0 0 0 1"},
		{"'é' = 'E' COLLATE utf8mb4_0900_ai_ci, 'é' = 'É' COLLATE utf8mb4_0900_as_ci, 'é' = 'É' COLLATE utf8mb4_0900_as_cs, 'é' > 'E' COLLATE utf8mb4_0900_as_ci", "1 1 0 1"},
		{"'é' = CONCAT('e', CHAR(0xCC81 USING utf8mb4)) COLLATE utf8mb4_0900_as_cs, '😀' = '😁' COLLATE utf8mb4_0900_ai_ci", "1 0"},
		{"'ß' LIKE 'ss' COLLATE utf8mb4_0900_ai_ci, 'É' LIKE '%e' COLLATE utf8mb4_0900_ai_ci, 'É' LIKE '%e' COLLATE utf8mb4_0900_as_ci, 'ab ' LIKE 'ab' COLLATE utf8mb4_0900_ai_ci", "0 1 0 0"},
		{"INSTR('xäb', 'A' COLLATE utf8mb4_0900_ai_ci), INSTR('xab', 'A' COLLATE utf8mb4_0900_ai_ci), LOCATE('SS', 'ß' COLLATE utf8mb4_0900_ai_ci), INSTR('xab', 'A' COLLATE utf8mb4_0900_as_cs)", "0 2 1 0"},
		{"FIND_IN_SET('SS', 'a,ß' COLLATE utf8mb4_0900_ai_ci), FIELD('SS' COLLATE utf8mb4_0900_ai_ci, 'a', 'ß'), STRCMP('a', 'B' COLLATE utf8mb4_0900_as_cs)", "2 2 -1"},
		{"COLLATION('a' COLLATE utf8mb4_0900_as_cs), COLLATION(CONCAT('a', 'b' COLLATE utf8mb4_0900_ai_ci)), 'a' REGEXP 'A' COLLATE utf8mb4_0900_as_cs", "utf8mb4_0900_as_cs utf8mb4_0900_ai_ci 0"},
	} {
		require.Equal(t, []string{c.want}, harness.Lines(t, db, "SELECT "+c.x), c.x)
	}
}

// TestMixedCollations: a COLLATE applies to the other operands, two different ones are an error,
// and an unknown name's error suggests the nearest.
func TestMixedCollations(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable,
		"INSERT INTO t VALUES ('a', 'q', 1, 'x'), ('A', 'q', 1, 'y')",
		"CREATE VIEW v AS SELECT K, CAST(K AS CHAR(9)) COLLATE utf8mb4_unicode_ci AS u, CAST(K AS CHAR(9)) COLLATE utf8mb4_bin AS b, "+
			"CAST(K AS CHAR(9)) AS g FROM t")
	for query, want := range map[string]uint16{
		"SELECT 'a' COLLATE utf8mb4_bin = 'a' COLLATE utf8mb4_unicode_ci":                    1267,
		"SELECT 'a' COLLATE utf8mb4_bin IN ('a' COLLATE utf8mb4_unicode_ci, 'b')":            1270,
		"SELECT CONCAT('a' COLLATE utf8mb4_bin, 'a' COLLATE utf8mb4_unicode_ci, 'b', 'c')":   1271,
		"SELECT CASE 'a' COLLATE utf8mb4_bin WHEN 'b' COLLATE utf8mb4_unicode_ci THEN 1 END": 1267,
		"SELECT IF(1, 'a' COLLATE utf8mb4_bin, 'b' COLLATE utf8mb4_unicode_ci)":              1267,
		"SELECT 'a' COLLATE utf8mb4_bin UNION SELECT 'b' COLLATE utf8mb4_unicode_ci":         1267,
		"SELECT 'a' COLLATE utf8mb4_bin IN (SELECT 'b' COLLATE utf8mb4_unicode_ci)":          1267,
		"SELECT * FROM v WHERE u = g":                                                                      1267,
		"SELECT * FROM v a JOIN v b ON a.u LIKE b.g":                                                       1267,
		"SELECT K COLLATE utf8mb4_bin FROM t":                                                              1253,
		"SELECT 'a' COLLATE latin1_swedish_ci":                                                             1253,
		"SELECT 'a' COLLATE binary":                                                                        1253,
		"SELECT 'a' COLLATE nonesuch":                                                                      1273,
		"SELECT 'a' COLLATE utf8mb4_nonesuch_ci":                                                           1273,
		"SELECT 'a' COLLATE utf8mb4_german2_ci":                                                            1273,
		"SELECT K FROM t ORDER BY CAST(K AS CHAR) COLLATE utf8mb4_sv_0900_ai_ci":                           1273,
		"SELECT K FROM t GROUP BY CAST(K AS CHAR) COLLATE utf8mb4_x_ci":                                    1273,
		"SELECT CONVERT(K USING utf8mb4) COLLATE utf8mb4_generl_ci FROM t":                                 1273,
		"SET NAMES utf8mb4 COLLATE utf8mb4_x_ci":                                                           1273,
		"SET NAMES utf8mb4 COLLATE utf8_bin":                                                               1253,
		"SET collation_connection = utf8mb4_x_ci":                                                          1273,
		"CREATE TABLE x " + harness.PlainTable + " COLLATE utf8mb4_german2_ci":                             1273,
		"CREATE DATABASE x COLLATE utf8mb4_x_ci":                                                           1273,
		"CREATE VIEW x AS SELECT CAST(K AS CHAR) COLLATE utf8mb4_x_ci FROM t":                              1273,
		"SELECT 1 FROM (SELECT 'a' COLLATE utf8mb4_bin AS x) d JOIN (SELECT 'a' AS x) e USING (x)":         0,
		"SELECT 'a' COLLATE utf8mb3_unicode_ci = 'A' COLLATE utf8mb4_unicode_ci":                           0,
		"SELECT 1 FROM v WHERE b = g":                                                                      0,
		"SELECT COUNT(DISTINCT u), GROUP_CONCAT(u), CONCAT(u, g), COALESCE(u, g) FROM v GROUP BY K, u, g":  0,
		"SET NAMES utf8mb3 COLLATE utf8_unicode_ci":                                                        0,
		"SET NAMES utf8mb4 COLLATE utf8mb4_0900_ai_ci":                                                     0,
		"SELECT K FROM t WHERE K = 'a' COLLATE utf8mb4_0900_bin AND Q LIKE 'Q' COLLATE utf8mb4_unicode_ci": 0,
	} {
		rows, err := db.Query(query)
		if err == nil {
			_, err = harness.PrintRows(rows)
		}
		if want == 0 {
			require.NoError(t, err, query)
			continue
		}
		require.Error(t, err, query)
		require.Equal(t, want, harness.ErrorNumber(err), "%s: %v", query, err)
	}
	_, err := db.Query("SELECT 'a' COLLATE utf8mb4_generl_ci")
	require.ErrorContains(t, err, "the nearest is 'utf8mb4_general_ci'")
	_, err = db.Query("SELECT 'a' COLLATE nonesuch")
	require.ErrorContains(t, err, "utf8mb4_0900_ai_ci")
	require.Equal(t, []string{"a", "A"}, harness.Lines(t, db, "SELECT K FROM t WHERE K = 'a' COLLATE utf8mb4_0900_ai_ci ORDER BY K DESC"))
	require.Equal(t, []string{"a"}, harness.Lines(t, db, "SELECT K FROM v WHERE b = g COLLATE utf8mb4_bin AND b = 'a'"))
	require.Equal(t, []string{"utf8mb4_unicode_ci", "utf8mb4_bin", "utf8mb4_general_ci"}, harness.Lines(t, db,
		"SELECT COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_NAME = 'v' AND COLLATION_NAME IS NOT NULL ORDER BY ORDINAL_POSITION"))
}

var keyColumn = regexp.MustCompile(`\b[KQ]\b`)

// TestPushedCollations: the keys to which a comparison is pushed down are those for which it holds.
func TestPushedCollations(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	db := harness.OpenDB(t, ":memory:")
	harness.Must(t, db, "CREATE TABLE t "+harness.PlainTable+" PARTITION BY KEY(K) PARTITIONS 3")
	keys := []string{"a", "A", "ä", "a ", "b", "ß", "ss", "SS", "s", "é", "e", "ab", "AB"}
	for _, k := range keys {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO t VALUES ('%s', '%s', 1, 'v')", k, harness.Pick(r, keys)))
	}
	for _, c := range slices.Concat(sharedCollations, ownCollations) {
		for range 40 {
			k := func() string { return "'" + harness.Pick(r, keys) + "' COLLATE " + c }
			column := harness.Pick(r, []string{"K", "Q", "LEFT(K, 1)", "BINARY K"})
			where := harness.Pick(r, []string{column + " = " + k(), column + " >= " + k(), k() + " > " + column, column + " IN (" + k() + ", 'b')",
				column + " BETWEEN 'a' AND " + k(), column + " LIKE " + k(), column + " LIKE 'a%' COLLATE " + c,
				"(K, Q) = (" + k() + ", " + k() + ")", "K = " + k() + " AND Q = " + k(), "CAST(K AS CHAR) = " + k(), "NOT " + column + " <=> " + k()})
			hidden := keyColumn.ReplaceAllString(where, "CONCAT($0, SUBSTRING(V, 9))")
			require.Equal(t, harness.Lines(t, db, "SELECT K FROM t WHERE "+hidden+" ORDER BY K"), harness.Lines(t, db, "SELECT K FROM t WHERE "+where+" ORDER BY K"), where)
		}
	}
}

// TestCollatedJoinsAreHashed: joins on texts of one collation have keys.
func TestCollatedJoinsAreHashed(t *testing.T) {
	db := harness.OpenDB(t, ":memory:")
	fillTexts(t, db, rand.New(rand.NewPCG(1, 0)), "CREATE TABLE t "+harness.PlainTable)
	harness.Must(t, db, "CREATE VIEW v AS SELECT K, CAST(V AS CHAR) COLLATE utf8mb4_0900_ai_ci AS x FROM t")
	for _, join := range []string{
		"t a JOIN t b ON CAST(a.V AS CHAR) COLLATE utf8mb4_0900_ai_ci = CAST(b.V AS CHAR)",
		"t a JOIN t b ON CAST(a.V AS CHAR) COLLATE utf8mb4_unicode_ci = b.V",
		"v a JOIN v b ON a.x = b.x", "v a JOIN t b ON a.x = CAST(b.V AS CHAR) COLLATE utf8mb4_unicode_ci",
	} {
		plan := strings.Join(harness.Lines(t, db, "EXPLAIN SELECT COUNT(*) FROM "+join), "\n")
		require.Contains(t, plan, "hash join", join)
	}
}
