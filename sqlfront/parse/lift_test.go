package parse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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

// FuzzLift: what is lifted parses as the text does, with as many placeholders
// as values.
func FuzzLift(f *testing.F) {
	for _, sql := range []string{
		"INSERT INTO t VALUES ('a', 'b', 5, 'c'), (-1, NULL, DEFAULT, _binary'x')",
		"REPLACE t(K) VALUE (\"x\") ON DUPLICATE KEY UPDATE V = VALUES(V)",
		"INSERT INTO t VALUES ('a') /*! , ('b') */",
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
		require.Equal(t, wholeErr == nil, err == nil, "%q: %v, %q: %v", sql, wholeErr, lifted.Text, err)
		if err == nil {
			require.Equal(t, 0, whole.NumParams)
			require.Len(t, lifted.Values, short.NumParams)
		}
	})
}
