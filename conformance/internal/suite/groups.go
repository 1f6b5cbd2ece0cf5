package suite

// GroupCells are the cells of a table group.
var GroupCells = map[string][]string{
	"g$a": {"('k1', 'q', 1, 'a1')", "('k1', 'q', 2, 'a2')", "('k3', 'q', 1, 'a3')", "('b', 'q', 1, 'a4')"},
	"g$b": {"('k1', 'p', 3, 'b1')", "('k2', 'q', 1, 'b2')", "('k2', 'q', -2, NULL)"},
}

// GroupOrder is HBase's order of a group's cells.
const GroupOrder = " ORDER BY K, F, Q, T DESC"

// GroupCases are queries of the virtual table over GroupCells, with their rows.
var GroupCases = []struct {
	Query string
	Want  []string
}{
	{"SELECT * FROM g" + GroupOrder, []string{"b a q 1 a4", "k1 a q 2 a2", "k1 b p 3 b1", "k2 b q 1 b2", "k3 a q 1 a3"}},
	{"SELECT * FROM g FOR SYSTEM_TIME ALL" + GroupOrder, allOfGroup},
	{"SELECT /*+ VERSIONS(2) */ K, F, Q, T, V FROM g" + GroupOrder, allOfGroup},
	{"SELECT * FROM g FOR SYSTEM_TIME AS OF 0", []string{"k2 b q -2 NULL"}},
	{"SELECT * FROM g FOR SYSTEM_TIME ALL" + GroupOrder + " LIMIT 4", allOfGroup[:4]},
	{"SELECT K, F FROM g WHERE F = 'b' ORDER BY K", []string{"k1 b", "k2 b"}},
	{"SELECT K, F FROM g WHERE K = 'k1' AND F > 'a'", []string{"k1 b"}},
	{"SELECT K, F FROM g WHERE F = 'c' OR F = 'g$a'", []string{}},
	{"SELECT K, F FROM g ORDER BY K DESC, F DESC", []string{"k3 a", "k2 b", "k1 b", "k1 a", "b a"}},
	{"SELECT F, COUNT(*) FROM g GROUP BY F ORDER BY F", []string{"a 3", "b 2"}},
	{"SELECT COUNT(*), COUNT(DISTINCT K) FROM g", []string{"5 4"}},
}

var allOfGroup = []string{"b a q 1 a4", "k1 a q 2 a2", "k1 a q 1 a1", "k1 b p 3 b1", "k2 b q 1 b2", "k2 b q -2 NULL", "k3 a q 1 a3"}

// GroupWrites are refused: the virtual table is read-only.
var GroupWrites = []string{"DELETE FROM g", "INSERT INTO g VALUES ('k', 'a', 'q', 1, 'v')", "REPLACE INTO g VALUES ('k', 'a', 'q', 1, 'v')", "UPDATE g SET V = 'x'"}
