package reports

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
)

// reportGen draws SELECTs like those of report tools: groups of cells, and
// pivots with whatever may be above them. Only a total order is an order.
type reportGen struct{ r *rand.Rand }

func (g *reportGen) of(choices ...string) string { return choices[g.r.IntN(len(choices))] }

func (g *reportGen) one(of int) bool { return g.r.IntN(of) == 0 }

func (g *reportGen) statement() oracle.Generated {
	switch g.r.IntN(20) {
	case 19:
		return g.besideGroups()
	case 18:
		return g.sessions()
	case 0, 1, 2, 3:
		return g.groups(g.cells(g.relation(), ""))
	case 4, 5, 6, 7:
		return g.groups(g.pivots())
	case 8, 9:
		return g.list(g.pivots())
	case 10:
		return g.list(g.cells("f", ""))
	case 11:
		return g.joinedCells()
	case 12:
		return g.percentiles()
	case 13:
		return g.overMonths()
	case 14:
		return g.nested()
	case 15, 16:
		return g.chosen()
	}
	return g.totals()
}

// reported is a FROM clause, and what may be selected from it.
type reported struct {
	from    string
	unique  []string // columns that are unique together
	names   []string // columns to group by
	numbers []string
	all     []string
	where   func() string
	always  string // a condition on all rows; "" for none
}

// cells are the cells of a table.
func (g *reportGen) cells(table, prefix string) reported {
	k, q, t, v := prefix+"K", prefix+"Q", prefix+"T", prefix+"V"
	seconds := "FROM_UNIXTIME(" + t + " DIV 1000)"
	return reported{
		from:   table,
		unique: []string{k, q, t},
		names: []string{"LEFT(" + k + ", 3)", "LEFT(" + k + ", 1)", "SUBSTR(" + k + ", 1, 5)", "SUBSTRING_INDEX(" + k + ", '#', 1)", k, q, q,
			"HOUR(" + seconds + ")", t + " DIV 86400000", t + " DIV 3600000 % 24", "DATE(FROM_UNIXTIME(" + t + " / 1000))",
			"DATE_FORMAT(" + seconds + ", '%Y-%m')", "DATE_FORMAT(" + seconds + ", '%H')", "DATE_FORMAT(FROM_UNIXTIME(" + t + " / 1000), '%W %k')",
			"FROM_UNIXTIME(" + t + " DIV 1000, '%x-%v')", "WEEKDAY(" + seconds + ")", "MONTH(" + seconds + ")", "QUARTER(" + seconds + ")",
			v, "LENGTH(" + v + ")", "CASE WHEN " + v + " > 60 THEN 'late' WHEN " + v + " > 0 THEN 'soon' ELSE 'fine' END",
			"IF(" + q + " = 'delay', " + v + ", NULL)", q + " IN ('delay', 'dist')", "FLOOR(" + v + " / 50)", v + " DIV 10",
			"CONCAT(LEFT(" + k + ", 2), '-', " + q + ")", t + " / 100000000", "UPPER(" + v + ")", "YEARWEEK(" + seconds + ")"},
		numbers: []string{v, v, v, t, v + " + 0", "LENGTH(" + v + ")", "CAST(" + v + " AS SIGNED)", "CAST(" + v + " AS DECIMAL(12, 2))",
			"IF(" + q + " = 'delay', " + v + ", 0)", "CASE WHEN " + q + " = 'dist' THEN " + v + " END", q + " = 'delay'", v + " > 60",
			v + " * 2 - 1", "(" + v + " > 0) + (" + v + " < 30)", t + " DIV 1000", v + " / 3"},
		all: []string{k, q, t, v, "LEFT(" + k + ", 3)", "LENGTH(" + v + ")", "DATE_FORMAT(" + seconds + ", '%d.%m.')"},
		where: func() string {
			return g.of(q+" = 'delay'", q+" IN ('delay', 'carrier')", k+" LIKE 'ams%'", k+" >= 'b'", "LEFT("+k+", 3) = 'ber'", q+" <> 'note'",
				k+" BETWEEN 'ams#02' AND 'c'", t+" >= 1706745600000", t+" BETWEEN 1706745600000 AND 1709251199999", v+" > 30", v+" IS NOT NULL",
				v+" LIKE '1%'", "HOUR("+seconds+") < 9", "DATE("+seconds+") > '2024-02-10'", "LENGTH("+v+") > 2", v+" REGEXP '^[0-9]+$'",
				v+" <> ''", v+" = 'aa'", q+" > 'd'", "NOT "+q+" = 'dist'", v+" BETWEEN 0 AND 20", v+" + 0 >= 12.5", v+" IN (0, 7, 12.5, 1, 2, 3, 60, 61.0, 62)", v+" NOT IN (0, 7, 9, 10)", v+" + 0 IN (0, 7, 12.5, 100)", "UNIX_TIMESTAMP("+seconds+") % 2 = 0")
		},
	}
}

