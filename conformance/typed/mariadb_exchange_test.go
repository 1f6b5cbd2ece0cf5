package typed

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// TestLivePartitionsIndexed draws changes of the rows, the partitions and the indexes of a table, and exchanges
// with another one, and compares the rows of both with MariaDB's after each, by each index.
func TestLivePartitionsIndexed(t *testing.T) {
	theirs := liveMariaDB(t)
	r := rand.New(rand.NewPCG(testseed.Of(t), 9))
	for done := 0; done < *harness.OracleN && !t.Failed(); {
		p := &partedPair{ours: one(t), theirs: theirs, key: harness.Pick(r, partedKeys)}
		p.begin(t, r)
		for range 60 {
			if done++; !p.step(t, r) {
				break
			}
		}
	}
}

// partedKey is a column by which a table is partitioned: its type, and values in their order.
type partedKey struct {
	declared string
	values   []string
}

var partedKeys = []partedKey{
	{"int", []string{"-2147483648", "-1", "0", "1", "7", "8", "255", "256", "65535", "65536", "2147483647"}},
	{"smallint unsigned", []string{"0", "1", "2", "127", "128", "255", "256", "257", "32768", "65534", "65535"}},
	{"date", []string{"'0001-01-01'", "'1999-12-31'", "'2024-02-28'", "'2024-02-29'", "'2024-03-01'", "'2026-01-01'", "'9999-12-31'"}},
	{"varbinary(8)", []string{"''", "X'00'", "X'0001'", "'a'", "X'6100'", "'ab'", "'b'", "X'FE'", "X'FF'", "X'FFFF'"}},
	{"varchar(8) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", []string{"''", "'A'", "'a'", "'ab'", "'b'", "'é'", "'\U0001F600'"}},
}

// partedPair are the tables t, which has partitions, and x, with the same indexes, in both databases.
type partedPair struct {
	ours, theirs *sql.DB
	key          partedKey
	parts        []drawnPart       // without a bound: MAXVALUE
	indexes      map[string]string // columns by name, with UNIQUE before
	named        int
	broken       bool // see both
}

// drawnIndexes begin with the partitions' column, or do not; MariaDB allows UNIQUE only with it.
var drawnIndexes = []string{"UNIQUE (d, a)", "UNIQUE (d, b(2))", "UNIQUE (d, b, a)", "UNIQUE (d, id)", "KEY (d)", "KEY (d, b, a)",
	"KEY (a)", "KEY (b(3), d)", "KEY (a, d)", "UNIQUE (a, d)", "UNIQUE (id, d)"}

func (p *partedPair) begin(t *testing.T, r *rand.Rand) {
	p.indexes = map[string]string{}
	columns := "(d " + p.key.declared + " NOT NULL, id int NOT NULL, a int, b varchar(20), PRIMARY KEY (d, id))"
	for _, db := range []*sql.DB{p.ours, p.theirs} {
		harness.Must(t, db, "DROP TABLE IF EXISTS t, x", "CREATE TABLE t "+columns, "CREATE TABLE x "+columns)
	}
	p.parts = p.drawParts(r)
	p.both(t, "ALTER TABLE t PARTITION BY RANGE COLUMNS (d) ("+joined(p.parts)+")")
	for range 1 + r.IntN(4) {
		p.addIndex(t, r)
	}
}

// drawParts are partitions of ranges.
func (p *partedPair) drawParts(r *rand.Rand) (out []drawnPart) {
	for _, bound := range p.key.values[1:] {
		if r.IntN(2) == 0 {
			p.named++
			out = append(out, drawnPart{fmt.Sprintf("p%d", p.named), bound})
		}
	}
	if len(out) == 0 || r.IntN(3) > 0 {
		p.named++
		out = append(out, drawnPart{fmt.Sprintf("p%d", p.named), ""})
	}
	return out
}

// both runs a statement on both sides, which must agree on its error. After an exchange of tables whose indexes have
// been dropped and added in another order, MariaDB may fail with 1030: the pair is then broken.
func (p *partedPair) both(t *testing.T, statement string) (done bool) {
	t.Log(statement)
	_, err := p.ours.Exec(statement)
	_, want := p.theirs.Exec(statement)
	number := harness.ErrorNumber(want)
	if number == 1030 {
		p.broken = true
		return false
	}
	if harness.ErrorNumber(err) == 1737 && number == 1526 { // no partition has the row
		number = 1737
	}
	if harness.ErrorNumber(err) != number {
		t.Errorf("%s\n  ours:   %v\n  theirs: %v", statement, err, want)
	}
	return err == nil
}

func (p *partedPair) addIndex(t *testing.T, r *rand.Rand) {
	p.named++
	name, index := fmt.Sprintf("i%d", p.named), harness.Pick(r, drawnIndexes)
	declared := strings.Replace(index, " (", " "+name+" (", 1)
	if p.both(t, "ALTER TABLE t ADD "+declared) {
		if !p.both(t, "ALTER TABLE x ADD "+declared) {
			p.both(t, "DELETE FROM x")
			p.both(t, "ALTER TABLE x ADD "+declared)
		}
		p.indexes[name] = index
	}
}

