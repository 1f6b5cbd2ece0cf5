package parse_test

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xwb1989/sqlparser"

	"github.com/hbasekv/hbasekv/sqlfront/parse"
)

func TestLift(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"INSERT INTO t VALUES ('a', 'b', 5, 'c')", "INSERT INTO t VALUES(?,?,?,?) | 'a' 'b' 5 'c'"},
		{"insert into t(K,Q,T,V) values('a','b',-5,NULL),(\"x\"\"y\",'it''s\\n',007,_binary'\\0')",
			`insert into t(K,Q,T,V) values(?,?,?,NULL),(?,?,?,?) | 'a' 'b' -5 'x"y' 'it's` + "\n' 7 b'\x00'"},
		{"REPLACE t VALUE ('', DEFAULT, 1, 2) ;", "REPLACE t VALUE(?,DEFAULT,?,?) ; | '' 1 2"},
		{"/* c */ INSERT INTO t VALUES ('a')", ""},
		{" \n INSERT /*+ VERSIONS(ALL) */ IGNORE INTO `values` PARTITION (p0) (K) VALUES ('a') ON DUPLICATE KEY UPDATE V = 'x'",
			"INSERT /*+ VERSIONS(ALL) */ IGNORE INTO `values` PARTITION (p0) (K) VALUES(?) ON DUPLICATE KEY UPDATE V = 'x' | 'a'"},
		{"INSERT INTO t VALUES ('a') AS new(x)", "INSERT INTO t VALUES(?) AS new(x) | 'a'"},
		{"INSERT INTO t VALUES ('a' /* why */, -- so\n 'b')", "INSERT INTO t VALUES(?,?) | 'a' 'b'"},
		// Not these.
		{"INSERT INTO t VALUES ('a' 'b')", ""},
		{"INSERT INTO t VALUES ('a', 1.5)", ""},
		{"INSERT INTO t VALUES ('a', X'00')", ""},
		{"INSERT INTO t VALUES ('a', - 5)", ""},
		{"INSERT INTO t VALUES ('a', 1 + 1)", ""},
		{"INSERT INTO t VALUES ('a', 9223372036854775808)", ""},
		{"INSERT INTO t VALUES ('a', ?)", ""},
		{"INSERT INTO t VALUES ('a', NOW())", ""},
		{"INSERT INTO t VALUES ('a', NULL + 1)", ""},
		{"INSERT INTO t VALUES ('a', N'x')", ""},
		{"INSERT INTO t VALUES ('a', _binary X'41')", ""},
		{"INSERT INTO t VALUES ('a', /*!50000 'b', */ 'c')", ""},
		{"INSERT INTO t VALUES ROW('a')", ""},
		{"INSERT INTO t VALUES ()", ""},
		{"INSERT INTO t VALUES ('a',)", ""},
		{"INSERT INTO t VALUES ('a'", ""},
		{"INSERT INTO t VALUES ('a'),", ""},
		{"INSERT INTO t VALUES ('a", ""},
		{"INSERT INTO t SET K = VALUES('a')", ""},
		{"INSERT INTO t SELECT VALUES ('a')", ""},
		{"INSERT INTO t", ""},
		{"SELECT 'a'", ""},
		// Conditions.
		{"SELECT 1+1, 'a' FROM t WHERE K = 'a' AND Q='b'", "SELECT 1+1, 'a' FROM t WHERE K = ? AND Q=? | 'a' 'b'"},
		{" select * from t where `K` >= 'it''s' /* 'c' */ LIMIT 5", "select * from t where `K` >= ? /* 'c' */ LIMIT 5 | 'it's'"},
		{"SELECT V FROM t WHERE (T = -5 OR x.t<007) AND K NOT BETWEEN 'a' AND 'b'", "SELECT V FROM t WHERE (T = ? OR x.t<?) AND K NOT BETWEEN ? AND ? | -5 7 'a' 'b'"},
		{"DELETE FROM t WHERE K IN ('a', \"b\") AND T IN (1,-2) ORDER BY K", "DELETE FROM t WHERE K IN (?, ?) AND T IN (?,?) ORDER BY K | 'a' 'b' 1 -2"},
		{"DELETE /*+ VERSIONS(ALL) */ FROM t WHERE K LIKE 'a%';", "DELETE /*+ VERSIONS(ALL) */ FROM t WHERE K LIKE ?; | 'a%'"},
		{"UPDATE t SET V = 'x', T=5 WHERE V = 5 AND K = 'a'", "UPDATE t SET V = ?, T=? WHERE V = 5 AND K = ? | 'x' 5 'a'"},
		{"SELECT * FROM t WHERE K = 'a' AND LENGTH(V) > 5 AND K = 'b' 'c' AND T = 1 + 1", "SELECT * FROM t WHERE K = ? AND LENGTH(V) > 5 AND K = 'b' 'c' AND T = 1 + 1 | 'a'"},
		{"SELECT * FROM t WHERE Q = 'a' GROUP BY 1 HAVING K = 'b' ORDER BY K = 'c' LIMIT 1", "SELECT * FROM t WHERE Q = ? GROUP BY 1 HAVING K = 'b' ORDER BY K = 'c' LIMIT 1 | 'a'"},
		{"SELECT * FROM t WHERE T = 99999999999999999999 AND K = 'a'", "SELECT * FROM t WHERE T = 99999999999999999999 AND K = ? | 'a'"},
		{"SELECT * FROM t WHERE K LIKE 'a' ESCAPE '|'", ""},
		{"SELECT * FROM t WHERE K = X'00' AND Q IN (0x5, x'') AND T = X'31' AND A = X'41'", "SELECT * FROM t WHERE K = ? AND Q IN (?, ?) AND T = X'31' AND A = X'41' | b'\x00' b'\x05' b''"},
		{"SELECT * FROM t WHERE V = 5 AND T = 1.5 AND K = NULL AND Q = b'1'", ""},
		{"SELECT * FROM t WHERE K = 'a' IS TRUE", ""},
		{"SELECT * FROM t WHERE K = (SELECT 'a' FROM t WHERE K = 'b')", ""},
		{"SELECT * FROM t WHERE K = 'a' UNION SELECT 1", ""},
		{"SELECT * FROM t WHERE K = ? AND Q = 'a'", ""},
		{"SELECT * FROM t WHERE K = /*!50000 'b' */", ""},
		{"SELECT * FROM t WHERE K = 'a", ""},
		{"SELECT * FROM t WHERE K =", ""},
		{"SELECT * FROM t WHERE T = -", ""},
		{"SELECT * FROM t WHERE K IN (", ""},
		{"SELECT * FROM t WHERE K IN ('a'", ""},
		{"SELECT * FROM t WHERE K BETWEEN 'a'", ""},
		{"SELECT * FROM t WHERE T IN ('a', b)", ""},
		{"UPDATE t SET", ""},
		{"UPDATE t SET V = V + 1 WHERE LENGTH(K) = 5", ""},
		{"SELECT", ""},
		{"EXPLAIN SELECT * FROM t WHERE K = 'a'", ""},
		{"", ""},
	} {
		lifted, ok := parse.Lift(c.sql)
		got := ""
		if ok {
			got = lifted.Text + " |" + liftedText(lifted.Values)
		}
		require.Equal(t, c.want, got, c.sql)
	}
}