// pivots are rows made from cells: of one table, or of two.
func (g *reportGen) pivots() reported {
	switch g.r.IntN(8) {
	case 0:
		return g.twoPivots()
	case 1:
		return g.sameGroups("")
	}
	return g.pivot(g.relation(), "")
}

// relation is a table, or a combination of parts of tables.
func (g *reportGen) relation() string {
	if !g.one(5) {
		return g.of("f", "f", "h")
	}
	return "(SELECT K, Q, T, V FROM f" + g.of("", " WHERE Q <> 'note'", " WHERE K < 'b'") + g.of(" UNION ALL ", " UNION ALL ", " UNION ALL ", " UNION ALL ", " UNION ALL ", " EXCEPT ALL ", " UNION ", " EXCEPT ", " INTERSECT ") +
		"SELECT " + g.of("K, Q, T, V", "K, Q, T, V", "CONCAT(K, '+'), Q, T DIV 2, V") + " FROM " + g.of("h", "h", "f WHERE K >= 'b'", "h WHERE Q IN ('delay', 'carrier')") + ") u"
}

// pick is a CASE or IF over the cells of a qualifier.
func (g *reportGen) pick(qualifier, value string) string {
	return fmt.Sprintf(g.of("CASE WHEN Q = '%[1]s' THEN %[2]s END", "CASE WHEN Q = '%[1]s' THEN %[2]s END", "CASE Q WHEN '%[1]s' THEN %[2]s END",
		"IF(Q = '%[1]s', %[2]s, NULL)", "CASE WHEN '%[1]s' = Q THEN %[2]s ELSE NULL END"), qualifier, value)
}

// pivotColumns are the columns of a pivot, by name.
func (g *reportGen) pivotColumns() string {
	columns := []string{g.of("MAX", "MIN") + "(" + g.pick("carrier", "V") + ") AS carrier",
		g.of("MAX("+g.pick("delay", "V")+")", "MAX("+g.pick("delay", "V")+")", "MIN("+g.pick("delay", "V + 0")+")",
			"CAST(MAX("+g.pick("delay", "V")+") AS SIGNED)", "SUM("+g.pick("delay", "V")+")", "AVG("+g.pick("delay", "CAST(V AS SIGNED)")+")") + " AS delay",
		g.of("MAX("+g.pick("dist", "V")+")", "SUM(CASE WHEN Q = 'dist' THEN V ELSE 0 END)", "CAST(MAX("+g.pick("dist", "V")+") AS DECIMAL(10, 2))",
			"MAX("+g.pick("dist", "V + 0")+")") + " AS dist",
		g.of("MAX("+g.pick("dest", "V")+")", "COALESCE(MAX("+g.pick("dest", "V")+"), 'none')", "GROUP_CONCAT("+g.pick("dest", "V")+" ORDER BY T)") + " AS dest",
		g.of("COUNT("+g.pick("note", "1")+")", "COUNT("+g.pick("note", "V")+")", "SUM(Q = 'note')", "COUNT(DISTINCT Q)", "COUNT(*)",
			"SUM(CASE WHEN Q IN ('note', 'delay') THEN 1 ELSE 0 END)") + " AS n",
		g.of("MAX(T)", "MIN(T)", "MAX("+g.pick("carrier", "T")+")", "MAX(T) DIV 3600000") + " AS at"}
	g.r.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	return strings.Join(columns, ", ")
}

