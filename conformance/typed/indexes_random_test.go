package typed

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestIndexedReads draws tables with indexes and statements, and compares the results of queries by the
// indexes, without them, and as the plan chooses.
func TestIndexedReads(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 2))
	for range max(12, *harness.OracleN/100) {
		table := drawTable(r, "t")
		made := maybeTemporary(r, table.create(r))
		if len(table.indexes) == 0 {
			continue
		}
		t.Log(made)
		db := open(t)
		db.SetMaxOpenConns(1) // the variables for batches are set in this session
		harness.Must(t, db, made)
		for range 60 {
			_, _ = db.Exec(table.change(r))
			_, _ = db.Exec(table.change(r))
			query := table.indexQuery(r)
			want := harness.Lines(t, db, table.hinted(query, "IGNORE"))
			for _, hint := range []string{"", "FORCE", "USE"} {
				asked := table.hinted(query, hint)
				harness.Must(t, db, fmt.Sprintf("SET hbasekv_batch_cells = %d", harness.Pick(r, []int{0, 1, 2, 1024, harness.OneByOne})))
				harness.SetJoinRows(t, db, r.IntN(4))
				got := harness.Lines(t, db, asked)
				requireSame(t, asked, want, got)
			}
		}
		requireSoundTable(t, db, "t")
		db.Close()
	}
}

// TestLiveIndexedReads compares the results of queries by indexes with MariaDB's.
func TestLiveIndexedReads(t *testing.T) {
	theirs := liveMariaDB(t)
	r := rand.New(rand.NewPCG(testseed.Of(t), 3))
	ours := harness.OpenEmbedded(t, harness.MemoryDSN())
	ours.SetMaxOpenConns(1) // which has the temporary tables
	theirs.SetMaxOpenConns(1)
	for done, wrong := 0, 0; done < *harness.OracleN && wrong < mostDifferences; {
		table := drawTable(r, "t")
		made := maybeTemporary(r, table.create(r))
		t.Log(made)
		for _, db := range []*sql.DB{ours, theirs} {
			harness.Must(t, db, "DROP TABLE IF EXISTS t", made)
		}
		for range 60 {
			done++
			if !compare(t, ours, theirs, &table, r) || !compareRows(t, ours, theirs, table.hinted(table.indexQuery(r), "")) {
				wrong++
				break // later statements would differ because of this one
			}
		}
	}
}

// maybeTemporary makes some tables temporary.
func maybeTemporary(r *rand.Rand, create string) string {
	if r.IntN(4) > 0 || strings.Contains(create, "PARTITION BY") {
		return create
	}
	return strings.Replace(create, "CREATE TABLE", "CREATE TEMPORARY TABLE", 1)
}

// equality returns a condition that a column equals one of the values that are often inserted.
func (d *drawnTable) equality(r *rand.Rand, i int) string {
	list := slices.DeleteFunc(slices.Clone(d.types[i].literals), func(l string) bool { return d.types[i].compares(l) })
	return fmt.Sprintf("c%d = %s", i, harness.Pick(r, list))
}

// comparesDays reports whether one of two columns has days and the other numbers: to MariaDB, a number that is no day
// equals the zero date; MySQL compares numbers.
func (d *drawnTable) comparesDays(i, j int) bool {
	isDay := func(i int) bool { return strings.HasPrefix(d.types[i].declared, "date") }
	isNumber := func(i int) bool {
		return !isDay(i) && !strings.Contains(d.types[i].declared, "char") && d.types[i].declared != "varbinary(8)" && !d.types[i].long()
	}
	return isDay(i) && isNumber(j) || isDay(j) && isNumber(i)
}

// hinted returns a query with a hint for each of its tables, in the places marked for hints.
func (d *drawnTable) hinted(query, verb string) string {
	hint := ""
	if verb != "" {
		hint = verb + " INDEX (" + strings.Join(d.indexes, ", ") + ")"
	}
	return strings.ReplaceAll(query, "#", hint)
}

