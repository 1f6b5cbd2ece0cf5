// Package advise judges a table's row keys and partitions by a sample of its
// rows, and proposes statements.
//
// Table reads the sample and tries layouts with it in memory. The Advice holds
// the result as text (Report) and as values (Warnings, Proposals). Nothing is
// written to the table's store.
package advise

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/dustin/go-humanize"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/kv"
)

// Options are the options of Table. A zero value means the default.
type Options struct {
	// Queries are the statements that the table must serve, as ParseQueries
	// returns them; each is explained with each layout.
	Queries []string
	// Sample is the maximum number of rows to read; 0 means DefaultSample.
	Sample int
	// Years is the period for which partitions are counted; 0 means
	// DefaultYears.
	Years float64
}

// The defaults of Options.
const (
	DefaultSample = 100_000
	DefaultYears  = 3
)

// Table judges a table, named as in SQL with or without its database. It takes
// one connection of db, and makes the table's database the current one there.
func Table(ctx context.Context, db *sql.DB, name string, o Options) (_ *Advice, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	table, err := readTable(ctx, conn, name)
	if err == nil {
		table.limits, err = driver.Limits(conn)
	}
	if err != nil {
		return nil, err
	}
	if o.Sample == 0 {
		o.Sample = DefaultSample
	}
	if err := table.takeSample(ctx, conn, o.Sample); err != nil {
		return nil, err
	}
	if o.Years == 0 {
		o.Years = DefaultYears
	}
	a := &Advice{table: table, order: judgeOrder(table), count: partitionCount(table, o.Years)}
	return a, a.compare(ctx, o.Queries)
}

// ParseQueries splits a text into statements: at semicolons or, if there are
// none, into one per line.
func ParseQueries(text string) ([]string, error) {
	statements, err := driver.SplitScript(text)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, s := range statements {
		out = append(out, s.Text)
	}
	if lines := nonEmptyLines(text); len(out) == 1 && beginStatements(lines) {
		return lines, nil
	}
	return out, nil
}

func nonEmptyLines(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(strings.TrimSpace(line), "; "); line != "" && !strings.HasPrefix(line, "-- ") {
			out = append(out, line)
		}
	}
	return out
}

var verb = regexp.MustCompile(`(?i)^\(?(select|insert|replace|update|delete)\b`)

func beginStatements(lines []string) bool {
	for _, line := range lines {
		if !verb.MatchString(line) {
			return false
		}
	}
	return true
}

// advisedTable is a table with what is known before its rows are read.
type advisedTable struct {
	name     string // quoted, in the database that the connection uses
	database string
	plain    string // unquoted, without the database
	group    string // its table group, empty if none
	families []string
	// definition is the statement that creates it, without its partitioning.
	definition, layout string
	// others are the definitions of the database's other tables.
	others     []string
	prefixes   []string // the names of its generated columns
	magnitude  string   // the generated column over T, empty if there is none
	method     string   // of its partitioning, empty if none
	partitions []advisedPartition
	sample     sample
	limits     kv.Limits // of its store
}

// advisedPartition is a partition with the store's estimate of its size.
type advisedPartition struct {
	name         string // empty if the table has no partitions
	cells, bytes int64
}

// readTable reads a table's definition and makes its database the connection's
// current one.
func readTable(ctx context.Context, conn *sql.Conn, name string) (*advisedTable, error) {
	t := &advisedTable{plain: strings.Trim(name, "`")}
	if db, rest, ok := strings.Cut(name, "."); ok {
		t.plain = strings.Trim(rest, "`")
		if _, err := conn.ExecContext(ctx, "USE "+quoteName(strings.Trim(db, "`"))); err != nil {
			return nil, err
		}
	}
	t.name = "`" + strings.ReplaceAll(t.plain, "`", "``") + "`"
	if err := conn.QueryRowContext(ctx, "SELECT DATABASE()").Scan(&t.database); err != nil {
		return nil, err
	}
	if err := t.readFamilies(ctx, conn); err != nil {
		return nil, err
	}
	if err := t.readDefinition(ctx, conn); err != nil {
		return nil, err
	}
	return t, t.readPartitions(ctx, conn)
}