// pivot is a derived table with a row for each K.
func (g *reportGen) pivot(table, alias string) reported {
	cells := g.cells(table, "")
	inner := "SELECT K, " + g.pivotColumns() + " FROM " + table
	if g.one(3) {
		inner += " WHERE " + g.of("K > 'b'", "K LIKE 'a%'", "Q IN ('carrier', 'delay', 'dist')", "T > 1706745600000", "V <> ''", cells.where())
	}
	inner += " GROUP BY K"
	if g.one(5) {
		inner += " HAVING " + g.of("carrier = 'aa'", "delay > 20", "COUNT(*) > 3", "dist IS NOT NULL", "MAX("+g.pick("delay", "V")+") IS NULL", "n > 0")
	}
	name := alias
	if name == "" {
		name = "p"
	}
	p := alias
	if p != "" {
		p += "."
	}
	return reported{
		from:   "(" + inner + ") " + name,
		unique: []string{p + "K"},
		names: []string{p + "carrier", p + "carrier", p + "dest", "LEFT(" + p + "K, 3)", p + "n", p + "delay DIV 30",
			p + "delay > 15", "CASE WHEN " + p + "delay > 60 THEN 'late' ELSE 'fine' END", p + "delay", "COALESCE(" + p + "dest, '?')",
			"CONCAT(" + p + "carrier, '/', " + p + "dest)", p + "dist > 1000", "DATE_FORMAT(FROM_UNIXTIME(" + p + "at DIV 1000), '%m')"},
		numbers: []string{p + "delay", p + "delay", p + "dist", p + "n", p + "delay + " + p + "n", p + "dist / 2", p + "at", p + "delay > 15",
			"LENGTH(" + p + "dest)", "CAST(" + p + "delay AS SIGNED)", p + "dist * " + p + "delay", "IF(" + p + "carrier = 'aa', " + p + "dist, 0)"},
		all: []string{p + "K", p + "carrier", p + "delay", p + "dist", p + "dest", p + "n", p + "at"},
		where: func() string {
			return g.of(p+"carrier = 'aa'", p+"delay > 250", p+"delay BETWEEN 5 AND 15", p+"dist < 900", p+"dest IN ('ams', 'cdg')", p+"K > 'ber'",
				p+"n > 0", p+"dest IS NULL", p+"delay IS NOT NULL AND "+p+"dist > 200", p+"carrier <> ''", p+"dest LIKE 'b%'", p+"K LIKE 'ams%'",
				p+"delay = '0'", p+"carrier = LEFT("+p+"K, 2) OR "+p+"delay > 9", "LEFT("+p+"K, 3) = "+p+"dest")
		},
	}
}

// twoPivots are joined on K.
func (g *reportGen) twoPivots() reported {
	a, b := g.pivot("f", "a"), g.pivot(g.of("h", "f"), "b")
	join := func(x, y []string) []string { return append(x[:len(x):len(x)], y...) }
	on := g.of(" ON a.K = b.K", " ON b.K = a.K", " ON a.K = b.K AND a.carrier = b.carrier", " ON LEFT(a.K, 3) = LEFT(b.K, 3) AND a.delay = b.delay",
		" ON a.dest = b.dest AND a.n = b.n AND a.K < b.K", " ON b.carrier = a.carrier AND b.delay = a.delay",
		" ON a.delay <=> b.delay AND a.carrier = b.carrier", " ON b.n = a.n + 1 AND b.dest <=> a.dest", " ON CAST(a.delay AS SIGNED) = b.n * 5", " ON a.at - 60000 = b.at")
	return reported{
		from:   a.from + " " + g.of("JOIN", "JOIN", "LEFT JOIN", "INNER JOIN") + " " + b.from + on,
		unique: join(a.unique, b.unique), names: join(a.names, b.names), all: join(a.all, b.all),
		numbers: join(append(a.numbers, "a.delay - b.delay", "a.dist + b.dist"), b.numbers),
		where: func() string {
			if g.one(2) {
				return b.where()
			}
			return a.where()
		},
	}
}

