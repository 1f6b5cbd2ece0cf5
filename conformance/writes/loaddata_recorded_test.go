package writes

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	"github.com/hbasekv/hbasekv/conformance/internal/oracle"
	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
)

// loadCase is a file that is loaded, or one that is written, and MariaDB's
// result.
type loadCase struct {
	Fixed   bool   // into the table of narrow columns
	Text    []byte // the file: to be read or, with INTO OUTFILE, as it was written
	Local   bool
	Clauses string // after the table's name, or after that of the file
	Replace string
	Select  string // the query of INTO OUTFILE; empty for LOAD DATA
	// The result.
	Error    uint16     `json:",omitempty"`
	Affected int64      `json:",omitempty"`
	Warnings []string   `json:",omitempty"`
	Rows     [][]string `json:",omitempty"`
}

const (
	loadsFile  = "../testdata/mariadb/loads.jsonl.gz"
	loadsSeed  = 20261122
	loadsCount = 5000
)

// fileGen generates files and the clauses to read or write them with.
type fileGen struct {
	*rand.Rand
	field, quote, escape, start, line string
}

func anyOf[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// format chooses FIELDS and LINES and returns their clauses.
func (g *fileGen) format(fixed bool) string {
	g.field, g.quote = "", ""
	if !fixed {
		g.field = anyOf(g.Rand, "\t", ",", "--", "ab", ";", "", "aab", "N", "1", "\n")
		g.quote = anyOf(g.Rand, "", `"`, `"`, "'", "x")
		if g.field == "" && g.quote == "" {
			g.field = "\t"
		}
	}
	g.escape = anyOf(g.Rand, `\`, `\`, `\`, "", "#", g.quote)
	g.start = anyOf(g.Rand, "", "", "", "xx", ">", "aba")
	g.line = anyOf(g.Rand, "\n", "\n", "\n", "\r\n", ";", "", "--", ",;", "bbc", g.field)
	optionally := anyOf(g.Rand, "", "OPTIONALLY ")
	if g.quote == "" {
		optionally = ""
	}
	text := " FIELDS TERMINATED BY " + quotedText(g.field) + " " + optionally + "ENCLOSED BY " + quotedText(g.quote) + " ESCAPED BY " +
		quotedText(g.escape)
	return text + " LINES STARTING BY " + quotedText(g.start) + " TERMINATED BY " + quotedText(g.line)
}

func quotedText(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "\x00", `\0`).Replace(s) + "'"
}

// junk returns a text of characters that have a meaning in the format, or nearly
// have one.
func (g *fileGen) junk() []byte {
	var b strings.Builder
	for range g.IntN(40) {
		b.WriteString(anyOf(g.Rand, g.field, g.field, g.field, g.line, g.line, g.quote, g.quote+g.quote, g.escape, g.start, g.escape+"N", `\N`,
			"NULL", "N", "a", "b", "ab", "-", "n", "0", "x", " ", "\n", "\t", ";", "\x00", "\xfe", "é", "123", g.escape+anyOf(g.Rand, "n", "0", "Z",
				"t", "b", "r", "q", `"`)))
	}
	return []byte(b.String())
}

// lines returns rows as a program would write them.
func (g *fileGen) lines(fields int) []byte {
	var b strings.Builder
	for range g.IntN(6) {
		b.WriteString(anyOf(g.Rand, "", "", "junk") + g.start)
		for i := range fields + anyOf(g.Rand, 0, 0, 0, 0, -1, 1) {
			if i > 0 {
				b.WriteString(g.field)
			}
			b.WriteString(g.value())
		}
		b.WriteString(g.line)
	}
	text := b.String()
	if g.IntN(4) == 0 {
		text = strings.TrimSuffix(text, g.line)
	}
	return []byte(text)
}

func (g *fileGen) value() string {
	v := anyOf(g.Rand, "", "a", "b", "NULL", g.escape+"N", "plain text", "é", "\xfe\x00", "1", "-5", "tab\tline\n", g.quote, g.field)
	if g.IntN(2) == 0 {
		v = g.quote + strings.ReplaceAll(v, g.quote, g.quote+g.quote) + g.quote
	}
	return v
}

// times returns a LOAD DATA whose lines have T, in the forms that a BIGINT
// accepts and, if errors are wanted, in others.
func (g *fileGen) times() loadCase {
	c := loadCase{Local: g.IntN(2) == 0, Replace: anyOf(g.Rand, "", "REPLACE", "IGNORE")}
	separator, quote := anyOf(g.Rand, ",", "\t", "--"), anyOf(g.Rand, "", `"`)
	c.Clauses = " FIELDS TERMINATED BY " + quotedText(separator) + " OPTIONALLY ENCLOSED BY " + quotedText(quote) + " (T, K, V, Q)"
	bad := !c.Local && c.Replace == "" || c.Replace == "REPLACE"
	for range g.IntN(6) {
		at := anyOf(g.Rand, "1", "-1", "0", "+7", " 5", "2.5", "-2.5", "1e3", "1.4e1", "9223372036854775807", "-9223372036854775808", "007")
		if bad && g.IntN(8) == 0 {
			at = anyOf(g.Rand, "", "x", "5x", "9223372036854775808", "1e99", "1e999", "-1e99x", "-", ".", "0x10", "1 2", "NULL", "é")
		}
		line := []string{quote + at + quote, quote + anyOf(g.Rand, "a", "b") + quote, anyOf(g.Rand, `\N`, "v", ""), "b"}
		c.Text = append(c.Text, strings.Join(line, separator)+"\n"...)
	}
	return c
}

// load returns a LOAD DATA whose rows use nothing in which hbasekv differs: no
// value is too long, and T is a number that SET computes.
func (g *fileGen) load() loadCase {
	c := loadCase{Fixed: g.IntN(6) == 0, Local: g.IntN(3) > 0, Replace: anyOf(g.Rand, "", "", "REPLACE", "IGNORE")}
	c.Clauses = g.format(c.Fixed)
	if g.IntN(3) == 0 {
		c.Clauses += fmt.Sprintf(" IGNORE %d %s", g.IntN(3), anyOf(g.Rand, "LINES", "ROWS"))
	}
	columns := []string{"K", "Q", "V"}
	g.Shuffle(3, func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	set := " SET T = " + anyOf(g.Rand, "1", "LENGTH(K)", "IFNULL(LENGTH(V), 7)")
	if !c.Fixed && g.IntN(2) == 0 {
		at := g.IntN(4)
		columns = append(columns[:at:at], append([]string{"@a"}, columns[at:]...)...)
		set += anyOf(g.Rand, "", ", V = @a", ", V = CONCAT(V, '-', @a)", ", K = UPPER(K)", ", Q = CONCAT(Q, T)")
	}
	c.Clauses += " (" + strings.Join(columns, ", ") + ")" + set
	c.Text = g.junk()
	if g.IntN(2) == 0 {
		c.Text = g.lines(len(columns))
	}
	charset := " CHARACTER SET binary"
	if utf8.Valid(c.Text) {
		charset = anyOf(g.Rand, "", charset, " CHARACTER SET utf8mb4", " CHARACTER SET utf8")
	}
	c.Clauses = charset + c.Clauses
	return c
}

// save returns a SELECT ... INTO OUTFILE or DUMPFILE.
func (g *fileGen) save() loadCase {
	fixed := g.IntN(6) == 0
	c := loadCase{Fixed: fixed, Clauses: g.format(fixed)}
	columns := []string{"K", "Q", "T", "V"}
	for range g.IntN(4) {
		if !fixed {
			columns = append(columns, anyOf(g.Rand, "T + 1", "NULL", "'it''s'", "DATE '2020-01-02'", "1.50", "LENGTH(V)", "V", "CAST(T AS DECIMAL(10,2))"))
		}
	}
	from := " FROM " + map[bool]string{true: "thin", false: "saved"}[fixed]
	c.Select = "SELECT " + strings.Join(columns, ", ") + from + " ORDER BY K, Q, T"
	if g.IntN(12) == 0 {
		c.Clauses = "DUMP"
		c.Select += fmt.Sprintf(" LIMIT %d, %d", g.IntN(9), anyOf(g.Rand, 0, 1, 1, 1, 1, 3))
	}
	return c
}

func (g *fileGen) next() loadCase {
	switch g.IntN(8) {
	case 0, 1, 2:
		return g.save()
	case 3:
		return g.times()
	}
	return g.load()
}

// fillLoadTables creates the tables that cases load into and save from.
func fillLoadTables(t *testing.T, db *sql.DB) {
	t.Helper()
	const key = "T bigint NOT NULL, V varbinary(%d), PRIMARY KEY (K, Q, T))"
	harness.Must(t, db, "CREATE TABLE wide (K varbinary(800) NOT NULL, Q varbinary(800) NOT NULL, "+fmt.Sprintf(key,
		1600),
		"CREATE TABLE narrow (K varbinary(4) NOT NULL, Q varbinary(3) NOT NULL, "+fmt.Sprintf(key, 5),
		"CREATE TABLE thin (K varbinary(4) NOT NULL, Q varbinary(3) NOT NULL, "+fmt.Sprintf(key, 5),
		"CREATE TABLE saved (K varbinary(40) NOT NULL, Q varbinary(40) NOT NULL, "+fmt.Sprintf(key, 60))
	for i, v := range []any{"plain", "", nil, "a,b\tc;d", "line\nend\r\n", `q"u'o\te`, "NULL", `\N`, "N1--ab", "\x00\xff\x1a", "xx>abba#"} {
		for _, statement := range []string{"INSERT INTO saved VALUES (?, ?, ?, ?)", "INSERT INTO thin VALUES (LEFT(?, 4), LEFT(?, 3), ?, LEFT(?, 5))"} {
			_, err := db.Exec(statement, fmt.Sprint(i), anyOf(rand.New(rand.NewPCG(uint64(i), 1)), "q", "", ",", "x\ny"), i*1000-3000, v)
			require.NoError(t, err)
		}
	}
}

// run runs the case on a database; dir is a directory that its server reads and
// writes.
func (c loadCase) run(t *testing.T, db *sql.DB, dir string) loadCase {
	t.Helper()
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	defer conn.Close()
	if c.Select != "" {
		return c.runSave(t, conn, filepath.Join(dir, "saved"))
	}
	harness.Must(t, conn, "SET @a = NULL", "DELETE FROM wide", "DELETE FROM narrow", "INSERT INTO wide VALUES ('a', 'b', 1, 'old')",
		"INSERT INTO narrow VALUES ('a', 'b', 1, 'old')")
	table := map[bool]string{true: "narrow", false: "wide"}[c.Fixed]
	source := "INFILE '" + filepath.Join(dir, "loaded") + "' "
	if c.Local {
		source = "LOCAL INFILE 'Reader::case' "
		reader := func() io.Reader { return strings.NewReader(string(c.Text)) }
		mysql.RegisterReaderHandler("case", reader)
		driver.RegisterReaderHandler("case", reader)
	} else {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "loaded"), c.Text, 0o644))
	}
	result, err := conn.ExecContext(context.Background(), "LOAD DATA "+source+c.Replace+" INTO TABLE "+table+c.Clauses)
	if c.Error = harness.NumberOf(err); err == nil {
		c.Affected, _ = result.RowsAffected()
		c.Warnings = warningsOf(t, conn)
	}
	rows, err := conn.QueryContext(context.Background(), "SELECT K, Q, T, V FROM "+table+" ORDER BY K, Q, T")
	require.NoError(t, err)
	c.Rows, err = harness.PrintRows(rows)
	require.NoError(t, err)
	return c
}