func liftedText(values []parse.LiftedValue) string {
	var s strings.Builder
	for _, v := range values {
		switch {
		case v.IsInt:
			fmt.Fprintf(&s, " %d", v.Int)
		case v.Binary:
			fmt.Fprintf(&s, " b'%s'", v.Bytes)
		default:
			fmt.Fprintf(&s, " '%s'", v.Bytes)
		}
	}
	return s.String()
}

func TestLiftLongLists(t *testing.T) {
	lists := func(column string, items int) (parse.Lifted, bool) {
		return parse.Lift("SELECT * FROM t WHERE " + column + " IN ('x'" + strings.Repeat(", 'x'", items-1) + ")")
	}
	for column, most := range map[string]int{"K": 256, "`q`": 256, "V": 8, "other": 8} {
		lifted, ok := lists(column, most)
		require.True(t, ok, column)
		require.Len(t, lifted.Values, most)
		_, ok = lists(column, most+1)
		require.False(t, ok, column)
	}
}

func TestShareable(t *testing.T) {
	for sql, want := range map[string]bool{
		"SELECT * FROM t WHERE K = ?":                                       true,
		"SELECT 'a' = K FROM d.t AS x WHERE x.K = ? AND NOT (Q > ? OR T=5)": true,
		"SELECT * FROM t PARTITION (p0) WHERE K IN (?, 'a') AND V LIKE ?":   true,
		"UPDATE t SET V = ?, Q = K WHERE K NOT BETWEEN ? AND ?":             true,
		"DELETE FROM t WHERE T < ? ORDER BY K LIMIT 5":                      true,
		"SELECT * FROM t WHERE K = 'a'":                                     false,
		"SELECT * FROM t WHERE K = ? + 1":                                   false,
		"SELECT * FROM t WHERE K + 1 = ?":                                   false,
		"SELECT * FROM t WHERE (K = ?) + 1":                                 false,
		"SELECT * FROM t WHERE K = ? IS TRUE":                               false,
		"SELECT * FROM t WHERE K = ? XOR Q = 'a'":                           false,
		"SELECT * FROM t WHERE K <=> ?":                                     false,
		"SELECT * FROM t WHERE ? = K":                                       false,
		"SELECT * FROM t WHERE (K, Q) = (?, ?)":                             false,
		"SELECT * FROM t WHERE K LIKE ? ESCAPE ?":                           false,
		"SELECT * FROM t WHERE K REGEXP ?":                                  false,
		"SELECT * FROM t WHERE K = ? LIMIT ?":                               false,
		"SELECT * FROM t ORDER BY K = ?":                                    false,
		"SELECT ? FROM t WHERE K = ?":                                       false,
		"SELECT * FROM t, u WHERE K = ?":                                    false,
		"SELECT * FROM t JOIN u ON t.K = u.K WHERE t.K = ?":                 false,
		"SELECT * FROM (SELECT * FROM t) AS x WHERE K = ?":                  false,
		"WITH c AS (SELECT 1 AS K) SELECT * FROM c WHERE K = ?":             false,
		"SELECT 1 UNION SELECT 2 FROM t WHERE K = ?":                        false,
		"SELECT * FROM t WHERE K IN (SELECT K FROM t WHERE Q = ?)":          false,
		"UPDATE t SET V = V + ? WHERE K = ?":                                false,
		"UPDATE t SET V = ? WHERE K = ? LIMIT ?":                            false,
		"INSERT INTO t VALUES (?)":                                          false,
	} {
		p, err := parse.Parse(sql)
		require.NoError(t, err, sql)
		table, got := parse.Shareable(p)
		require.Equal(t, want, got, sql)
		if want {
			require.Equal(t, "t", table.Name.String())
		}
	}
}

