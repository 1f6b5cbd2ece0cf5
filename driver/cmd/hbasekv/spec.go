package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The names that HBase's ImportTsv gives to the columns that are not cells
// (https://hbase.apache.org/book.html#importtsv).
const (
	rowKeyColumn    = "HBASE_ROW_KEY"
	timestampColumn = "HBASE_TS_KEY"
)

// spec says what the fields of a line are.
type spec struct {
	fields    int   // of each line
	keys      []int // the fields that make K, in order
	separator string
	timestamp int // the field with T, or -1
	layout    string
	families  []family
}

// family is the fields of a line that go to one table.
type family struct {
	table      string
	qualifiers []string
	fields     []int // parallel to qualifiers
}

// parseSpec reads ImportTsv's column list for a table or, where the columns
// name families, for a table group.
func parseSpec(table, columns string) (*spec, error) {
	s := &spec{timestamp: -1, layout: "ms"}
	for i, name := range strings.Split(columns, ",") {
		if err := s.add(table, strings.TrimSpace(name), i); err != nil {
			return nil, err
		}
		s.fields = i + 1
	}
	switch {
	case len(s.keys) == 0:
		return nil, fmt.Errorf("--columns %s: one column must be %s", columns, rowKeyColumn)
	case len(s.families) == 0:
		return nil, fmt.Errorf("--columns %s: at least one column must be a qualifier", columns)
	}
	return s, nil
}

func (s *spec) add(table, name string, field int) error {
	switch name {
	case "", "-": // not loaded
	case rowKeyColumn:
		s.keys = append(s.keys, field)
	case timestampColumn:
		if s.timestamp >= 0 {
			return errors.New("--columns: " + timestampColumn + " stands there twice")
		}
		s.timestamp = field
	default:
		return s.addQualifier(table, name, field)
	}
	return nil
}

func (s *spec) addQualifier(table, name string, field int) error {
	table, qualifier, err := target(table, name)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(s.families, func(f family) bool { return f.table == table })
	if i < 0 {
		i = len(s.families)
		s.families = append(s.families, family{table: table})
	}
	f := &s.families[i]
	if slices.Contains(f.qualifiers, qualifier) {
		return fmt.Errorf("--columns: %s stands there twice", name)
	}
	f.qualifiers = append(f.qualifiers, qualifier)
	f.fields = append(f.fields, field)
	return nil
}

// target is the table and the qualifier of the column "qualifier" or
// "family:qualifier".
func target(table, name string) (string, string, error) {
	fam, qualifier, ok := strings.Cut(name, ":")
	if !ok {
		return table, name, nil
	}
	group, own, isFamily := strings.Cut(table, "$")
	if isFamily && own != fam {
		return "", "", fmt.Errorf("--columns: %s names the family %s, but the table %s is the family %s: load into %s", name, fam, table, own, group)
	}
	return group + "$" + fam, qualifier, nil
}

// tables are the names of the tables that are loaded.
func (s *spec) tables() string {
	var names []string
	for _, f := range s.families {
		names = append(names, f.table)
	}
	return strings.Join(names, ", ")
}

// row is the key and the timestamp of a line; without a timestamp column T is
// otherwise.
func (s *spec) row(fields []string, otherwise int64) (key string, t int64, err error) {
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
	if key = strings.Join(parts, s.separator); key == "" || slices.Max(parts) == "" {
		return "", 0, errors.New("the row key is empty")
	}
	if s.timestamp < 0 {
		return key, otherwise, nil
	}
	t, err = parseTimestamp(s.layout, fields[s.timestamp])
	return key, t, err
}

// parseTimestamp reads milliseconds or seconds since 1970-01-01 UTC, or a time
// in Go's layout, in UTC where it names no zone.
func parseTimestamp(layout, text string) (int64, error) {
	if layout == "ms" || layout == "s" {
		t, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("the timestamp %q is no number of %s", text, layout)
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
