package typed

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/generate"
	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// drawnType is a type of the drawn tables, with literals of its values.
type drawnType struct {
	declared string
	key      bool // a primary key may have it
	literals []string
}

// generated reports whether a column of the type is generated, so that it may only be set to DEFAULT.
func (d *drawnType) generated() bool { return strings.Contains(d.declared, " AS ") }

// computed reports whether a column of the type has an expression.
func (d *drawnType) computed() bool {
	return d.generated() || strings.Contains(d.declared, "DEFAULT (")
}

var drawnTypes = []drawnType{
	{"int", true, []string{"-2147483648", "-1", "0", "1", "2", "7", "100", "2147483647", "'12'", "1.5"}},
	{"tinyint unsigned", true, []string{"0", "1", "2", "7", "255", "256", "-1"}},
	{"bigint", true, []string{"-9223372036854775808", "-1", "0", "3", "9223372036854775807"}},
	{"bigint unsigned", true, []string{"0", "1", "18446744073709551615"}},
	{"decimal(8,2)", true, []string{"-10.5", "0", "0.01", "7", "999999.99", "1e3"}},
	{"varchar(12) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", true,
		[]string{"''", "'a'", "'A'", "'ab'", "'b'", "'é'", "'zz'", "'much too long a text'", "7"}},
	{"char(4) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", true, []string{"''", "'a'", "'ab'", "'b'", "'long text'"}},
	{"varbinary(8)", true, []string{"''", "X'00'", "X'0001'", "X'FF'", "'a'", "X'6100'"}},
	{"date", true, []string{"'2024-02-29'", "'1999-12-31'", "'2024-03-01'", "20240301", "'not a date'"}},
	{"datetime(3)", true, []string{"'2024-02-29 12:30:00.5'", "'2000-01-01'", "'2024-02-29 12:30:00.1239'"}},
	{"time", true, []string{"'10:00:00'", "'-01:30:00'", "'838:59:59'", "100"}},
	{"double", false, []string{"-1.5", "0", "3.25", "1e10"}},
	{"text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", false, []string{"''", "'a'", "'some text'", "'b'"}},
	{"year", false, []string{"2024", "1999", "70"}},
	{"blob", false, []string{"''", "'a'", "X'00FF'", "X'6100'"}},
}

// long reports whether the type is one of those whose indexes are of prefixes and whose defaults are expressions.
func (d *drawnType) long() bool {
	return strings.HasPrefix(d.declared, "text") || strings.HasPrefix(d.declared, "blob")
}

// compares reports whether a literal compares with the type otherwise than it is stored: a text with a
// number as a number, a year of two digits as that number, a time with more digits than the column
// has, which MariaDB rounds, as it rounds a number that it looks up in an index, and a number outside the range of a
// small type.
func (d *drawnType) compares(literal string) bool {
	isText := strings.Contains(d.declared, "utf8mb4")
	return isText && literal == "7" || d.declared == "tinyint unsigned" && (literal == "256" || literal == "-1") || d.declared == "int" && literal == "1.5" || d.declared == "year" && literal == "70" || literal == "'not a date'" || strings.Contains(literal, ".1239")
}

// drawnTable is a table of random columns: c0 and so on, the first of which are its key.
type drawnTable struct {
	name  string
	types []drawnType
	keys  int
	// unique are the columns of unique indexes, indexed those of any index.
	unique, indexed map[int]bool
	// indexes are the names of the secondary indexes.
	indexes []string
	// parts are its partitions, hashed the number of partitions BY KEY.
	parts  []drawnPart
	hashed int
	// checked is set of one with a CHECK, which MariaDB does not let IGNORE pass by for one row.
	checked bool
}

func drawTable(r *rand.Rand, name string) (out drawnTable) {
	out.name, out.keys = name, 1+r.IntN(3)
	for len(out.types) < out.keys+1+r.IntN(4) {
		typ := harness.Pick(r, drawnTypes)
		if typ.key || len(out.types) >= out.keys {
			out.types = append(out.types, typ)
		}
	}
	if r.IntN(2) == 0 {
		out.types = append(out.types, out.drawComputed(r))
	}
	return out
}