func (g *reportGen) filter(s reported) string {
	chosen := g.chosenFilter(s)
	switch {
	case s.always == "":
		return chosen
	case chosen == "":
		return " WHERE " + s.always
	}
	return " WHERE " + s.always + " AND (" + strings.TrimPrefix(chosen, " WHERE ") + ")"
}

func (g *reportGen) chosenFilter(s reported) string {
	switch g.r.IntN(6) {
	case 0, 1:
		return " WHERE " + s.where()
	case 2:
		return " WHERE " + s.where() + " AND " + s.where()
	case 3:
		return " WHERE (" + s.where() + ")" + g.of(" OR ", " AND NOT ") + "(" + s.where() + ")"
	}
	return ""
}

func (g *reportGen) aggregate(s reported) string {
	number, any := g.of(s.numbers...), g.of(s.all...)
	switch g.r.IntN(18) {
	case 0, 1:
		return "COUNT(*)"
	case 2:
		return "COUNT(" + any + ")"
	case 3:
		return "COUNT(DISTINCT " + g.of(any, g.of(s.names...), any+", "+g.of(s.all...)) + ")"
	case 4, 5, 6:
		return "SUM(" + number + ")"
	case 7, 8:
		return "AVG(" + number + ")"
	case 9, 10:
		return "MAX(" + g.of(any, number) + ")"
	case 11:
		return "MIN(" + g.of(any, number) + ")"
	case 12:
		return "SUM(CASE WHEN " + s.where() + " THEN " + g.of("1", number) + " ELSE 0 END)"
	case 13:
		list := g.of("DISTINCT "+any+" ORDER BY "+any, any+" ORDER BY "+any, any+" ORDER BY "+strings.Join(s.unique, ", "))
		return "GROUP_CONCAT(" + list + g.of("", " DESC") + g.of("", " SEPARATOR '|'") + ")"
	case 14:
		return "ROUND(AVG(" + number + "), " + g.of("0", "1", "2") + ")"
	}
	return "SUM(" + number + ") / COUNT(*)"
}

// groups are groups of rows: by one or two expressions, or by none.
func (g *reportGen) groups(s reported) oracle.Generated {
	var keys, items, order []string
	for i := range len(g.of("", ".", ".", ".", ".", "..")) {
		name := fmt.Sprintf("g%d", i)
		keys = append(keys, name)
		items = append(items, g.of(s.names...)+" AS "+name)
		order = append(order, name+g.of("", "", " DESC"))
	}
	for i := range 1 + g.r.IntN(4) {
		items = append(items, g.aggregate(s)+fmt.Sprintf(" AS a%d", i))
	}
	text := "SELECT " + strings.Join(items, ", ") + " FROM " + s.from + g.filter(s)
	if len(keys) == 0 {
		return oracle.Generated{SQL: text, Ordered: false}
	}
	if g.one(5) {
		return g.rolledUp(s)
	}
	text += " GROUP BY " + strings.Join(keys, ", ")
	if g.one(4) {
		text += " HAVING " + g.of("COUNT(*) > 1", "COUNT(*) BETWEEN 2 AND 9", "a0 IS NOT NULL", "a0 IS NULL", "SUM("+g.of(s.numbers...)+") > 10")
	}
	if g.one(2) {
		return oracle.Generated{SQL: text, Ordered: false}
	}
	limit := g.of("", "", " LIMIT 10", " LIMIT 3, 5", " LIMIT 1")
	if g.one(3) {
		order = append([]string{"COUNT(*)" + g.of("", " DESC")}, order...)
	}
	return oracle.Generated{SQL: text + " ORDER BY " + strings.Join(order, ", ") + limit, Ordered: true}
}

