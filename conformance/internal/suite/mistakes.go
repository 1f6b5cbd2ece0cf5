package suite

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// goodStatements have a space between all tokens. They read and write the
// tables o, p and r.
var goodStatements = []string{
	"SELECT K , V FROM o WHERE K = 'a' AND LENGTH ( V ) > 0 ORDER BY K , LENGTH ( Q ) LIMIT 3",
	"SELECT K , COUNT ( * ) AS n , MAX ( V ) FROM o WHERE T > 0 GROUP BY K HAVING COUNT ( * ) > 1 AND LENGTH ( K ) >= 0 ORDER BY n , K",
	"SELECT LEFT ( K , 1 ) AS c , SUM ( T ) FROM o GROUP BY c ORDER BY c",
	"SELECT o.K , p.V FROM o JOIN p ON o.K = p.K AND LENGTH ( p.V ) > 0 WHERE o.T > 1 ORDER BY o.K , p.Q",
	"SELECT o.K , p.V , r.T FROM o LEFT JOIN p ON o.K = p.K LEFT JOIN r ON r.K = p.K WHERE r.Q IS NULL GROUP BY o.K , p.V , r.T HAVING COUNT ( r.V ) = 0",
	"SELECT a.K , b.Q FROM o AS a JOIN p AS b USING ( K ) WHERE CONCAT ( a.V , b.V ) <> '' ORDER BY a.T",
	"SELECT o.Q , COUNT ( DISTINCT p.K ) FROM o JOIN p ON p.Q = o.Q GROUP BY o.Q ORDER BY 2 , 1",
	"SELECT K FROM o WHERE K IN ( SELECT K FROM p WHERE LENGTH ( V ) > 1 ) ORDER BY K",
	"SELECT K FROM o WHERE V = ( SELECT V FROM p ORDER BY V LIMIT 1 ) AND EXISTS ( SELECT r.T FROM r WHERE r.K = o.K )",
	"SELECT K , ( SELECT MAX ( V ) FROM p WHERE p.K = o.K ) AS m FROM o ORDER BY m , K",
	"SELECT d.c , d.n FROM ( SELECT K AS c , COUNT ( * ) AS n FROM o GROUP BY K ) AS d WHERE d.n > 1 AND UPPER ( d.c ) <> 'X' ORDER BY d.n",
	"SELECT K , Q FROM o WHERE T > 1 UNION SELECT K , V FROM p WHERE LENGTH ( Q ) = 1 ORDER BY K , 2",
	"SELECT DISTINCT K FROM o WHERE ( K , Q ) IN ( ( 'a' , 'b' ) , ( 'c' , 'd' ) ) ORDER BY K",
	"SELECT CASE WHEN T > 1 THEN K ELSE Q END AS x , IFNULL ( V , 'none' ) FROM o ORDER BY x",
	"UPDATE o SET V = CONCAT ( K , Q ) , T = T + 1 WHERE K = 'zz' AND LENGTH ( V ) > 0 ORDER BY Q LIMIT 1",
	"UPDATE o SET V = ( SELECT MAX ( V ) FROM p WHERE p.K = o.K ) WHERE K = 'zz'",
	"DELETE FROM o WHERE K = 'zz' AND LENGTH ( V ) > 0 ORDER BY Q LIMIT 1",
	"DELETE FROM o WHERE K IN ( SELECT K FROM p WHERE Q = 'zz' )",
	"INSERT INTO o ( K , Q , T , V ) VALUES ( 'n1' , UPPER ( 'q' ) , 1 , LENGTH ( 'v' ) )",
	"INSERT INTO o ( K , Q , T , V ) VALUES ( 'n2' , 'q' , 1 , 'v' ) , ( 'n3' , 'q' , 1 , 'v' ) ON DUPLICATE KEY UPDATE V = CONCAT ( V , VALUES ( V ) ) , T = T",
	"INSERT INTO o SET K = 'n4' , Q = 'q' , T = LENGTH ( 'x' ) , V = 'v'",
	"INSERT INTO o ( K , Q , T , V ) SELECT CONCAT ( K , 'new' ) , Q , MAX ( T ) , MAX ( V ) FROM p GROUP BY K , Q",
	"REPLACE INTO o ( K , Q , T , V ) SELECT K , Q , T , V FROM r WHERE LENGTH ( V ) > 100",
	"SELECT x.K , y.n FROM o AS x JOIN ( SELECT Q , COUNT ( * ) AS n FROM p GROUP BY Q ) AS y ON y.Q = x.Q WHERE y.n > 0 GROUP BY x.K , y.n",
	"SELECT GROUP_CONCAT ( K ORDER BY Q ) , AVG ( T ) FROM o WHERE V LIKE 'x%' HAVING COUNT ( * ) >= 0",
}