// readFamilies finds the tables of the database, and which of them are families
// of the same group.
func (t *advisedTable) readFamilies(ctx context.Context, conn *sql.Conn) error {
	names, err := column(ctx, conn, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME")
	if err != nil {
		return err
	}
	group, _, isFamily := strings.Cut(t.plain, "$")
	for _, n := range names {
		g, family, ok := strings.Cut(n, "$")
		if ok && strings.EqualFold(g, group) {
			t.families = append(t.families, family)
		}
		if n == t.plain || ok && strings.EqualFold(g, group) {
			continue
		}
		var ignored, create string
		if err := conn.QueryRowContext(ctx, "SHOW CREATE TABLE "+quoteName(n)).Scan(&ignored, &create); err != nil {
			return err
		}
		t.others = append(t.others, create)
	}
	if isFamily {
		t.group = group
	} else if len(t.families) > 0 {
		return fmt.Errorf("%s is a table group: give one of its families, such as %s$%s", t.plain, group, t.families[0])
	}
	return nil
}

func (t *advisedTable) readDefinition(ctx context.Context, conn *sql.Conn) error {
	kinds, err := column(ctx, conn, "SELECT TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?", t.plain)
	if err != nil {
		return err
	}
	if len(kinds) > 0 && kinds[0] != "BASE TABLE" {
		return fmt.Errorf("%s is a view: give a table", t.plain)
	}
	var ignored, create string
	if err := conn.QueryRowContext(ctx, "SHOW CREATE TABLE "+t.name).Scan(&ignored, &create); err != nil {
		return err
	}
	t.definition, t.layout = create, "no partitions"
	if i := strings.Index(create, "\nPARTITION BY "); i >= 0 {
		t.definition, t.layout = create[:i], create[i+1:]
	}
	t.prefixes, err = column(ctx, conn, "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND GENERATION_EXPRESSION <> ''", t.plain)
	if err != nil {
		return err
	}
	over, err := column(ctx, conn, "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND GENERATION_EXPRESSION LIKE 'abs(%'", t.plain)
	t.magnitude = strings.Join(over, "")
	return err
}

func (t *advisedTable) readPartitions(ctx context.Context, conn *sql.Conn) error {
	rows, err := conn.QueryContext(ctx, `SELECT PARTITION_NAME, PARTITION_METHOD, TABLE_ROWS, DATA_LENGTH FROM information_schema.PARTITIONS
WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? ORDER BY PARTITION_ORDINAL_POSITION`, t.plain)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var name, method sql.NullString
		var p advisedPartition
		if err := rows.Scan(&name, &method, &p.cells, &p.bytes); err != nil {
			return err
		}
		p.name, t.method = name.String, method.String
		if n := len(t.partitions); n > 0 && t.partitions[n-1].name == p.name { // a subpartition
			t.partitions[n-1].cells += p.cells
			t.partitions[n-1].bytes += p.bytes
			continue
		}
		t.partitions = append(t.partitions, p)
	}
	return rows.Err()
}

// column returns the values of a query with one column.
func column(ctx context.Context, conn *sql.Conn, query string, args ...any) ([]string, error) {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

func (t *advisedTable) cells() (n int64) {
	for _, p := range t.partitions {
		n += p.cells
	}
	return n
}

func (t *advisedTable) bytes() (n int64) {
	for _, p := range t.partitions {
		n += p.bytes
	}
	return n
}

// quoteName quotes table or database.table.
func quoteName(name string) string {
	parts := strings.SplitN(name, ".", 2)
	for i, p := range parts {
		parts[i] = "`" + strings.ReplaceAll(p, "`", "``") + "`"
	}
	return strings.Join(parts, ".")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return humanize.Comma(int64(n)) + " " + noun + "s"
}
