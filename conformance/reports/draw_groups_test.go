package reports

import (
	"strings"

	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// sameGroups are two or three derived tables that group one table by the same columns, joined
// by these. The clause versions follows the table in the second one.
func (g *reportGen) sameGroups(versions string) reported {
	table := g.of("f", "f", "h")
	by := [][]string{{"K"}, {"K"}, {"K"}, {"K", "Q"}, {"V"}, {"Q"}}[g.r.IntN(6)]
	out := g.groupsBy(table, "a", by)
	var asked []string
	for at, alias := range []string{"b", "c"}[:1+g.r.IntN(4)/3] {
		next := g.groupsBy(table+[]string{versions, ""}[at], alias, by)
		var equal []string
		for _, column := range by {
			x, y := g.of("a", "abc"[at:at+1])+"."+column, alias+"."+column
			if g.one(2) {
				x, y = y, x
			}
			equal = append(equal, x+" = "+y)
		}
		on := strings.Join(equal, " AND ")
		switch g.r.IntN(10) {
		case 0, 1, 2:
			out.from += g.of(" LEFT JOIN ", " LEFT JOIN ", " RIGHT JOIN ") + next.from + " ON " + on
		case 3:
			out.from += " LEFT JOIN " + next.from + " ON " + on + " AND " + alias + g.of(".n > 1", ".most IS NOT NULL", ".at <> a.at")
		case 4, 5:
			out.from += " CROSS JOIN " + next.from
			asked = append(asked, on)
		case 6:
			out.from += " JOIN " + next.from + " ON " + on + " AND " + alias + g.of(".n <> a.n", ".most > a.least", ".sum > 3", ".at < a.at")
		case 7:
			out.from = next.from + " LEFT JOIN (" + out.from + ") ON " + on
		default:
			out.from += " JOIN " + next.from + " ON " + on
		}
		out.unique, out.all = append(out.unique, next.unique...), append(out.all, next.all...)
		out.names, out.numbers = append(out.names, next.names...), append(out.numbers, next.numbers...)
		if where := out.where; g.one(2) {
			out.where = func() string { return g.of(where(), next.where()) }
		}
	}
	out.always = strings.Join(asked, " AND ")
	return out
}

// groupsBy are groups of a table by columns, usually ones that neither warn nor fail.
func (g *reportGen) groupsBy(table, alias string, by []string) reported {
	p := alias + "."
	columns := strings.Join(by, ", ")
	picked := g.of("carrier", "delay", "dist", "dest", "note")
	inner := "SELECT " + columns + ", " + g.of("COUNT(*)", "COUNT("+g.pick(picked, "V")+")", "SUM(Q = '"+picked+"')", "COUNT(DISTINCT V)", "COUNT(V)") + " AS n, " +
		g.of("MAX(V)", "MAX("+g.pick(picked, "V")+")", "MIN("+g.pick(picked, "V")+")", "MAX(CASE WHEN V > '2' THEN Q END)") + " AS most, " +
		g.of("MIN(V)", "MIN("+g.pick("delay", "V")+")", "MAX(CASE Q WHEN 'dist' THEN V WHEN 'delay' THEN Q END)") + " AS least, " +
		g.of("MAX(T)", "MIN(T)", "MAX("+g.pick("delay", "T")+")", "SUM(T)") + " AS at, " +
		g.of("SUM(LENGTH(V))", "COUNT(*) * 2", "SUM(CASE WHEN Q = 'delay' THEN 1 ELSE 0 END)", "MAX(CASE WHEN Q <> 'note' THEN T END)", "MIN(T)", "SUM(T)") + " AS sum FROM " + table
	if g.one(2) {
		inner += " WHERE " + g.of("Q = 'delay'", "Q = 'carrier'", "Q IN ('dist', 'delay')", "Q = 'dest' AND V > 'b'", "Q <> 'note'", "K > 'b'", "K > 'b'",
			"K LIKE 'ams%' AND Q = 'delay'", "T > 1706745600000", "V <> ''", "V IS NOT NULL", "V > 30")
	}
	inner += " GROUP BY " + columns
	if g.one(5) {
		inner += " HAVING " + g.of("n > 1", "most IS NOT NULL", "least > '1'", "COUNT(*) = 2", "at > 1706745600000 AND n < 3", "sum > '7'")
	}
	out := reported{from: "(" + inner + ") " + alias, names: []string{p + "n", p + "most", p + "least"}, numbers: []string{p + "n", p + "at", p + "sum", p + "n + " + p + "sum"},
		all: []string{p + "n", p + "most", p + "least", p + "at", p + "sum"}, where: func() string {
			return g.of(p+"n > 1", p+"most IS NULL", p+"most > 'b'", p+"least IS NOT NULL", p+"at > 1706745600000", p+by[0]+" > 'b'", p+by[0]+" LIKE 'a%'", p+"most > 30", p+"sum + 0 > 2")
		}}
	for _, column := range by {
		out.unique, out.all = append(out.unique, p+column), append(out.all, p+column)
	}
	return out
}

// besideGroups are cells, or groups, each beside a subquery over groups.
func (g *reportGen) besideGroups() oracle.Generated {
	by := g.of("K", "V", "V", "Q")
	groups := g.groupsBy(g.of("f", "h", "h"), "d", []string{by})
	if g.one(4) {
		groups.from, by = "(SELECT DISTINCT Q, LENGTH(V) AS n, V AS most, LEFT(K, 3) AS least, 1 AS at, V AS sum FROM h"+g.of("", " UNION SELECT Q, 1, V, Q, T, 2 FROM f")+") d", "Q"
	}
	s := g.cells("h a", "a.")
	column := g.of("a.K", "a.V", "a.Q", "a.T")
	if g.one(3) {
		s = g.groupsBy("h", "a", []string{"K"})
		column = g.of(s.all...)
	}
	cond := g.of("d."+by+" = "+column, "d."+by+" = "+column+" AND "+groups.where(), "d.n > LENGTH("+column+")", "d.n = LENGTH("+column+")",
		"d.most "+g.of(">", "=", "<=")+" "+column, "d."+by+" < "+column+" AND d.most = "+column)
	from := " FROM " + groups.from + " WHERE " + cond
	if g.one(2) {
		return oracle.Generated{SQL: "SELECT " + strings.Join(s.unique, ", ") + ", (SELECT " + g.of("COUNT(*)", "MAX(d.n)", "MIN(d.most)", "SUM(d.n)", "COUNT(DISTINCT d.least)") + from + ") AS x FROM " + s.from + g.filter(s), Ordered: false}
	}
	return oracle.Generated{SQL: "SELECT " + g.of(s.names...) + " AS g, COUNT(*) FROM " + s.from + " WHERE " + g.of("EXISTS (SELECT 1", "NOT EXISTS (SELECT 1", column+" IN (SELECT d.most",
		column+" >= ALL (SELECT d.least", "2 < (SELECT COUNT(*)", "(SELECT MAX(d.n)") + from + ") GROUP BY g", Ordered: false}
}

// sessions are groups of rows by the partitions of windows, and runs of rows each of which
// follows soon after the one before.
func (g *reportGen) sessions() oracle.Generated {
	by := g.of("K", "K", "Q", "K, Q")
	over := " OVER (PARTITION BY " + by + " ORDER BY T, K, Q)"
	soon := "IF(T - LAG(T)" + over + g.of(" < 90000", " < 86400000", " IS NOT NULL") + ", 0, 1) AS new"
	rows := "SELECT K, Q, T, V, " + soon + " FROM " + g.of(oracle.ReportTables...) + g.of("", " WHERE Q <> 'note'", " WHERE T > 1706745600000", " WHERE K LIKE 'ams%'")
	ordered := g.of("", " ORDER BY "+by)
	if g.one(2) {
		return oracle.Generated{SQL: "SELECT " + by + ", SUM(new), COUNT(*), " + g.of("MAX(V)", "MIN(T)", "SUM(T * new)") + " FROM (" + rows + ") s GROUP BY " + by +
			g.of("", " HAVING SUM(new) > 1") + ordered, Ordered: ordered != ""}
	}
	runs := "SELECT K, Q, T, V, SUM(new)" + over + " AS run FROM (" + rows + ") s"
	return oracle.Generated{SQL: "SELECT " + by + ", run, COUNT(*), MIN(T), MAX(T) FROM (" + runs + ") r GROUP BY " + by + ", run" + strings.Replace(ordered, by, by+", run", 1), Ordered: ordered != ""}
}