// mistakes are the mistakes to make at token i; they return nil if the mistake
// cannot be made there.
var mistakes = map[string]func(tokens []string, i int) []string{
	"unknown name": func(tokens []string, i int) []string {
		if isName(tokens[i]) {
			return replaced(tokens, i, i+1, "nope")
		}
		return nil
	},
	"unknown qualifier": func(tokens []string, i int) []string {
		if _, column, ok := strings.Cut(tokens[i], "."); ok {
			return replaced(tokens, i, i+1, "nope."+column)
		}
		return nil
	},
	"unknown column of a table": func(tokens []string, i int) []string {
		if table, _, ok := strings.Cut(tokens[i], "."); ok {
			return replaced(tokens, i, i+1, table+".nope")
		}
		return nil
	},
	"no qualifier": func(tokens []string, i int) []string {
		if _, column, ok := strings.Cut(tokens[i], "."); ok {
			return replaced(tokens, i, i+1, column)
		}
		return nil
	},
	"unknown function": func(tokens []string, i int) []string {
		if called(tokens, i) {
			return replaced(tokens, i, i+1, "NOPE")
		}
		return nil
	},
	"no arguments": func(tokens []string, i int) []string {
		if called(tokens, i) && tokens[i] != "GROUP_CONCAT" && tokens[i] != "VALUES" {
			return replaced(tokens, i+2, closing(tokens, i+1))
		}
		return nil
	},
	"argument too many": func(tokens []string, i int) []string {
		if called(tokens, i) && tokens[i] != "CONCAT" && tokens[i] != "GROUP_CONCAT" && tokens[i] != "VALUES" {
			end := closing(tokens, i+1)
			return replaced(tokens, end, end, ",", "1", ",", "2")
		}
		return nil
	},
	"aggregate": func(tokens []string, i int) []string {
		if len(tokens[i]) == 1 && strings.Contains("KQTV", tokens[i]) {
			return replaced(tokens, i, i+1, "MAX", "(", tokens[i], ")")
		}
		return nil
	},
	"no GROUP BY": func(tokens []string, i int) []string {
		if tokens[i] != "GROUP" {
			return nil
		}
		end := i + 2
		for end < len(tokens) && !slices.Contains([]string{"HAVING", "ORDER", ")"}, tokens[end]) {
			end++
		}
		return replaced(tokens, i, end)
	},
	"no LIMIT": func(tokens []string, i int) []string {
		if tokens[i] == "LIMIT" {
			return replaced(tokens, i, i+2)
		}
		return nil
	},
	"column too many": func(tokens []string, i int) []string {
		if tokens[i] == "SELECT" {
			return replaced(tokens, i+1, i+1, "1", ",")
		}
		return nil
	},
	"value too many": func(tokens []string, i int) []string {
		if tokens[i] == "VALUES" && tokens[i+2] != "V" {
			return replaced(tokens, i+2, i+2, "1", ",")
		}
		return nil
	},
	"alias taken": func(tokens []string, i int) []string {
		if i > 0 && tokens[i-1] == "AS" && isName(tokens[i]) {
			return replaced(tokens, i, i+1, "o")
		}
		return nil
	},
	"no alias": func(tokens []string, i int) []string {
		if tokens[i] == "AS" && tokens[i-1] == ")" {
			return replaced(tokens, i, i+2)
		}
		return nil
	},
	"twice": func(tokens []string, i int) []string {
		if isName(tokens[i]) && i > 0 && (tokens[i-1] == "(" || tokens[i-1] == ",") {
			return replaced(tokens, i, i, tokens[i], ",")
		}
		return nil
	},
	"row for a value": func(tokens []string, i int) []string {
		if i > 0 && strings.Contains("= > <> ,", tokens[i-1]) && isName(tokens[i]) {
			return replaced(tokens, i, i+1, "(", tokens[i], ",", "1", ")")
		}
		return nil
	},
	"position beyond": func(tokens []string, i int) []string {
		if tokens[i] == "BY" {
			return replaced(tokens, i+1, i+1, "9", ",")
		}
		return nil
	},
	"subquery of many rows": func(tokens []string, i int) []string {
		if strings.HasPrefix(tokens[i], "'") && i > 0 && tokens[i-1] == "=" {
			return replaced(tokens, i, i+1, "(", "SELECT", "r.K", "FROM", "r", ")")
		}
		return nil
	},
}

