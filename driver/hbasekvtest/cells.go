package hbasekvtest

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/hbasekv/hbasekv/driver"
	"github.com/hbasekv/hbasekv/driver/cellio"
)

// The formats of cells; package cellio describes them.
const (
	Text      = cellio.Text      // row family:qualifier @timestamp value
	CSV       = cellio.CSV       // row,family,qualifier,timestamp,value
	TSV       = cellio.TSV       // the same with tabs
	JSONLines = cellio.JSONLines // an object for each cell
	Shell     = cellio.Shell     // what scan of `hbase shell` prints
	SQL       = cellio.SQL       // REPLACE statements
)

// Dump returns all versions of the cells of a table or a table group as text, in
// HBase's order: by row, family and qualifier, the newest version first. Each is a
// line
//
//	row family:qualifier @timestamp value
//
// in which bytes that are not printable ASCII, spaces, backslashes and quotes are
// written \xNN, and the empty string is "". The family is empty in a table that is
// in no table group.
func Dump(t testing.TB, db *sql.DB, table string) string {
	t.Helper()
	var out strings.Builder
	DumpTo(t, db, table, &out, Text)
	return out.String()
}

// DumpTo is Dump in any format. It writes to w.
func DumpTo(t testing.TB, db *sql.DB, table string, w io.Writer, format cellio.Format) {
	t.Helper()
	if err := dump(db, table, cellio.NewWriter(w, format, table)); err != nil {
		t.Fatalf("hbasekvtest: dumping %s: %v", table, err)
	}
}

func dump(db *sql.DB, table string, w cellio.Writer) error {
	family := "F"
	if group, err := isGroup(db, table); err != nil {
		return err
	} else if !group {
		_, own, _ := strings.Cut(table, "$")
		family = "'" + strings.ReplaceAll(own, "'", "''") + "'"
	}
	rows, err := db.Query("SELECT K, " + family + " AS F, Q, T, V FROM " + cellio.QuoteTable(table) + " FOR SYSTEM_TIME ALL" +
		" ORDER BY K, F, Q, T DESC")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var k, q, v sql.RawBytes
		var c cellio.Cell
		if err := rows.Scan(&k, &c.Family, &q, &c.Timestamp, &v); err != nil {
			return err
		}
		c.Row, c.Qualifier, c.Value = k, q, v
		if err := w.Write(c); err != nil {
			return err
		}
	}
	return errors.Join(rows.Err(), w.Close())
}

// isGroup reports whether the name is a table group's, whose cells have families.
func isGroup(db *sql.DB, table string) (bool, error) {
	rows, err := db.Query("SELECT * FROM " + cellio.QuoteTable(table) + " LIMIT 0")
	if err != nil {
		return false, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	return slices.Contains(names, "F"), err
}

// Load writes the cells of a text in Dump's form into a table or a table group,
// all or none. Empty lines and lines that begin with # are skipped.
func Load(t testing.TB, db *sql.DB, table, text string) {
	t.Helper()
	LoadFrom(t, db, table, strings.NewReader(text), Text)
}

// LoadFrom is Load from any format. Statements of SQL are run unchanged, each in
// its own transaction; the table is then only named in errors.
func LoadFrom(t testing.TB, db *sql.DB, table string, r io.Reader, format cellio.Format) {
	t.Helper()
	var err error
	if format == SQL {
		err = runSQL(db, r)
	} else {
		err = load(db, table, r, format)
	}
	if err != nil {
		t.Fatalf("hbasekvtest: loading %s: %v", table, err)
	}
}

// LoadFS is LoadFrom of a file whose name says the format: .csv, .tsv, .jsonl, .sql,
// .scan for what `hbase shell` prints, or anything else for text.
func LoadFS(t testing.TB, db *sql.DB, table string, fsys fs.FS, name string) {
	t.Helper()
	f, err := fsys.Open(name)
	if err != nil {
		t.Fatalf("hbasekvtest: loading %s: %v", table, err)
	}
	defer f.Close()
	LoadFrom(t, db, table, f, cellio.FormatOf(name))
}

// LoadLines loads CSV with several cells of a row to a line, as HBase's ImportTsv
// does: columns says what the fields are, as in
// "HBASE_ROW_KEY,info:name,-,info:age". If it is empty, the first line says it.
// Cells without a field HBASE_TS_KEY get the timestamp.
func LoadLines(t testing.TB, db *sql.DB, table string, r io.Reader, columns string, timestamp int64) {
	t.Helper()
	if err := loadLines(db, table, r, columns, timestamp); err != nil {
		t.Fatalf("hbasekvtest: loading %s: %v", table, err)
	}
}

func runSQL(db *sql.DB, r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	return runScript(db, string(text))
}

func load(db *sql.DB, table string, r io.Reader, format cellio.Format) error {
	cells, err := cellio.NewReader(r, format)
	if err != nil {
		return err
	}
	return put(db, func(put func(cell driver.Cell, table string) error) error {
		for {
			c, err := cells.Read()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			cell := driver.Cell{K: c.Row, Q: c.Qualifier, T: c.Timestamp, V: c.Value}
			if err := put(cell, cellio.TableOf(table, c.Family)); err != nil {
				return fmt.Errorf("the cell %q %s:%q: %w", c.Row, c.Family, c.Qualifier, err)
			}
		}
	})
}

// put runs a loader in a transaction, and passes it a function that writes a cell.
func put(db *sql.DB, load func(put func(cell driver.Cell, table string) error) error) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after the commit
	statements := map[string]*sql.Stmt{}
	err = load(func(c driver.Cell, table string) error {
		statement := statements[table]
		if statement == nil {
			text := "REPLACE INTO " + cellio.QuoteTable(table) + " (K, Q, T, V) VALUES (?, ?, ?, ?)"
			if statement, err = tx.Prepare(text); err != nil {
				return err
			}
			statements[table] = statement
		}
		_, err := statement.Exec(c.K, c.Q, c.T, c.V)
		return err
	})
	if err != nil {
		return err
	}
	return tx.Commit()
}