// rolledUp are groups WITH ROLLUP, in the order of their keys. MariaDB does not allow ORDER
// BY with it, which would otherwise leave the order of a recurring key open. It has no
// GROUP_CONCAT of combined groups if WHERE turns a LEFT JOIN into an inner one.
func (g *reportGen) rolledUp(s reported) oracle.Generated {
	var keys, items []string
	for range 1 + g.r.IntN(3) {
		key := g.of(s.names...)
		if slices.Contains(keys, key) {
			continue
		}
		keys = append(keys, key)
		items = append(items, key)
		if plainName.MatchString(key) && g.one(3) {
			items = append(items, fmt.Sprintf(g.of("IFNULL(%s, 'all')", "CONCAT(LEFT(%s, 2), 'x')", "%s IS NULL"), key))
		}
	}
	for i := range 1 + g.r.IntN(4) {
		aggregate := g.aggregate(s)
		if countsKeys(aggregate, keys, s.unique) || strings.Contains(s.from, "LEFT JOIN") && strings.HasPrefix(aggregate, "GROUP_CONCAT") {
			aggregate = "COUNT(*)"
		}
		items = append(items, aggregate+fmt.Sprintf(" AS a%d", i))
	}
	text := "SELECT " + strings.Join(items, ", ") + " FROM " + s.from + g.filter(s) + " GROUP BY " + strings.Join(keys, ", ") + " WITH ROLLUP"
	if g.one(4) {
		text += " HAVING " + g.of("COUNT(*) > 1", "COUNT(*) BETWEEN 2 AND 9", "a0 IS NOT NULL", "a0 IS NULL", "SUM("+g.of(s.numbers...)+") > 10")
	}
	return oracle.Generated{SQL: text + g.of("", "", "", " LIMIT 10", " LIMIT 3, 5"), Ordered: true}
}

// countsKeys reports whether distinct values are counted that form the primary key together
// with the groups: MariaDB then counts all rows, even for combined groups.
func countsKeys(aggregate string, keys, unique []string) bool {
	of, counts := strings.CutPrefix(aggregate, "COUNT(DISTINCT ")
	return counts && !slices.ContainsFunc(unique, func(column string) bool {
		return !slices.Contains(keys, column) && !strings.Contains(of, column)
	})
}

var plainName = regexp.MustCompile(`^[a-zA-Z.]+$`)

// list are rows, often the first ones of an order.
func (g *reportGen) list(s reported) oracle.Generated {
	var items []string
	for range 1 + g.r.IntN(4) {
		items = append(items, g.of(g.of(s.all...), g.of(s.all...), g.of(s.names...), g.of(s.numbers...)))
	}
	if g.one(5) {
		return oracle.Generated{SQL: "SELECT DISTINCT " + strings.Join(items, ", ") + " FROM " + s.from + g.filter(s),
			Ordered: false}
	}
	text := "SELECT " + strings.Join(append(s.unique[:len(s.unique):len(s.unique)], items...), ", ") + " FROM " + s.from + g.filter(s)
	if g.one(3) {
		return oracle.Generated{SQL: text, Ordered: false}
	}
	by := append([]string{g.of(g.of(s.numbers...), g.of(s.all...)) + " + 0 IS NULL", g.of(g.of(s.numbers...), g.of(s.all...)) + g.of("", " DESC")}[g.r.IntN(2):], s.unique...)
	return oracle.Generated{SQL: text + " ORDER BY " + strings.Join(by, ", ") + g.of("", " LIMIT 10", " LIMIT 5, 5", " LIMIT 1", " LIMIT 1000"), Ordered: true}
}