func (c loadCase) runSave(t *testing.T, conn *sql.Conn, file string) loadCase {
	_ = os.Remove(file)
	into := " INTO OUTFILE '" + file + "'" + c.Clauses
	if c.Clauses == "DUMP" {
		into = " INTO DUMPFILE '" + file + "'"
	}
	result, err := conn.ExecContext(context.Background(), c.Select+into)
	if c.Error = harness.NumberOf(err); err != nil {
		return c
	}
	c.Affected, _ = result.RowsAffected()
	c.Warnings = warningsOf(t, conn)
	c.Text, err = os.ReadFile(file)
	require.NoError(t, err)
	return c
}

// compareLoad compares an answer of hbasekv with MariaDB's. REPLACE counts
// differently.
func compareLoad(t *testing.T, want, got loadCase) {
	t.Helper()
	if want.Replace == "REPLACE" {
		want.Affected = got.Affected
	}
	want.Warnings = slices.DeleteFunc(want.Warnings, func(code string) bool { return code == "1287" }) // INTO before FROM
	assert.Equal(t, want.print(), got.print())
}

func (c loadCase) print() string {
	text := fmt.Sprintf("%q\nLOAD local=%t %s %s%q\nerror %d, affected %d, warnings %v", c.Text, c.Local, c.Replace, c.Select, c.Clauses,
		c.Error, c.Affected, c.Warnings)
	for _, row := range c.Rows {
		text += "\n" + strings.Join(row, " ")
	}
	return text
}