// isName is true for names of columns, tables and aliases.
func isName(token string) bool {
	return strings.Trim(token, "abcdmnoprxyKQTV.") == "" && token != "." && len(token) <= 3
}

func called(tokens []string, i int) bool {
	return i+1 < len(tokens) && tokens[i+1] == "(" && strings.ToUpper(tokens[i]) == tokens[i] && len(tokens[i]) > 2 &&
		!slices.Contains([]string{"IN", "USING", "VALUES", "JOIN", "FROM", "EXISTS", "WHERE"}, tokens[i])
}

// closing is the parenthesis that closes the one at i.
func closing(tokens []string, i int) int {
	for depth := 0; ; i++ {
		switch tokens[i] {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return i
			}
		}
	}
}

func replaced(tokens []string, from, to int, by ...string) []string {
	return slices.Concat(tokens[:from], by, tokens[to:])
}

// BadStatements are all mistakes in all statements.
func BadStatements() []string {
	var out []string
	for _, good := range goodStatements {
		tokens := strings.Split(good, " ")
		for i := range tokens {
			for _, mistake := range mistakes {
				if bad := mistake(tokens, i); bad != nil {
					// MySQL allows no space between a function's name and its
					// parenthesis.
					out = append(out, strings.ReplaceAll(strings.Join(bad, " "), " ( ", "("))
				}
			}
		}
	}
	for i, text := range out {
		for _, word := range []string{"IN", "VALUES", "USING", "FROM", "JOIN", "EXISTS", "o", "=", ",", "WHERE", "AND", "TABLE"} {
			text = strings.ReplaceAll(text, " "+word+"(", " "+word+" (")
		}
		out[i] = text
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// spoken are the errors whose messages must be alike: they contain the words
// that say what is wrong, and in which clause.
var spoken = []uint16{1052, 1054, 1060, 1066, 1110, 1111, 1136, 1222, 1241, 1242, 1248, 1364, 1582}

// clauses replaces MariaDB's words with MySQL's.
var clauses = strings.NewReplacer("'SELECT'", "'field list'", "'WHERE'", "'where clause'", "'GROUP BY'", "'group statement'",
	"'ORDER BY'", "'order clause'", "'HAVING'", "'having clause'", "'ON'", "'on clause'", "'INSERT INTO'", "'field list'",
	"'UPDATE'", "'field list'", "'SET'", "'field list'", "'FROM'", "'from clause'", "'IN/ALL/ANY'", "'IN/ALL/ANY subquery'",
	"in SELECT is", "in field list is", "in WHERE is", "in where clause is", "in GROUP BY is", "in group statement is",
	"in ORDER BY is", "in order clause is", "in HAVING is", "in having clause is", "in ON is", "in on clause is",
	"in IN/ALL/ANY is", "in IN/ALL/ANY subquery is")

// Complaint is a database's error for a statement, which is rolled back.
func Complaint(t *testing.T, db *sql.DB, text string) string {
	t.Helper()
	tx, err := db.Begin()
	require.NoError(t, err)
	defer tx.Rollback()
	rows, err := tx.Query(text)
	if err == nil {
		_, err = harness.PrintRows(rows)
	}
	if err == nil {
		return "0"
	}
	e, ok := err.(*mysql.MySQLError)
	require.True(t, ok, "%s: %v", text, err)
	if slices.Contains(spoken, e.Number) {
		said, _, _ := strings.Cut(e.Message, " (at position")
		return fmt.Sprintf("%d %s", e.Number, clauses.Replace(said))
	}
	return fmt.Sprint(e.Number)
}
