package bounds

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/suite"
)

// hugeStatements are long, deep or not text at all. Each returns one number, or
// an error.
var hugeStatements = map[string]struct {
	sql    string
	want   string
	number uint16
}{
	"parentheses":           {sql: "SELECT " + strings.Repeat("(", 10000) + "1" + strings.Repeat(")", 10000), number: 1064},
	"open parentheses":      {sql: "SELECT " + strings.Repeat("(", 10000), number: 1064},
	"NOTs":                  {sql: "SELECT " + strings.Repeat("NOT ", 10000) + "1", number: 1064},
	"signs":                 {sql: "SELECT " + strings.Repeat("- ", 10000) + "1", number: 1064},
	"CASEs":                 {sql: "SELECT " + strings.Repeat("CASE WHEN 1 THEN ", 10000) + "1" + strings.Repeat(" END", 10000), number: 1064},
	"calls":                 {sql: "SELECT " + strings.Repeat("ABS(", 10000) + "1" + strings.Repeat(")", 10000), number: 1064},
	"subqueries":            {sql: strings.Repeat("SELECT (", 10000) + "SELECT 1" + strings.Repeat(")", 10000), number: 1064},
	"derived tables":        {sql: strings.Repeat("SELECT * FROM (", 10000) + "SELECT 1" + strings.Repeat(") x", 10000), number: 1064},
	"joins in parentheses":  {sql: "SELECT 1 FROM " + strings.Repeat("(", 10000) + "t" + strings.Repeat(")", 10000), number: 1064},
	"too many UNIONs":       {sql: "SELECT 1" + strings.Repeat(" UNION SELECT 1", 20000), number: 1064},
	"too many operators":    {sql: "SELECT 1" + strings.Repeat("+1", 100000), number: 1064},
	"nested as much":        {sql: "SELECT " + strings.Repeat("ABS(", 90) + "(1)" + strings.Repeat(")", 90), want: "1"},
	"UNIONs":                {sql: "SELECT COUNT(*) FROM (SELECT 1 AS n" + strings.Repeat(" UNION ALL SELECT 1", 1000) + ") x", want: "1001"},
	"operations on sets":    {sql: "SELECT COUNT(*) FROM (SELECT 1 AS n" + strings.Repeat(" EXCEPT SELECT 2 UNION ALL SELECT 1 INTERSECT ALL SELECT 1", 300) + ") x", want: "2"},
	"ANDs":                  {sql: "SELECT COUNT(*) FROM t WHERE K = 'a'" + strings.Repeat(" AND Q <> 'z'", 2000), want: "1"},
	"ORs":                   {sql: "SELECT COUNT(*) FROM t WHERE K = 'a'" + strings.Repeat(" OR K = 'b'", 2000), want: "2"},
	"rows in a list":        {sql: "SELECT COUNT(*) FROM t WHERE K IN (" + harness.Series(20000, "'k%'", ", ") + ", 'a')", want: "1"},
	"cells in a list":       {sql: "SELECT COUNT(*) FROM t WHERE (K, Q) IN (" + harness.Series(5000, "('k%', 'q')", ", ") + ", ('a', 'q'))", want: "1"},
	"values in a list":      {sql: "SELECT COUNT(*) FROM t WHERE V IN (" + harness.Series(20000, "'k%'", ", ") + ", 'v')", want: "2"},
	"rows not in a list":    {sql: "SELECT COUNT(*) FROM t WHERE K NOT IN (" + harness.Series(5000, "'k%'", ", ") + ")", want: "2"},
	"61 tables":             {sql: "SELECT COUNT(*) FROM " + harness.Series(60, "(SELECT 1) t%", ", ") + ", t", want: "2"},
	"62 tables":             {sql: "SELECT COUNT(*) FROM " + harness.Series(62, "t t%", ", "), number: 1116},
	"62 joins":              {sql: "SELECT COUNT(*) FROM t JOIN " + harness.Series(61, "t t%", " JOIN "), number: 1116},
	"4097 columns":          {sql: "SELECT 1" + strings.Repeat(", 1", 4096), number: 1117},
	"a megabyte of text":    {sql: "SELECT LENGTH('" + strings.Repeat("x", 1<<20) + "')", want: "1048576"},
	"a megabyte of comment": {sql: "SELECT 1 /* " + strings.Repeat("x", 1<<20) + " */", want: "1"},
	"a megabyte of digits":  {sql: "SELECT " + strings.Repeat("9", 1<<20) + " > 1", want: "1"},
	"a megabyte of a name":  {sql: "SELECT " + strings.Repeat("x", 1<<20), number: 1054},
	"a broken keyword":      {sql: "SEL\xffECT 1", number: 1064},
	"a broken name":         {sql: "SELECT `\xff\xfe` FROM t", number: 1064},
	"a broken alias":        {sql: "SELECT 7 AS `\xff\xfe`", number: 1064},
	"a broken text":         {sql: "SELECT HEX('\xc3\x28')", want: "C328"},
	"a NUL":                 {sql: "SELECT 1\x00", number: 1064},
	"a NUL in a text":       {sql: "SELECT LENGTH('a\x00b')", want: "3"},
	"letters of the world":  {sql: "SELECT `ключ` FROM (SELECT 5 AS ключ) 表", want: "5"},
	"a deep pattern":        {sql: "SELECT 'a' REGEXP '" + strings.Repeat("(", 5000) + "a" + strings.Repeat(")", 5000) + "'", number: 1139},
	"a slow pattern":        {sql: "SELECT '" + strings.Repeat("a", 2000) + "' LIKE '" + strings.Repeat("%a", 500) + "b'", want: "0"},
	"a deep document":       {sql: "SELECT JSON_LENGTH('" + strings.Repeat("[", 50000) + strings.Repeat("]", 50000) + "') IS NULL", want: "1"},
	"a long repeat":         {sql: "SELECT REPEAT('a', 1000000000000) IS NULL", want: "1"},
}

func TestHugeStatements(t *testing.T) {
	db, err := sql.Open("hbasekv", ":memory:")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	_, err = db.Exec("CREATE TABLE t " + suite.FourColumns + " PARTITION BY KEY(K) PARTITIONS 7")
	require.NoError(t, err)
	_, err = db.Exec("INSERT INTO t VALUES ('a', 'q', 1, 'v'), ('b', 'q', 1, 'v')")
	require.NoError(t, err)
	for name, c := range hugeStatements {
		t.Run(name, func(t *testing.T) {
			var got string
			err := db.QueryRow(c.sql).Scan(&got)
			if c.number != 0 {
				require.Equal(t, c.number, harness.ErrorNumber(err), "%v", err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}