// joinedCells are the cells of two qualifiers of each row.
func (g *reportGen) joinedCells() oracle.Generated {
	a, b := g.cells("", "a."), g.cells("", "b.")
	x, y := g.of("carrier", "dest"), g.of("delay", "dist", "note")
	if g.one(4) { // the last ones
		alike := g.of("a.K = b.K", "a.K = b.K AND a.Q = b.Q", "a.V = b.V", "a.Q = b.Q", "LEFT(a.K, 5) = LEFT(b.K, 5)", "a.V <=> b.V", "b.T = a.T + 60000")
		s := reported{from: g.of("f a LEFT JOIN f b", "h a LEFT JOIN f b") + " ON " + alike + g.of(" AND a.T < b.T", " AND a.K <> b.K", " AND b.V > 30"), unique: a.unique,
			names: a.names, numbers: a.numbers, all: a.all, where: func() string { return g.of("b.K", "b.K", "b.T", "b.V") + " IS NULL AND " + a.where() }}
		return g.groups(s)
	}
	on := " ON a.K = b.K" + g.of(" AND a.Q = '"+x+"' AND b.Q = '"+y+"'", " AND a.Q = b.Q", " AND b.Q = '"+y+"'", " AND a.T = b.T", "")
	if g.one(3) {
		on = " ON a.V = b.V" + g.of(" AND a.Q = '"+x+"' AND b.Q = '"+x+"' AND b.T < a.T", " AND a.Q = b.Q AND b.Q = 'dist'", " AND LEFT(b.K, 3) = LEFT(a.K, 3) AND b.Q = '"+y+"'")
	}
	s := reported{from: g.of("f a JOIN h b", "f a JOIN f b", "h a LEFT JOIN f b") + on, unique: append(a.unique, b.unique...),
		names: append(a.names, b.names...), numbers: append(b.numbers, a.numbers...), all: append(a.all, b.all...), where: b.where}
	if g.one(4) {
		s.from = strings.Replace(s.from, " JOIN", g.of(" JOIN", " LEFT JOIN"), strings.Count(s.from, "a JOIN")) +
			" LEFT JOIN " + g.of(oracle.ReportTables...) + " c ON c.K = " + g.of("a", "b", "b") + ".K" + g.of(" AND c.Q = 'dist'", " AND c.Q = '"+x+"'", " AND c.Q = b.Q AND c.T = b.T")
		c := g.cells("", "c.")
		s.unique, s.all, s.numbers = append(s.unique, c.unique...), append(s.all, c.all...), append(s.numbers, c.numbers...)
	}
	if g.one(4) {
		return g.list(s)
	}
	return g.groups(s)
}

// percentiles are determined by the positions of rows in their groups.
func (g *reportGen) percentiles() oracle.Generated {
	s := g.pivot(g.of(oracle.ReportTables...), "") // over plain cells MariaDB fails with 4016
	name, number := g.of(s.names...), g.of(s.numbers...)
	over := " OVER (PARTITION BY " + name + " ORDER BY " + number + g.of(", ", " DESC, ") + strings.Join(s.unique, ", ") + ") AS "
	inner := "SELECT " + name + " AS g, " + number + " AS x, " + // MariaDB fails if a window's column is not used
		g.of("ROW_NUMBER()"+over+"r, COUNT(*) OVER (PARTITION BY "+name+") AS c", g.of("NTILE(4)", "RANK()", "DENSE_RANK()", "ROW_NUMBER()")+over+"q") +
		" FROM " + s.from + g.filter(s)
	outer := g.of("SELECT g, q, COUNT(*), MAX(x) FROM (%s) z WHERE q < 5 GROUP BY g, q", "SELECT g, x FROM (%s) z WHERE q <= 3 ORDER BY g, q, x",
		"SELECT g, SUM(x) FROM (%s) z WHERE q = 1 GROUP BY g")
	if strings.HasSuffix(strings.SplitN(inner, " FROM ", 2)[0], "AS c") {
		outer = g.of("SELECT g, MIN(x) FROM (%s) z WHERE r >= 0.9 * c GROUP BY g",
			"SELECT g, AVG(x) FROM (%s) z WHERE r IN (FLOOR((c + 1) / 2), CEIL((c + 1) / 2)) GROUP BY g",
			"SELECT g, MAX(CASE WHEN r = 1 THEN x END) a, MAX(CASE WHEN r = c THEN x END) b FROM (%s) z GROUP BY g ORDER BY g")
	}
	return oracle.Generated{SQL: fmt.Sprintf(outer, inner), Ordered: strings.Contains(outer, "ORDER BY")}
}