// indexQuery returns a query that indexes may serve; # marks the places for hints.
func (d *drawnTable) indexQuery(r *rand.Rand) string {
	from := d.name + " a #"
	i, j := d.column(r), d.column(r)
	text := func(f string, i int) string {
		if d.types[i].declared == "year" { // MariaDB's MIN of 0000 is the text 0
			return fmt.Sprintf("%s(c%d) + 0", f, i)
		}
		return fmt.Sprintf("HEX(UPPER(%s(c%d)))", f, i)
	}
	for range 3 { // prefer one with an index
		if !d.indexed[i] {
			i = d.column(r)
		}
	}
	way := harness.Pick(r, []string{"", " DESC"})
	byKey := func(alias string) string {
		return alias + "." + strings.ReplaceAll(d.key(), ", ", way+", "+alias+".") + way
	}
	switch r.IntN(16) {
	case 12:
		outer := harness.Pick(r, []int{i, 0})
		inner := harness.Pick(r, []int{i, 0})
		if d.comparesDays(outer, inner) {
			inner = outer
		}
		return fmt.Sprintf("SELECT %s FROM %s WHERE EXISTS (SELECT 1 FROM %s b # WHERE b.c%d = a.c%d AND %s) ORDER BY %s", byKeyOf(d, "a"), from,
			d.name, inner, outer, d.condition(r), byKey("a"))
	case 13:
		return fmt.Sprintf("SELECT %s FROM %s WHERE (a.c%d, a.c%d) IN (SELECT b.c%d, b.c%d FROM %s b # %s) ORDER BY %s", byKeyOf(d, "a"), from, i, j, i, j,
			d.name, d.where(r), byKey("a"))
	case 14:
		return fmt.Sprintf("SELECT %s FROM %s WHERE a.c%d %s (SELECT %s(b.c%d) FROM %s b # %s) ORDER BY %s", byKeyOf(d, "a"), from, i,
			harness.Pick(r, []string{"=", ">=", "<"}), harness.Pick(r, []string{"MIN", "MAX"}), i, d.name, d.where(r), byKey("a"))
	case 15:
		return fmt.Sprintf("SELECT %s FROM %s WHERE %s AND %s AND %s ORDER BY %s", byKeyOf(d, "a"), from, d.equality(r, i), d.equality(r, j), d.condition(r),
			byKey("a"))
	case 0, 1:
		return fmt.Sprintf("SELECT * FROM %s%s ORDER BY c%d%s, %s LIMIT %d", from, d.where(r), i, way, byKey("a"), 1+r.IntN(6))
	case 2:
		return fmt.Sprintf("SELECT c%d FROM %s%s ORDER BY c%d%s, %s LIMIT %d, %d", i, from, d.where(r), i, way, byKey("a"), r.IntN(3), 1+r.IntN(6))
	case 3:
		return fmt.Sprintf("SELECT c%d, c%d, %s FROM %s%s ORDER BY c%d%s, c%d%s, %s LIMIT 20", i, j, d.key(), from, d.where(r), i, way, j, way, byKey("a"))
	case 4:
		return fmt.Sprintf("SELECT %s, %s, COUNT(c%d) FROM %s%s", text("MIN", i), text("MAX", i), i, from, d.where(r))
	case 5:
		return fmt.Sprintf("SELECT %s FROM %s%s", text(harness.Pick(r, []string{"MIN", "MAX"}), i), from, d.where(r))
	case 6:
		return fmt.Sprintf("SELECT COUNT(*) FROM (SELECT DISTINCT c%d FROM %s%s) d", i, from, d.where(r))
	case 7:
		return fmt.Sprintf("SELECT HEX(UPPER(c%d)), COUNT(*), COUNT(c%d) FROM %s%s GROUP BY c%d ORDER BY 1, 2, 3", i, j, from, d.where(r), i)
	case 8:
		return fmt.Sprintf("SELECT %s, %s FROM %s %s JOIN %s b # ON b.c%d = a.c%d ORDER BY %s, %s LIMIT 50", byKeyOf(d, "a"), byKeyOf(d, "b"), from,
			harness.Pick(r, []string{"", "LEFT"}), d.name, i, i, byKey("a"), byKey("b"))
	case 9:
		return fmt.Sprintf("SELECT %s FROM %s WHERE %s EXISTS (SELECT 1 FROM %s b # WHERE b.c%d = a.c%d AND b.c0 <> a.c0) ORDER BY %s", byKeyOf(d, "a"), from,
			harness.Pick(r, []string{"", "NOT"}), d.name, i, i, byKey("a"))
	case 10:
		return fmt.Sprintf("SELECT %s, (SELECT COUNT(*) FROM %s b # WHERE b.c%d = a.c%d) FROM %s ORDER BY %s", byKeyOf(d, "a"), d.name, i, i, from, byKey("a"))
	}
	return fmt.Sprintf("SELECT %s FROM %s WHERE c%d %s IN (SELECT b.c%d FROM %s b # %s) ORDER BY %s", byKeyOf(d, "a"), from, i,
		harness.Pick(r, []string{"", "NOT"}), i, d.name, d.where(r), byKey("a"))
}

// byKeyOf returns the columns of the primary key.
func byKeyOf(d *drawnTable, alias string) string {
	return alias + "." + strings.ReplaceAll(d.key(), ", ", ", "+alias+".")
}