// drawComputed draws a column with an expression over those before it.
func (d *drawnTable) drawComputed(r *rand.Rand) drawnType {
	at := r.IntN(len(d.types))
	for at > 0 && strings.HasPrefix(d.types[at].declared, "char") { // MariaDB's depends on sql_mode (1901)
		at--
	}
	of := fmt.Sprintf("c%d", at)
	if strings.HasPrefix(d.types[at].declared, "char") {
		of = "1"
	}
	x := fmt.Sprintf(harness.Pick(r, []string{"(%s IS NULL)", "(coalesce(length(%s), 3) * 2)", "(length(%s) + 1)"}), of)
	if strings.HasPrefix(d.types[len(d.types)-1].declared, "double") {
		x = "(1 + 1)" // a double differs as a text
	}
	numbers := []string{"0", "1", "2", "3", "6", "100"}
	switch r.IntN(3) {
	case 0:
		return drawnType{declared: "bigint DEFAULT " + x, literals: numbers}
	case 1:
		return drawnType{declared: "bigint AS " + x + " STORED", literals: numbers}
	}
	return drawnType{declared: "int GENERATED ALWAYS AS " + x + " VIRTUAL", literals: numbers}
}

func (d *drawnTable) create(r *rand.Rand) string {
	var lines, key []string
	for i, typ := range d.types {
		line := fmt.Sprintf("c%d %s", i, typ.declared)
		switch {
		case i < d.keys:
			line += " NOT NULL"
			key = append(key, fmt.Sprintf("c%d", i))
		case typ.computed() || strings.Contains(typ.declared, "NOT NULL"):
		case r.IntN(4) == 0:
			line += " NOT NULL"
		case r.IntN(3) == 0 && typ.long():
			line += " DEFAULT (" + typ.literals[1] + ")"
		case r.IntN(3) == 0 && !typ.long():
			line += " DEFAULT " + typ.literals[1]
		}
		lines = append(lines, line)
	}
	if d.checked = r.IntN(3) == 0; d.checked {
		lines = append(lines, "CONSTRAINT k CHECK ("+d.condition(r)+" OR c0 = "+d.types[0].literals[0]+")")
	}
	lines = append(lines, d.drawIndexes(r)...)
	return fmt.Sprintf("CREATE TABLE %s (%s, PRIMARY KEY (%s))%s", d.name, strings.Join(lines, ", "), strings.Join(key, ", "),
		d.drawPartitions(r))
}

// drawIndexes draws definitions of secondary indexes.
func (d *drawnTable) drawIndexes(r *rand.Rand) (lines []string) {
	d.unique, d.indexed, d.indexes = map[int]bool{}, map[int]bool{}, nil
	for n := range r.IntN(4) {
		if line, added := d.drawIndex(r, fmt.Sprintf("x%d", n), r.IntN(3) == 0); line != "" {
			added()
			lines = append(lines, line)
		}
	}
	return lines
}

// drawIndex draws the definition of an index of that name, or nothing; added notes that the table has it.
func (d *drawnTable) drawIndex(r *rand.Rand, name string, unique bool) (line string, added func()) {
	var parts []string
	var columns []int
	for _, at := range r.Perm(len(d.types))[:1+r.IntN(min(3, len(d.types)))] {
		part, declared := fmt.Sprintf("c%d", at), d.types[at].declared
		if strings.HasSuffix(declared, "VIRTUAL") && d.ofTime() {
			continue // 1235
		}
		if d.types[at].long() || strings.HasPrefix(declared, "varchar") && r.IntN(2) == 0 {
			part += fmt.Sprintf("(%d)", 1+r.IntN(3))
		}
		parts, columns = append(parts, part), append(columns, at)
	}
	if len(parts) == 0 {
		return "", nil
	}
	kind := "KEY"
	if unique {
		kind = "UNIQUE KEY"
	}
	return fmt.Sprintf("%s %s (%s)", kind, name, strings.Join(parts, ", ")), func() {
		d.indexes = append(d.indexes, name)
		for _, at := range columns {
			d.indexed[at], d.unique[at] = true, d.unique[at] || unique
		}
	}
}

// ofTime reports whether a column is a TIME, which virtual columns with an index may not read.
func (d *drawnTable) ofTime() bool {
	return slices.ContainsFunc(d.types, func(t drawnType) bool { return t.declared == "time" })
}

func (d *drawnTable) literal(r *rand.Rand, column int) string {
	if typ := &d.types[column]; typ.generated() || typ.computed() && r.IntN(2) == 0 {
		return "DEFAULT"
	}
	if column >= d.keys && r.IntN(6) == 0 {
		return "NULL"
	}
	return harness.Pick(r, d.types[column].literals)
}

