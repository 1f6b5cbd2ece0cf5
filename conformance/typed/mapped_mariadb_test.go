package typed

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestLiveMappedTables draws tables that are mapped onto two families, with columns in each form, and compares what
// becomes of their rows with a table of MariaDB. Each value is a cell, and no others are left.
func TestLiveMappedTables(t *testing.T) {
	theirs := liveMariaDB(t)
	r := rand.New(rand.NewPCG(testseed.Of(t), 4))
	ours := harness.OpenEmbedded(t, harness.MemoryDSN())
	for done, wrong := 0, 0; done < *harness.OracleN && wrong < mostDifferences; {
		table, made := drawMapped(r)
		mapping := table.mapping(r)
		t.Log(made + mapping)
		harness.Must(t, ours, "DROP TABLE IF EXISTS t, u$f, u$g", "CREATE TABLE u$f"+cells, "CREATE TABLE u$g"+cells, made+mapping)
		harness.Must(t, theirs, "DROP TABLE IF EXISTS t", made)
		for i := range 100 {
			done++
			if i%10 == 7 && !compareLoads(t, ours, theirs, &table, r) || !compare(t, ours, theirs, &table, r) {
				wrong++
				break // what comes behind differs for that
			}
		}
		requireSoundTable(t, ours, "t")
		requireSameAgain(t, ours, "t")
		require.Equal(t, harness.Single(t, ours, "SELECT COALESCE(SUM("+table.valuesOf()+"), 0) FROM t"),
			harness.Single(t, ours, "SELECT /*+ VERSIONS(1) */ COUNT(*) FROM u"), "a cell for each value")
	}
}

// drawMapped is a table without what mapped ones do not have, and with a last column that is never NULL: a row without
// any cell is none.
func drawMapped(r *rand.Rand) (drawnTable, string) {
	for {
		table := drawTable(r, "t")
		table.types = slices.DeleteFunc(table.types, func(typ drawnType) bool { return strings.HasSuffix(typ.declared, "VIRTUAL") })
		table.types = append(table.types, drawnType{declared: "int NOT NULL DEFAULT 1", literals: []string{"1", "2", "3"}})
		made := table.create(r)
		made, _, _ = strings.Cut(made, " PARTITION BY ")
		table.parts, table.hashed = nil, 0
		if len(table.indexes) == 0 && table.separable() {
			return table, made
		}
	}
}

// separable reports whether no part of the key but the last may contain the separator of its parts.
func (d *drawnTable) separable() bool {
	return !slices.ContainsFunc(d.types[:d.keys-1], func(t drawnType) bool { return strings.HasPrefix(t.declared, "varbinary") })
}

// mapping is where the columns are and in which forms.
func (d *drawnTable) mapping(r *rand.Rand) string {
	entries := make([]string, len(d.types))
	for i := range d.types {
		place, forms := ":key", d.types[i].forms()
		if i >= d.keys {
			place = fmt.Sprintf("%s:q%d", harness.Pick(r, []string{"f", "g"}), i)
		} else if strings.HasPrefix(d.types[i].declared, "decimal") {
			forms = []string{"", "#s", "#o"} // Bytes of a decimal do not say where they end
		}
		entries[i] = place + harness.Pick(r, forms)
	}
	return " HBASE_TABLE = 'u' HBASE_COLUMNS = '" + strings.Join(entries, ", ") + "'"
}

// forms are those in which a mapped column of the type may be.
func (d *drawnType) forms() []string {
	switch word := strings.FieldsFunc(d.declared, func(c rune) bool { return c == ' ' || c == '(' })[0]; word {
	case "int", "tinyint", "bigint", "decimal", "varchar", "char", "double", "text":
		return []string{"", "#s", "#b", "#o"}
	}
	return []string{"", "#s"}
}

// valuesOf counts the values of a row that are cells.
func (d *drawnTable) valuesOf() string {
	var list []string
	for i := d.keys; i < len(d.types); i++ {
		list = append(list, fmt.Sprintf("(c%d IS NOT NULL)", i))
	}
	return strings.Join(list, " + ")
}