// overMonths compares a month with the previous one.
func (g *reportGen) overMonths() oracle.Generated {
	s := g.cells(g.of(oracle.ReportTables...), "")
	month := g.of("DATE_FORMAT(FROM_UNIXTIME(T DIV 1000), '%Y-%m')", "DATE_FORMAT(FROM_UNIXTIME(T / 1000), '%Y-%m-01')", "T DIV 2592000000", "WEEK(FROM_UNIXTIME(T DIV 1000))")
	inner := "SELECT " + month + " AS m, " + g.aggregate(s) + " AS a, COUNT(*) AS c FROM " + s.from + g.filter(s) + " GROUP BY m"
	return oracle.Generated{SQL: g.of("SELECT m, a, LAG(a) OVER (ORDER BY m), c - LAG(c) OVER (ORDER BY m)", "SELECT m, a, SUM(c) OVER (ORDER BY m) AS so_far",
		"SELECT m, c, RANK() OVER (ORDER BY c DESC, m) AS place", "SELECT m, AVG(c) OVER (ORDER BY m ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)") +
		" FROM (" + inner + ") z ORDER BY m", Ordered: true}
}

// nested are groups over groups, in a derived table or a common table expression.
func (g *reportGen) nested() oracle.Generated {
	s := g.pivots()
	if g.one(2) {
		s = g.cells("f", "")
	}
	inner := "SELECT " + g.of(s.names...) + " AS g, " + g.of(s.names...) + " AS h, " + g.aggregate(s) + " AS a, COUNT(*) AS c FROM " + s.from + g.filter(s) + " GROUP BY g, h"
	outer := g.of("SELECT g, COUNT(*), SUM(c), MAX(a) FROM %s GROUP BY g", "SELECT c, COUNT(*) FROM %s GROUP BY c ORDER BY c DESC", "SELECT g, h, a FROM %s WHERE c > 1",
		"SELECT COUNT(*), COUNT(DISTINCT g), SUM(c), MIN(a) FROM %s", "SELECT DISTINCT g FROM %s WHERE a IS NOT NULL", "SELECT MAX(c), AVG(c) FROM %s WHERE g IS NOT NULL",
		"SELECT g, MAX(CASE WHEN h = 'aa' THEN a END), SUM(IF(h = 'ams', c, 0)) FROM %s GROUP BY g")
	ordered := strings.Contains(outer, "ORDER BY")
	if g.one(2) {
		return oracle.Generated{SQL: "WITH z AS (" + inner + ") " + fmt.Sprintf(outer, "z"), Ordered: ordered}
	}
	return oracle.Generated{SQL: fmt.Sprintf(outer, "("+inner+") z"), Ordered: ordered}
}

// totals are shares of all, unions with a line of sums, and rows that others select.
func (g *reportGen) totals() oracle.Generated {
	s := g.cells(g.of(oracle.ReportTables...), "")
	name, agg := g.of(s.names...), g.aggregate(s)
	switch g.r.IntN(4) {
	case 0:
		return oracle.Generated{SQL: "SELECT " + name + " AS g, COUNT(*), COUNT(*) / (SELECT COUNT(*) FROM f) FROM " + s.from + g.filter(s) + " GROUP BY g", Ordered: false}
	case 1:
		return oracle.Generated{SQL: "SELECT LEFT(K, 3) AS g, " + agg + " AS a FROM " + s.from + " GROUP BY g UNION ALL SELECT 'all', " + agg + " FROM " + s.from, Ordered: false}
	case 2:
		return oracle.Generated{SQL: "SELECT " + name + " AS g, " + agg + " FROM " + s.from + " WHERE K IN (SELECT K FROM h WHERE " + s.where() + ") GROUP BY g", Ordered: false}
	}
	return oracle.Generated{SQL: "SELECT Q, " + agg + ", (SELECT " + g.of("COUNT(*)", "MAX(V)", "SUM(V)") + " FROM h WHERE h.Q = " + s.from + ".Q) FROM " + s.from + g.filter(s) + " GROUP BY Q", Ordered: false}
}