// TestRecordedLoads compares the recorded answers.
func TestRecordedLoads(t *testing.T) {
	if *harness.MariaDB != "" && *harness.Record {
		peer, dir := openLoadPeer(t)
		g := &fileGen{Rand: rand.New(rand.NewPCG(loadsSeed, 1))}
		var cases []loadCase
		for range loadsCount {
			cases = append(cases, g.next().run(t, peer, dir))
		}
		oracle.WriteRecorded(t, loadsFile, cases)
	}
	dir := t.TempDir()
	db := harness.OpenDB(t, "file::memory:?versions=all&fileDir="+dir)
	fillLoadTables(t, db)
	recorded := oracle.ReadRecorded[loadCase](t, loadsFile)
	require.Len(t, recorded, loadsCount)
	for i, want := range recorded {
		if testing.Short() && i%10 != 0 {
			continue
		}
		compareLoad(t, want, want.run(t, db, dir))
		if want.Select != "" && want.Error != 0 {
			require.NoFileExists(t, filepath.Join(dir, "saved")) // MariaDB leaves one
		}
	}
}

// TestLiveLoads compares new cases with a live server.
func TestLiveLoads(t *testing.T) {
	if *harness.MariaDB == "" {
		t.Skip("no -mariadb: the recorded answers alone were compared")
	}
	peer, dir := openLoadPeer(t)
	db := harness.OpenDB(t, "file::memory:?versions=all&fileDir="+dir)
	fillLoadTables(t, db)
	g := &fileGen{Rand: rand.New(rand.NewPCG(testseed.Of(t), 1))}
	for range *harness.OracleN {
		c := g.next()
		if c.Select != "" {
			c.Text = nil
		}
		compareLoad(t, c.run(t, peer, dir), c.run(t, db, dir))
	}
}

// openLoadPeer returns MariaDB with the tables, and a directory that it can write
// to.
func openLoadPeer(t *testing.T) (*sql.DB, string) {
	peer := oracle.OpenMariaDB(t)
	harness.Must(t, peer, "DROP TABLE IF EXISTS wide, narrow, saved, thin")
	fillLoadTables(t, peer)
	return peer, t.TempDir()
}