// step changes something, and compares.
func (p *partedPair) step(t *testing.T, r *rand.Rand) bool {
	i := r.IntN(len(p.parts))
	part := p.parts[i]
	switch n := r.IntN(20); {
	case n < 8:
		p.write(t, r)
	case n < 12:
		p.exchange(t, r, i)
	case n == 12:
		p.both(t, "ALTER TABLE t TRUNCATE PARTITION "+part.name)
	case n == 13 && p.both(t, "ALTER TABLE t DROP PARTITION "+part.name):
		p.parts = slices.Delete(p.parts, i, i+1)
	case n == 14 && i > 0:
		p.named++
		merged := drawnPart{fmt.Sprintf("p%d", p.named), part.below}
		if p.both(t, fmt.Sprintf("ALTER TABLE t REORGANIZE PARTITION %s, %s INTO (%v)", p.parts[i-1].name, part.name, merged)) {
			p.parts = slices.Replace(p.parts, i-1, i+1, merged)
		}
	case n == 15 || n == 16:
		p.split(t, r, i)
	case n == 17:
		p.addIndex(t, r)
	case n == 18 && len(p.indexes) > 1:
		for name := range p.indexes {
			p.both(t, "DROP INDEX "+name+" ON t")
			p.both(t, "DROP INDEX "+name+" ON x")
			delete(p.indexes, name)
			break
		}
	case n == 19:
		parts := p.drawParts(r)
		if p.both(t, "ALTER TABLE t PARTITION BY RANGE COLUMNS (d) ("+joined(parts)+")") {
			p.parts = parts
		}
	}
	return p.same(t)
}

// write changes rows of one of the tables.
func (p *partedPair) write(t *testing.T, r *rand.Rand) {
	table := harness.Pick(r, []string{"t", "t", "x"})
	var rows []string
	for range 1 + r.IntN(12) {
		rows = append(rows, fmt.Sprintf("(%s, %d, %s, 'b%d')", harness.Pick(r, p.key.values), r.IntN(4), harness.Pick(r, []string{"NULL", "1", "2", "3"}), r.IntN(20)))
	}
	statement := "REPLACE INTO " + table + " VALUES " + rows[0]
	switch r.IntN(6) {
	case 0:
		statement = fmt.Sprintf("UPDATE IGNORE %s SET a = a + 1 WHERE id = %d ORDER BY d, id", table, r.IntN(4))
	case 1:
		statement = fmt.Sprintf("DELETE FROM %s WHERE a = %d", table, r.IntN(5))
	case 2, 3:
		statement = "INSERT IGNORE INTO " + table + " VALUES " + strings.Join(rows, ", ")
	}
	p.both(t, statement)
}

// exchange exchanges a partition with x, in which rows of other partitions are mostly removed.
func (p *partedPair) exchange(t *testing.T, r *rand.Rand, i int) {
	var outside []string
	if below := p.parts[i].below; below != "" {
		outside = append(outside, "d >= "+below)
	}
	if i > 0 {
		outside = append(outside, "d < "+p.parts[i-1].below)
	}
	if len(outside) > 0 && r.IntN(4) > 0 {
		p.both(t, "DELETE FROM x WHERE "+strings.Join(outside, " OR "))
	}
	for name, index := range p.indexes { // those of which entries of other partitions may lie between
		if strings.HasPrefix(index, "UNIQUE") && !strings.HasPrefix(index, "UNIQUE (d") {
			_, err := p.ours.Exec("ALTER TABLE t EXCHANGE PARTITION " + p.parts[i].name + " WITH TABLE x")
			require.Contains(t, []uint16{1235, 1737}, harness.ErrorNumber(err))
			p.both(t, "DROP INDEX "+name+" ON t")
			p.both(t, "DROP INDEX "+name+" ON x")
			delete(p.indexes, name)
		}
	}
	p.both(t, "ALTER TABLE t EXCHANGE PARTITION "+p.parts[i].name+" WITH TABLE x")
}

// split divides a partition at one of the values.
func (p *partedPair) split(t *testing.T, r *rand.Rand, i int) {
	at := harness.Pick(r, p.key.values[1:])
	p.named += 2
	lower, upper := drawnPart{fmt.Sprintf("p%d", p.named-1), at}, drawnPart{fmt.Sprintf("p%d", p.named), p.parts[i].below}
	rank := func(bound string) int { return slices.Index(p.key.values, bound) }
	if upper.below != "" && rank(at) >= rank(upper.below) || i > 0 && rank(at) <= rank(p.parts[i-1].below) {
		return
	}
	if p.both(t, fmt.Sprintf("ALTER TABLE t REORGANIZE PARTITION %s INTO (%v, %v)", p.parts[i].name, lower, upper)) {
		p.parts = slices.Replace(p.parts, i, i+1, lower, upper)
	}
}

// same compares the rows of both tables, in ours by each index.
func (p *partedPair) same(t *testing.T) bool {
	for _, table := range []string{"t", "x"} {
		if _, err := harness.TryLines(p.theirs, "SELECT * FROM "+table); p.broken || harness.ErrorNumber(err) == 1030 {
			return false
		}
		if !compareRows(t, p.ours, p.theirs, "SELECT * FROM "+table+" ORDER BY d, id") {
			return false
		}
		want := harness.Lines(t, p.ours, "SELECT * FROM "+table+" FORCE INDEX (PRIMARY) ORDER BY d, a, id")
		for name := range p.indexes {
			got := harness.Lines(t, p.ours, "SELECT * FROM "+table+" FORCE INDEX ("+name+") WHERE d >= "+p.key.values[0]+" ORDER BY d, a, id")
			if !slices.Equal(got, want) {
				t.Errorf("%s by %s %s\n  entries: %v\n  rows:    %v", table, name, p.indexes[name], got, want)
			}
		}
		requireSoundTable(t, p.ours, table)
	}
	return !t.Failed()
}
