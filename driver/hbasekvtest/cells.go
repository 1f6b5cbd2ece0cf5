package hbasekvtest

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The text of a cell is a line
//
//	row family:qualifier @timestamp value
//
// in which a byte that is no printable ASCII, a space, a backslash and a quote is
// written \xNN, as HBase's shell does it, and the empty string as "". The value
// NULL is NULL, and a value of these four letters \x4eULL. The family is that of a
// table group; it is empty in a table that is in none.

// Dump is the text of all versions of a table's or a table group's cells, in
// HBase's order: by row, family and qualifier, the newest version first.
func Dump(t testing.TB, db *sql.DB, table string) string {
	t.Helper()
	text, err := dump(db, table)
	if err != nil {
		t.Fatalf("hbasekvtest: dumping %s: %v", table, err)
	}
	return text
}

func dump(db *sql.DB, table string) (string, error) {
	family := "F"
	if group, err := isGroup(db, table); err != nil {
		return "", err
	} else if !group {
		_, own, _ := strings.Cut(table, "$")
		family = "'" + strings.ReplaceAll(own, "'", "''") + "'"
	}
	rows, err := db.Query("SELECT /*+ VERSIONS(ALL) */ K, " + family + " AS F, Q, T, V FROM " + quoteName(table) + " ORDER BY K, F, Q, T DESC")
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var out strings.Builder
	for rows.Next() {
		var k, f, q, v sql.RawBytes
		var at int64
		if err := rows.Scan(&k, &f, &q, &at, &v); err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "%s %s:%s @%d %s\n", escape(k), f, escape(q), at, escapeValue(v))
	}
	return out.String(), rows.Err()
}

// isGroup reports whether the name is a table group's, whose cells have families.
func isGroup(db *sql.DB, table string) (bool, error) {
	rows, err := db.Query("SELECT * FROM " + quoteName(table) + " LIMIT 0")
	if err != nil {
		return false, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	return slices.Contains(names, "F"), err
}

// Load writes the cells of a text into a table or a table group, all or none. Empty
// lines and lines that begin with # are left out.
func Load(t testing.TB, db *sql.DB, table, text string) {
	t.Helper()
	if err := load(db, table, text); err != nil {
		t.Fatalf("hbasekvtest: loading %s: %v", table, err)
	}
}

func load(db *sql.DB, table, text string) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing to do after the commit
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		c, err := parseCell(line)
		if err == nil {
			_, err = tx.Exec("REPLACE INTO "+quoteName(c.table(table))+" (K, Q, T, V) VALUES (?, ?, ?, ?)", c.row, c.qualifier, c.at, c.value)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	return tx.Commit()
}

// cell is a line of the text.
type cell struct {
	row, qualifier, value []byte // value is nil for NULL
	family                string
	at                    int64
}

// table is where the cell belongs: a family of the group, or the table itself.
func (c *cell) table(name string) string {
	if c.family == "" || strings.Contains(name, "$") {
		return name
	}
	return name + "$" + c.family
}

var errCell = errors.New("a cell is written: row family:qualifier @timestamp value")

func parseCell(line string) (c cell, err error) {
	part := strings.Fields(line)
	if len(part) != 4 || !strings.HasPrefix(part[2], "@") {
		return c, errCell
	}
	family, qualifier, ok := strings.Cut(part[1], ":")
	if !ok {
		return c, errCell
	}
	c.family = family
	if c.at, err = strconv.ParseInt(part[2][1:], 10, 64); err != nil {
		return c, errCell
	}
	if part[3] != "NULL" {
		if c.value, err = unescape(part[3]); err != nil {
			return c, err
		}
	}
	if c.row, err = unescape(part[0]); err != nil {
		return c, err
	}
	c.qualifier, err = unescape(qualifier)
	return c, err
}

func quoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

func escape(b []byte) string {
	if len(b) == 0 {
		return `""`
	}
	var out strings.Builder
	for _, c := range b {
		if c <= ' ' || c > '~' || c == '\\' || c == '"' || c == '#' && out.Len() == 0 {
			fmt.Fprintf(&out, `\x%02x`, c)
			continue
		}
		out.WriteByte(c)
	}
	return out.String()
}

func escapeValue(v []byte) string {
	switch {
	case v == nil:
		return "NULL"
	case string(v) == "NULL":
		return `\x4eULL`
	}
	return escape(v)
}

// unescape is never nil.
func unescape(s string) ([]byte, error) {
	out := []byte{}
	if s == `""` {
		return out, nil
	}
	for len(s) > 0 {
		if s[0] != '\\' {
			out, s = append(out, s[0]), s[1:]
			continue
		}
		if len(s) < 4 || s[1] != 'x' && s[1] != 'X' {
			return nil, fmt.Errorf(`a backslash stands for a byte as in \x0a, not %q`, s[:min(len(s), 4)])
		}
		b, err := strconv.ParseUint(s[2:4], 16, 8)
		if err != nil {
			return nil, fmt.Errorf(`a backslash stands for a byte as in \x0a, not %q`, s[:4])
		}
		out, s = append(out, byte(b)), s[4:]
	}
	return out, nil
}