func (d *drawnTable) column(r *rand.Rand) int { return r.IntN(len(d.types)) }

// compared draws a value that a column can be compared with.
func (d *drawnTable) compared(r *rand.Rand, column int) string {
	typ := &d.types[column]
	return harness.Pick(r, slices.DeleteFunc(slices.Clone(typ.literals), func(l string) bool { return typ.compares(l) }))
}

// named draws conditions that name rows by all columns of their keys.
func (d *drawnTable) named(r *rand.Rand) string {
	list := make([]string, d.keys)
	for i := range list {
		a, b := d.compared(r, i), d.compared(r, i)
		list[i] = fmt.Sprintf(harness.Pick(r, []string{"c%[1]d = %[2]s", "c%[1]d IN (%[2]s, %[3]s)", "c%[1]d IN (%[2]s, NULL, %[3]s)",
			"(c%[1]d = %[2]s OR c%[1]d = %[3]s)"}), i, a, b)
	}
	return " WHERE " + strings.Join(list, " AND ")
}

// condition draws one that compares columns with values of their own type.
func (d *drawnTable) condition(r *rand.Rand) string {
	i := d.column(r)
	if r.IntN(3) > 0 {
		i = r.IntN(d.keys)
	}
	a, b := d.compared(r, i), d.compared(r, i)
	if strings.EqualFold(a, b) {
		b = a // MariaDB treats a range from 'A' to 'a' as 'A', whatever the column's collation
	}
	switch r.IntN(7) {
	case 0:
		return fmt.Sprintf("c%d BETWEEN %s AND %s", i, a, b)
	case 1:
		return fmt.Sprintf("c%d IN (%s, %s)", i, a, b)
	case 2:
		if strings.HasPrefix(d.types[i].declared, "date") {
			break // MariaDB treats its zero as NULL
		}
		return fmt.Sprintf("c%d IS NOT NULL", i)
	case 3:
		return fmt.Sprintf("(%s OR %s)", d.condition(r), d.condition(r))
	case 4:
		return fmt.Sprintf("NOT (%s)", d.condition(r))
	}
	return fmt.Sprintf("c%d %s %s", i, harness.Pick(r, []string{"=", "=", "=", "<", "<=", ">", ">=", "<>"}), a)
}

func (d *drawnTable) where(r *rand.Rand) string {
	if r.IntN(4) == 0 {
		return d.named(r)
	}
	list := make([]string, r.IntN(4))
	for i := range list {
		list[i] = d.condition(r)
	}
	if len(list) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(list, " AND ")
}

func (d *drawnTable) values(r *rand.Rand) string {
	list := make([]string, len(d.types))
	for i := range list {
		list[i] = d.literal(r, i)
	}
	return "(" + strings.Join(list, ", ") + ")"
}

func (d *drawnTable) change(r *rand.Rand) string {
	i := d.column(r)
	set := fmt.Sprintf("c%d = %s", i, d.literal(r, i))
	switch r.IntN(8) {
	case 0:
		return "REPLACE INTO " + d.name + " VALUES " + d.values(r)
	case 1:
		return "INSERT IGNORE INTO " + d.name + " VALUES " + d.values(r) + ", " + d.values(r)
	case 2:
		if (i < d.keys || d.unique[i]) && r.IntN(2) == 0 {
			if i = d.keys; d.unique[i] {
				return d.change(r)
			}
			set = fmt.Sprintf("c%d = %s", i, d.literal(r, i))
		}
		return "INSERT INTO " + d.name + " VALUES " + d.values(r) + " ON DUPLICATE KEY UPDATE " + set
	case 3:
		if i < d.keys || d.unique[i] { // otherwise the result would depend on the order of the rows
			return "UPDATE " + d.name + " SET " + set + d.where(r) + " ORDER BY " + d.key() + " LIMIT 1"
		}
		return "UPDATE " + d.name + " SET " + set + d.where(r)
	case 4:
		if r.IntN(3) == 0 {
			return "DELETE FROM " + d.name + d.where(r) + " ORDER BY " + d.key() + " LIMIT 2"
		}
		if r.IntN(2) == 0 {
			return "DELETE FROM " + d.name + d.named(r)
		}
		return "DELETE FROM " + d.name + " WHERE " + d.condition(r) + " AND " + d.condition(r) + " AND " + d.condition(r)
	}
	return "INSERT INTO " + d.name + " VALUES " + d.values(r)
}