// chosen are rows with similar rows, or without: semi and anti joins.
func (g *reportGen) chosen() oracle.Generated {
	s := g.cells(g.of("f a", "h a"), "a.")
	if g.one(3) {
		s = g.pivot(g.of(oracle.ReportTables...), "a")
	}
	other := g.cells(g.of(oracle.ReportTables...), "b.")
	pivoted := strings.HasPrefix(s.from, "(")
	columns := []string{"a.K", "a.Q", "a.T", "a.V"}
	if pivoted {
		columns = []string{"a.K", "a.carrier", "a.delay", "a.dest"}
	}
	column, same := g.of(columns...), g.of("K", "K", "V", "Q")
	where := other.where()
	cond := g.of(column+g.of(" IN", " NOT IN")+" (SELECT "+g.of("b.K", "b.V", "b.V", "b.Q", "b.T", "NULLIF(b.V, 'aa')", "LEFT(b.K, 3)")+" FROM "+other.from+" b WHERE "+where+")",
		g.of("", "NOT ")+"EXISTS (SELECT 1 FROM "+other.from+" b WHERE b."+same+" = "+column+" AND "+where+")",
		g.of("", "NOT ")+"EXISTS (SELECT * FROM "+other.from+" b WHERE "+column+" = b."+same+" AND b.K = a.K)")
	if g.one(3) {
		cond = g.partners(other.from + " b WHERE " + g.of("b."+same+" = "+column, "b."+same+" = "+column+" AND "+where, "LEFT(b.K, 5) = LEFT(a.K, 5)", "b.V = CONCAT("+column+", '')",
			"b."+same+" <=> "+column, "b.T - 60000 = "+columns[2], "CAST(b.V AS SIGNED) = "+columns[2]+" DIV 2"))
	}
	if g.one(3) {
		cond = g.of("NOT "+cond, "("+cond+") IS NULL", cond+" AND "+s.where(), "("+cond+" OR "+s.where()+")")
	}
	agg := g.aggregate(s)
	return oracle.Generated{SQL: "SELECT " + g.of(s.names...) + " AS g, COUNT(*), " + agg + " FROM " + s.from + " WHERE " + cond + " GROUP BY g", Ordered: false}
}

// partners selects by more than equality with a row of a: the previous one or the next,
// that many, or the last.
func (g *reportGen) partners(of string) string {
	other := " AND b.K" + g.of(" <> ", " > ", " <= ") + "a.K"
	return g.of("EXISTS (SELECT 1 FROM "+of+other+")", "NOT EXISTS (SELECT * FROM "+of+other+")", "(SELECT COUNT(*) FROM "+of+other+")"+g.of(" < 2", " = 0", " > 3"),
		"a.K >= ALL (SELECT b.K FROM "+of+")", "a.K < ANY (SELECT b.K FROM "+of+")", "a.K"+g.of(" IN", " NOT IN")+" (SELECT MAX(b.K) FROM "+of+")",
		"a.K = (SELECT b.K FROM "+of+" ORDER BY b.K DESC, b.Q, b.T LIMIT 1)", "(SELECT MIN(b.K) FROM "+of+other+") IS NULL",
		"EXISTS (SELECT b.Q FROM "+of+other+" GROUP BY b.Q HAVING COUNT(*) > 1)")
}
