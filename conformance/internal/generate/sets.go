package generate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// SetQuery is a set operation, or a statement over one. Most of its queries read the same
// from several tables, so that they have rows in common.
func (g *QueryGen) SetQuery() Query {
	g.alias, g.Depth = 0, 1+g.R.IntN(2)
	g.unmixed = true
	defer func() { g.unmixed = false }()
	kinds := []string{harness.Pick(g.R, []string{"wide", "str", "bytes", "cond", "K", "V"}), harness.Pick(g.R, []string{"wide", "str", "bytes", "K", "T"})}[:1+g.R.IntN(2)]
	s := &setGen{QueryGen: g, kinds: kinds}
	s.items = s.draw()
	all := s.operations(1 + g.R.IntN(2))
	for text := all.String(); strings.Contains(text, "INTERSECT ALL") && strings.Contains(text, "EXCEPT ALL"); text = all.String() {
		all = s.operations(1 + g.R.IntN(2)) // MariaDB may not terminate on it
	}
	return s.over(all)
}

// setGen draws the queries of a set operation, whose columns have certain kinds.
type setGen struct {
	*QueryGen
	kinds []string
	items *node
}

// draw is a list of labelled expressions over a table.
func (s *setGen) draw() *node {
	defer s.enter(source{columns: cells("")})()
	items := make([]*node, len(s.kinds))
	for i, kind := range s.kinds {
		items[i] = piece("{}"+fmt.Sprintf(" AS c%d", i), s.expr(kind, s.Depth))
	}
	return joined(", ", items)
}

// operations are nested queries, with and without redundant parentheses.
func (s *setGen) operations(depth int) *node {
	if depth == 0 {
		return s.arm()
	}
	op := harness.Pick(s.R, []string{"UNION", "UNION ALL", "INTERSECT", "INTERSECT", "INTERSECT ALL", "INTERSECT ALL", "EXCEPT", "EXCEPT", "EXCEPT ALL", "EXCEPT ALL"})
	return piece("{} "+op+" {}", s.operand(depth-1), s.operand(depth-1))
}

func (s *setGen) operand(depth int) *node {
	inner := s.operations(s.R.IntN(depth + 1))
	if s.R.IntN(3) == 0 {
		return piece("({})", inner)
	}
	return inner
}

func (s *setGen) arm() *node {
	table := source{columns: cells("")}
	defer s.enter(table)()
	items := s.items
	if s.R.IntN(5) == 0 {
		items = s.draw()
	}
	from := harness.Pick(s.R, []string{"o", "p", "r", "p", "v", "(SELECT * FROM p UNION ALL SELECT * FROM p) u"})
	return piece("SELECT "+harness.Pick(s.R, []string{"", "", "", "DISTINCT "})+"{} FROM "+from+"{}", items, s.where())
}

// over is a statement over a set operation.
func (s *setGen) over(all *node) Query {
	asked := harness.Pick(s.R, s.cellsOf(s.kinds[0]))
	form, text := s.R.IntN(12), all.String()
	if form == 4 && (len(s.kinds) > 1 || strings.Contains(text, "DISTINCT") || strings.Contains(text, "(SELECT")) {
		form-- // MariaDB drops columns and DISTINCT of some queries in EXISTS
	}
	if form == 3 && !slices.Contains([]string{"K", "V", "bytes"}, s.kinds[0]) {
		form-- // MariaDB takes a number beside the NULLs of a nested operation for text
	}
	switch form {
	case 0:
		return Query{piece("SELECT * FROM ({}) d WHERE c0 "+asked, all), false}
	case 1:
		return Query{piece("SELECT c0, COUNT(*) FROM ({}) d GROUP BY c0", all), false}
	case 2:
		return Query{piece("SELECT COUNT(*), COUNT(c0) FROM ({}) d WHERE c0 "+asked, all), false}
	case 3:
		return Query{piece(harness.Pick(s.R,
			[]string{"SELECT COUNT(*), COUNT(r.T) FROM ({}) d LEFT JOIN r ON d.c0 = r.K",
				"SELECT r.T, COUNT(d.c0) FROM r LEFT JOIN ({}) d ON d.c0 = r.K AND d.c0 < r.V GROUP BY r.T",
				"SELECT r.K, d.c0 FROM r JOIN ({}) d ON d.c0 = r.K WHERE r.T = 1"}), all), false}
	case 4:
		return Query{piece("SELECT K, Q, T FROM p WHERE "+harness.Pick(s.R, []string{"EXISTS", "NOT EXISTS"})+" ({})", all), false}
	case 5:
		return Query{piece("WITH d AS ({}) SELECT x.c0 FROM d x WHERE x.c0 NOT IN (SELECT c0 FROM d WHERE c0 "+asked+")", all), false}
	case 6:
		return s.correlated()
	}
	return Query{all, false}
}

// cellsOf are conditions on values of a kind.
func (s *setGen) cellsOf(kind string) []string {
	switch kind {
	case "K", "V", "bytes":
		return []string{"= 'a'", "> 'a'", "IN ('a', 'b', '12')", "IS NULL", "LIKE 'a%'", "<=> 'x'"}
	}
	return []string{"IS NULL", "IS NOT NULL"}
}

// correlated runs, for each row, a set operation over rows that depend on it.
func (s *setGen) correlated() Query {
	op := harness.Pick(s.R, []string{"INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"})
	by := harness.Pick(s.R, []string{"K", "Q", "V"})
	form := harness.Pick(s.R, []string{
		"SELECT x.K, x.Q, x.T FROM p x WHERE EXISTS (SELECT %[2]s FROM r WHERE r.K >= x.K %[1]s SELECT x.%[2]s)",
		"SELECT x.K, x.Q, x.T FROM p x WHERE x.%[2]s IN (SELECT %[2]s FROM o WHERE o.K = x.K %[1]s SELECT %[2]s FROM p WHERE p.T < x.T)",
		"SELECT x.K, (SELECT MIN(c) FROM (SELECT %[2]s AS c FROM o %[1]s SELECT %[2]s FROM p) d WHERE c > x.%[2]s) FROM p x",
		"SELECT x.K, x.Q, x.T FROM p x WHERE NOT EXISTS (SELECT T FROM o WHERE o.%[2]s = x.%[2]s %[1]s SELECT x.T UNION ALL SELECT T FROM r WHERE r.K = x.K)",
	})
	return Query{piece(fmt.Sprintf(form, op, by)), false}
}