func (d *drawnTable) key() string {
	list := make([]string, d.keys)
	for i := range list {
		list[i] = fmt.Sprintf("c%d", i)
	}
	return strings.Join(list, ", ")
}

func (d *drawnTable) query(r *rand.Rand) string {
	i := d.column(r)
	switch r.IntN(6) {
	case 0:
		return fmt.Sprintf("SELECT COUNT(*), COUNT(c%d), MIN(c%d), MAX(c%d) FROM %s%s", i, i, i, d.name, d.where(r))
	case 1:
		return fmt.Sprintf("SELECT c%d, COUNT(*) FROM %s%s GROUP BY c%d ORDER BY c%d", i, d.name, d.where(r), i, i)
	case 2:
		desc := strings.ReplaceAll(d.key(), ",", " DESC,") + " DESC"
		return fmt.Sprintf("SELECT * FROM %s%s ORDER BY %s LIMIT %d", d.name, d.where(r), desc, 1+r.IntN(5))
	case 3:
		return fmt.Sprintf("SELECT a.c0, b.c0 FROM %s a JOIN %s b ON a.c%d = b.c%d ORDER BY %s, %s LIMIT 50", d.name, d.name, i, i,
			"a."+strings.ReplaceAll(d.key(), ", ", ", a."), "b."+strings.ReplaceAll(d.key(), ", ", ", b."))
	}
	return fmt.Sprintf("SELECT * FROM %s%s ORDER BY %s", d.name, d.where(r), d.key())
}

// TestLiveTypedTables draws tables and statements, and compares the results with MariaDB's.
func TestLiveTypedTables(t *testing.T) {
	theirs := liveMariaDB(t)
	r := rand.New(rand.NewPCG(testseed.Of(t), 1))
	ours := harness.OpenEmbedded(t, harness.MemoryDSN())
	for done, wrong := 0, 0; done < *harness.OracleN && wrong < mostDifferences; {
		table := drawTable(r, "t")
		made := table.create(r)
		t.Log(made)
		harness.Must(t, ours, "DROP TABLE IF EXISTS t", made)
		harness.Must(t, theirs, "DROP TABLE IF EXISTS t", made)
		for i := range 100 {
			done++
			if i%20 == 19 && !alter(t, ours, theirs, &table, r) || i%10 == 7 && !compareLoads(t, ours, theirs, &table, r) {
				wrong++
				break
			}
			if !compare(t, ours, theirs, &table, r) {
				wrong++
				break // later statements would differ because of this one
			}
		}
		requireSoundTable(t, ours, "t")
		requireSameAgain(t, ours, "t")
		require.Equal(t, harness.Single(t, ours, "SELECT COUNT(*) FROM t"),
			harness.Single(t, ours, "SELECT /*+ VERSIONS(1) */ COUNT(*) FROM t$d WHERE Q = ''"), "a row has one cell without a qualifier")
	}
}

// mostDifferences is how many differences a test reports.
const mostDifferences = 12

// liveMariaDB returns a database of the MariaDB server that the flags name, with one connection.
func liveMariaDB(t *testing.T) *sql.DB {
	if *harness.MariaDB == "" {
		t.Skip("no live MariaDB: -mariadb=start")
	}
	dsn := *harness.MariaDB
	if dsn == "start" {
		dsn = harness.StartMariaDB(t)
	}
	theirs, err := sql.Open("mysql", dsn+"?sql_mode='STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,TIME_ROUND_FRACTIONAL'")
	require.NoError(t, err)
	t.Cleanup(func() { _ = theirs.Close() })
	theirs.SetMaxOpenConns(1)
	require.Eventually(t, func() bool { return theirs.Ping() == nil }, time.Minute, 50*time.Millisecond)
	harness.Must(t, theirs, "DROP DATABASE IF EXISTS typed", "CREATE DATABASE typed CHARACTER SET utf8mb4", "USE typed")
	return theirs
}

