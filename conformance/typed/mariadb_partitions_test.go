package typed

import (
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// drawnPart is a partition of a range: its name and its bound, empty for MAXVALUE.
type drawnPart struct{ name, below string }

func (p drawnPart) String() string {
	below := p.below
	if below == "" {
		below = "MAXVALUE"
	}
	return "PARTITION " + p.name + " VALUES LESS THAN (" + below + ")"
}

// ascending are literals of the types on which ranges are possible, in their order, without BIGINT UNSIGNED,
// whose largest value MariaDB treats as MAXVALUE.
var ascending = map[string][]string{
	"int":              {"-2147483648", "-1", "0", "1", "8", "100"},
	"tinyint unsigned": {"1", "2", "7", "255"},
	"bigint":           {"-9223372036854775807", "-1", "0", "3", "9223372036854775807"},
	"date":             {"'1999-12-31'", "'2024-02-29'", "'2024-03-01'", "'2024-03-02'"},
	"datetime(3)":      {"'1999-12-31'", "'2024-02-29 12:30:00.1'", "'2024-02-29 12:30:00.5'"},
	"varbinary(8)":     {"'a'", "'b'", "'zz'"},
}

// bounds returns those for the first column, which may also be a varchar.
func (d *drawnTable) bounds() []string {
	if strings.HasPrefix(d.types[0].declared, "varchar") {
		return []string{"'A'", "'a'", "'ab'", "'b'", "'zz'"}
	}
	return ascending[d.types[0].declared]
}

// drawPartitions returns PARTITION BY for some tables: those whose indexes MariaDB, too, allows with it.
func (d *drawnTable) drawPartitions(r *rand.Rand) string {
	d.parts, d.hashed = nil, 0
	if slices.Contains(slices.Collect(maps.Values(d.unique)), true) || r.IntN(2) == 0 {
		return ""
	}
	if bounds := d.bounds(); len(bounds) > 0 && r.IntN(3) > 0 {
		for i, b := range bounds {
			if r.IntN(2) == 0 {
				d.parts = append(d.parts, drawnPart{fmt.Sprintf("p%d", i), b})
			}
		}
		if len(d.parts) == 0 || r.IntN(3) > 0 {
			d.parts = append(d.parts, drawnPart{"rest", ""})
		}
		return " PARTITION BY RANGE COLUMNS (c0) (" + joined(d.parts) + ")"
	}
	d.hashed = 1 + r.IntN(4)
	columns := ""
	if typ := d.types[0].declared; r.IntN(2) == 0 && (strings.Contains(typ, "int") || strings.HasPrefix(typ, "date")) {
		columns = "c0"
	}
	return fmt.Sprintf(" PARTITION BY KEY (%s) PARTITIONS %d", columns, d.hashed)
}

func joined(parts []drawnPart) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.String()
	}
	return strings.Join(texts, ", ")
}

// repartition returns an ALTER TABLE of the table's partitions.
func (d *drawnTable) repartition(r *rand.Rand) (statement string, done func()) {
	if d.hashed > 1 && r.IntN(2) == 0 {
		return "COALESCE PARTITION 1", func() { d.hashed-- }
	}
	if d.hashed > 0 {
		return "ADD PARTITION PARTITIONS 1", func() { d.hashed++ }
	}
	i := r.IntN(len(d.parts))
	switch n := r.IntN(5); {
	case n == 0:
		return "TRUNCATE PARTITION " + d.parts[i].name, func() {}
	case n == 1 && len(d.parts) > 1:
		return "DROP PARTITION " + d.parts[i].name, func() { d.parts = slices.Delete(d.parts, i, i+1) }
	case n == 2 && i > 0:
		return "REORGANIZE PARTITION " + d.parts[i-1].name + ", " + d.parts[i].name + " INTO (" + d.parts[i].String() + ")",
			func() { d.parts = slices.Delete(d.parts, i-1, i) }
	case n == 3:
		return "REMOVE PARTITIONING", func() { d.parts = nil }
	}
	again := &drawnTable{types: d.types}
	for again.parts == nil && again.hashed == 0 {
		statement = again.drawPartitions(r)
	}
	return strings.TrimSpace(statement), func() { d.parts, d.hashed = again.parts, again.hashed }
}

// compareExchange has a partition change places with a table of a few rows, in both.
func compareExchange(t *testing.T, ours, theirs *sql.DB, d *drawnTable, r *rand.Rand) bool {
	part := harness.Pick(r, d.parts).name
	for _, statement := range []string{"DROP TABLE IF EXISTS x", "CREATE TABLE x LIKE t", "ALTER TABLE x REMOVE PARTITIONING",
		"INSERT IGNORE INTO x VALUES " + d.values(r), "INSERT IGNORE INTO x SELECT * FROM t PARTITION (" + part + ") ORDER BY " + d.key() + " LIMIT 1",
		"ALTER TABLE t EXCHANGE PARTITION " + part + " WITH TABLE x"} {
		if d.hasGenerated() && strings.HasPrefix(statement, "INSERT IGNORE INTO x SELECT") {
			continue
		}
		_, err := ours.Exec(statement)
		_, want := theirs.Exec(statement)
		none := harness.ErrorNumber(want) == 1526 && harness.ErrorNumber(err) == 1737 // which names the row that has no partition
		if !none && !sameNumber(err, want) {
			t.Errorf("%s\n  ours:   %v\n  theirs: %v", statement, err, want)
			return false
		}
	}
	return compareRows(t, ours, theirs, "SELECT * FROM x ORDER BY "+d.key()) && compareRows(t, ours, theirs, "SELECT * FROM t ORDER BY "+d.key())
}
