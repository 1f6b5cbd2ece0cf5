package cellio

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The names in HBase's ImportTsv of the columns that are not cells
// (https://hbase.apache.org/book.html#importtsv).
const (
	rowKeyColumn    = "HBASE_ROW_KEY"
	timestampColumn = "HBASE_TS_KEY"
)

// Columns say what the fields of a line are that holds several cells of a row.
type Columns struct {
	// Separator joins the fields that make up K.
	Separator string
	// Layout is the form of T: ms, s or a layout of package time.
	Layout   string
	Families []Family

	fields    int   // of each line
	keys      []int // the fields that make up K, in order
	timestamp int   // the field with T, or -1
}

// Family is the fields of a line that belong to one table.
type Family struct {
	Table      string
	Qualifiers []string
	Fields     []int // parallel to Qualifiers
}

// ParseColumns parses ImportTsv's column list for a table or, if the columns
// name families, for a table group. It fails if there is no row key or no
// qualifier, if a name occurs twice, or if a family is not the table's.
func ParseColumns(table, columns string) (*Columns, error) {
	s := &Columns{timestamp: -1, Layout: "ms"}
	for i, name := range strings.Split(columns, ",") {
		if err := s.add(table, strings.TrimSpace(name), i); err != nil {
			return nil, err
		}
		s.fields = i + 1
	}
	switch {
	case len(s.keys) == 0:
		return nil, fmt.Errorf("columns %s: one column must be %s", columns, rowKeyColumn)
	case len(s.Families) == 0:
		return nil, fmt.Errorf("columns %s: at least one column must be a qualifier", columns)
	}
	return s, nil
}

func (s *Columns) add(table, name string, field int) error {
	switch name {
	case "", "-": // not loaded
	case rowKeyColumn:
		s.keys = append(s.keys, field)
	case timestampColumn:
		if s.timestamp >= 0 {
			return errors.New("columns: " + timestampColumn + " occurs twice")
		}
		s.timestamp = field
	default:
		return s.addQualifier(table, name, field)
	}
	return nil
}

func (s *Columns) addQualifier(table, name string, field int) error {
	table, qualifier, err := target(table, name)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(s.Families, func(f Family) bool { return f.Table == table })
	if i < 0 {
		i = len(s.Families)
		s.Families = append(s.Families, Family{Table: table})
	}
	f := &s.Families[i]
	if slices.Contains(f.Qualifiers, qualifier) {
		return fmt.Errorf("columns: %s occurs twice", name)
	}
	f.Qualifiers = append(f.Qualifiers, qualifier)
	f.Fields = append(f.Fields, field)
	return nil
}

// target returns the table and the qualifier of the column "qualifier" or
// "family:qualifier".
func target(table, name string) (string, string, error) {
	fam, qualifier, ok := strings.Cut(name, ":")
	if !ok {
		return table, name, nil
	}
	group, own, isFamily := strings.Cut(table, "$")
	if isFamily && own != fam {
		return "", "", fmt.Errorf("columns: %s names the family %s, but the table %s is the family %s: load into %s",
			name, fam, table, own, group)
	}
	return group + "$" + fam, qualifier, nil
}

// Tables are the names of the tables that the columns load, as a list.
func (s *Columns) Tables() string {
	var names []string
	for _, f := range s.Families {
		names = append(names, f.Table)
	}
	return strings.Join(names, ", ")
}

// Row returns the key and the timestamp of a line. Without a timestamp column,
// T is otherwise. A wrong number of fields, an empty key and an invalid timestamp
// are errors.
func (s *Columns) Row(fields []string, otherwise int64) (key string, t int64, err error) {
	if len(fields) != s.fields {
		few := "many"
		if len(fields) < s.fields {
			few = "few"
		}
		return "", 0, fmt.Errorf("too %s fields: %d, want %d", few, len(fields), s.fields)
	}
	parts := make([]string, len(s.keys))
	for i, field := range s.keys {
		parts[i] = fields[field]
	}
	if key = strings.Join(parts, s.Separator); key == "" || slices.Max(parts) == "" {
		return "", 0, errors.New("the row key is empty")
	}
	if s.timestamp < 0 {
		return key, otherwise, nil
	}
	t, err = parseTimestamp(s.Layout, fields[s.timestamp])
	return key, t, err
}

// parseTimestamp reads milliseconds or seconds since 1970-01-01 UTC, or a time
// in Go's layout, in UTC if it names no zone.
func parseTimestamp(layout, text string) (int64, error) {
	if layout == "ms" || layout == "s" {
		t, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("the timestamp %q is not a number of %s", text, layout)
		}
		if layout == "s" {
			if t*1000/1000 != t {
				return 0, fmt.Errorf("the timestamp %q is out of range", text)
			}
			t *= 1000
		}
		return t, nil
	}
	at, err := time.Parse(layout, text)
	if err != nil {
		return 0, fmt.Errorf("the timestamp %q is not in the form %q", text, layout)
	}
	return at.UnixMilli(), nil
}