func compare(t *testing.T, ours, theirs *sql.DB, table *drawnTable, r *rand.Rand) bool {
	if r.IntN(2) == 0 {
		return compareAnswers(t, ours, theirs, argumentsFor(r, table.query(r)))
	}
	change := table.change(r)
	table.resetPartitions(t, theirs, change)
	v := argumentsFor(r, change)
	n, err := affectedBy(ours, v)
	m, want := affected(theirs, v.Literal)
	if n == 0 && m == 1 && (table.countsTheSame(change) || countsNull(t, ours, change)) {
		m = 0
	}
	if !sameNumber(err, want) || n != m {
		t.Errorf("%s %v\n  ours:   %d %v\n  theirs: %d %v", v.Prepared, v.Args, n, err, m, want)
		return false
	}
	return compareRows(t, ours, theirs, "SELECT * FROM t ORDER BY "+table.key())
}

// countsTheSame reports whether MariaDB counts a row that a statement does not change: the server does not
// compare rows that have a TEXT, nor some with indexes, and its engine, which does, reports it too late.
func (d *drawnTable) countsTheSame(change string) bool {
	hasLong := slices.ContainsFunc(d.types, func(t drawnType) bool { return t.long() })
	return (hasLong || len(d.indexes) > 0) && strings.Contains(change, "ON DUPLICATE KEY UPDATE")
}

var setsNull = regexp.MustCompile(` ON DUPLICATE KEY UPDATE (c\d+) = NULL$`)

// countsNull reports whether MariaDB counts a row that a statement does not change because it sets a
// column that is NULL to NULL: if the column has a default, its server also compares the bytes behind the
// NULL, which are those of the default in one of the rows.
func countsNull(t *testing.T, ours *sql.DB, change string) bool {
	found := setsNull.FindStringSubmatch(change)
	if found == nil {
		return false
	}
	var of, def sql.NullString
	require.NoError(t, ours.QueryRow("SHOW COLUMNS FROM t LIKE '"+found[1]+"'").Scan(&of, &of, &of, &of, &def, &of))
	return def.Valid // in temporary tables, too
}

// resetPartitions makes MariaDB read all partitions before an UPDATE or a DELETE with ORDER BY: after
// a statement whose condition matches no partition, it does not select them again and finds no row.
func (d *drawnTable) resetPartitions(t *testing.T, theirs *sql.DB, change string) {
	if (len(d.parts) > 0 || d.hashed > 0) && strings.Contains(change, " ORDER BY ") {
		_, err := harness.TryLines(theirs, "SELECT COUNT(*) FROM "+d.name)
		require.NoError(t, err)
	}
}

func affected(db *sql.DB, statement string, args ...any) (int64, error) {
	result, err := db.Exec(statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// argumentsFor makes arguments of the literals of three statements of four. Numbers with a fraction stay, since
// a float64 is another type.
func argumentsFor(r *rand.Rand, statement string) generate.Variant {
	literals := generate.LiteralsOf(statement)
	some := r.IntN(4) > 0
	return generate.VariantOf(nil, statement, true, literals, func(i int) bool {
		_, err := strconv.ParseFloat(literals[i].Text, 64)
		return some && (err != nil || !strings.ContainsAny(literals[i].Text, ".eE"))
	})
}

// affectedBy is affected for a statement with arguments; where none are allowed, with literals.
func affectedBy(db *sql.DB, v generate.Variant) (int64, error) {
	n, err := affected(db, v.Prepared, v.Args...)
	if len(v.Args) > 0 && harness.ErrorNumber(err) == 1064 {
		return affected(db, v.Literal)
	}
	return n, err
}

func compareRows(t *testing.T, ours, theirs *sql.DB, query string) bool {
	return compareAnswers(t, ours, theirs, generate.Variant{Prepared: query, Literal: query})
}

// compareAnswers compares our answer with arguments to the other's with literals.
func compareAnswers(t *testing.T, ours, theirs *sql.DB, v generate.Variant) bool {
	got, err := harness.TryLines(ours, v.Prepared, v.Args...)
	if len(v.Args) > 0 && harness.ErrorNumber(err) == 1064 {
		got, err = harness.TryLines(ours, v.Literal)
	}
	want, wrong := harness.TryLines(theirs, v.Literal)
	same := harness.ErrorNumber(err) == harness.ErrorNumber(wrong) && slices.Equal(got, want)
	if !same {
		t.Errorf("%s %v\n  ours:   %v %v\n  theirs: %v %v", v.Prepared, v.Args, got, err, want, wrong)
	}
	return same
}
