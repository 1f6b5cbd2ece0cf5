package subqueries

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// jsonTableGen draws documents, and JSON_TABLE calls on them.
type jsonTableGen struct{ memberGen }

// document returns a document of objects, arrays and scalars. Numbers have no exponent and texts
// are short, so that both servers print them alike.
func (g jsonTableGen) document(depth int) string {
	if depth == 0 || g.IntN(4) == 0 {
		return g.one("1", "-20", "2.5", "true", "false", "null", `"x"`, `"7"`, `""`, `"2024-01-02"`, `"12y"`)
	}
	var parts []string
	object := g.IntN(2) == 0
	for i := range g.IntN(4) {
		part := g.document(depth - 1)
		if object {
			part = fmt.Sprintf(`"%c": %s`, 'a'+rune(i), part)
		}
		parts = append(parts, part)
	}
	if object {
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (g jsonTableGen) path() string {
	return "'$" + g.one("", "[*]", "[*]", ".a", ".b", ".a[*]", ".b[*]", "[0]", "[1]", ".*", ".c.a") + "'"
}

// columns returns the columns of one level, whose names have the same prefix.
func (g jsonTableGen) columns(prefix string, depth int) string {
	var out []string
	for i := range 1 + g.IntN(3) {
		name := fmt.Sprintf("%s%d", prefix, i)
		switch g.IntN(6) {
		case 0:
			out = append(out, name+" FOR ORDINALITY")
		case 1:
			out = append(out, name+" INT EXISTS PATH "+g.path())
		default:
			out = append(out, name+" "+g.one("VARCHAR(30)", "VARCHAR(30)", "DECIMAL(9,2)", "DOUBLE", "VARCHAR(3)")+" PATH "+g.path()+
				g.one("", "", " DEFAULT '5' ON EMPTY", " NULL ON EMPTY", " DEFAULT '6' ON ERROR", " DEFAULT '5' ON EMPTY DEFAULT '6' ON ERROR"))
		}
	}
	if depth > 0 {
		for i := range g.IntN(3) {
			out = append(out, "NESTED PATH "+g.path()+" COLUMNS ("+g.columns(fmt.Sprintf("%s%c", prefix, 'n'+rune(i)), depth-1)+")")
		}
	}
	return strings.Join(out, ", ")
}

func (g jsonTableGen) statement() string {
	table := "JSON_TABLE(t.V, " + g.path() + " COLUMNS (" + g.columns("c", 2) + ")) j"
	return "SELECT t.K, j.* FROM t " + g.one("JOIN ", "LEFT JOIN ") + table + " ON " + g.one("TRUE", "t.K > 'k03'")
}

// TestLiveJSONTables compares JSON_TABLE with MariaDB's.
func TestLiveJSONTables(t *testing.T) {
	if *harness.MariaDB == "" {
		t.Skip("-mariadb names no server")
	}
	g := jsonTableGen{memberGen{rand.New(rand.NewPCG(testseed.Of(t), 7))}}
	peer, db := oracle.OpenMariaDB(t), harness.OpenDB(t, ":memory:")
	harness.Must(t, peer, "DROP TABLE IF EXISTS t", "CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V text CHARACTER SET utf8mb4, PRIMARY KEY (K, Q, T))", "SET sql_mode = ''")
	harness.Must(t, db, "CREATE TABLE t (K varbinary(64), Q varbinary(64), T bigint, V varbinary(60000), PRIMARY KEY (K, Q, T))")
	for range 10 * *memberN {
		harness.Must(t, peer, "DELETE FROM t")
		harness.Must(t, db, "DELETE FROM t")
		for i := range 6 {
			row := fmt.Sprintf("INSERT INTO t VALUES ('k%02d', 'd', 1, '%s')", i, g.document(3))
			harness.Must(t, peer, row)
			harness.Must(t, db, row)
		}
		text := g.statement()
		want, err := harness.TryLines(peer, text)
		require.NoError(t, err, text)
		documents := strings.Join(harness.Lines(t, db, "SELECT K, V FROM t"), "\n")
		got := harness.Lines(t, db, text)
		slices.Sort(want)
		slices.Sort(got)
		require.Equal(t, want, got, "%s\n%s", text, documents)
	}
}