// FuzzLift: what is lifted parses as the text does, with as many placeholders
// as values, into the same tree but for the literals.
func FuzzLift(f *testing.F) {
	for _, sql := range []string{
		"INSERT INTO t VALUES ('a', 'b', 5, 'c'), (-1, NULL, DEFAULT, _binary'x')",
		"REPLACE t(K) VALUE (\"x\") ON DUPLICATE KEY UPDATE V = VALUES(V)",
		"INSERT INTO t VALUES ('a') /*! , ('b') */",
		"SELECT 1+1, 'a' FROM t WHERE K = 'a\\'b' AND (Q='b' OR T > -007) LIMIT 5",
		"select * from t where `K` not in ('a', \"b\") || T in (1,-2) /* 'c' */ -- d\n order by K",
		"SELECT * FROM t WHERE K BETWEEN 'a' AND 'b' AND V LIKE 'a\\%' ESCAPE '|' FOR UPDATE",
		"UPDATE t SET V = 'x', T=5 WHERE V = 5 AND K = 'a';",
		"SELECT * FROM t WHERE K = X'6b31' AND T = X'31' AND V BETWEEN 0x1 AND x''",
		"DELETE FROM t WHERE K LIKE 'a%' AND K = 'b' 'c' AND T = 1 - 1 AND T = 1 = 1",
	} {
		f.Add(sql)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		lifted, ok := parse.Lift(sql)
		if !ok {
			return
		}
		whole, wholeErr := parse.Parse(sql)
		short, err := parse.Parse(lifted.Text)
		if !lifted.Rows {
			if err != nil {
				return
			}
			if _, ok := parse.Shareable(short); !ok {
				return
			}
		}
		require.Equal(t, wholeErr == nil, err == nil, "%q: %v, %q: %v", sql, wholeErr, lifted.Text, err)
		if err == nil {
			require.Equal(t, 0, whole.NumParams)
			require.Len(t, lifted.Values, short.NumParams)
			require.Equal(t, tree(whole, nil), tree(short, lifted.Values), "%q, %q", sql, lifted.Text)
			require.Equal(t, whole.Warnings, short.Warnings)
		}
	})
}

// tree prints a statement with its literals, and those that were lifted, in one
// notation.
func tree(p *parse.Parsed, values []parse.LiftedValue) string {
	var node sqlparser.SQLNode
	switch st := p.Stmt.(type) {
	case *parse.Select:
		node = st.Node
	case *parse.Insert:
		node = st.Node
	case *parse.Update:
		node = st.Node
	case *parse.Delete:
		node = st.Node
	}
	buf := sqlparser.NewTrackedBuffer(func(buf *sqlparser.TrackedBuffer, node sqlparser.SQLNode) {
		switch n := node.(type) {
		case *parse.Literal:
			fmt.Fprintf(buf, "%d%q", n.Kind, n.Bytes)
			return
		case *parse.Param:
			printLifted(buf, values[n.Index])
			return
		case *parse.Number:
			if i, err := strconv.ParseInt(n.Text, 10, 64); err == nil && n.Int {
				fmt.Fprint(buf, i)
				return
			}
		}
		node.Format(buf)
	})
	buf.Myprintf("%v", node)
	return buf.String()
}

func printLifted(w io.Writer, v parse.LiftedValue) {
	switch {
	case v.IsInt:
		fmt.Fprint(w, v.Int)
	case v.Binary:
		fmt.Fprintf(w, "%d%q", parse.LitBytes, v.Bytes)
	default:
		fmt.Fprintf(w, "%d%q", parse.LitString, v.Bytes)
	}
}
