package hbasekvtest

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
)

// Expect compares the cells of a table or a table group with a text in Dump's
// form, whose lines may be in any order. It fails the test with the versions that
// are missing, unexpected or different.
func Expect(t testing.TB, db *sql.DB, table, want string) {
	t.Helper()
	if diff := Diff(want, Dump(t, db, table)); diff != "" {
		t.Errorf("hbasekvtest: the cells of %s:\n%s", table, diff)
	}
}

// Diff is the difference between two texts of cells, a line for each version: -
// for one that only want has, + for one that only got has, ~ with both values if
// they differ. It is empty if the texts have the same versions.
func Diff(want, got string) string {
	wanted, order := versions(want)
	found, more := versions(got)
	var out strings.Builder
	for _, key := range order {
		value, ok := found[key]
		switch {
		case !ok:
			fmt.Fprintf(&out, "- %s %s\n", key, wanted[key])
		case value != wanted[key]:
			fmt.Fprintf(&out, "~ %s %s, not %s\n", key, value, wanted[key])
		}
	}
	for _, key := range more {
		if _, ok := wanted[key]; !ok {
			fmt.Fprintf(&out, "+ %s %s\n", key, found[key])
		}
	}
	return out.String()
}

// versions returns the values by what precedes them on their lines, and these in
// order.
func versions(text string) (values map[string]string, order []string) {
	values = map[string]string{}
	for line := range strings.Lines(text) {
		part := strings.Fields(line)
		if len(part) == 0 || part[0][0] == '#' {
			continue
		}
		last := len(part) - 1
		key := strings.Join(part[:last], " ")
		if _, ok := values[key]; !ok {
			order = append(order, key)
		}
		values[key] = part[last]
	}
	return values, order
}

// ExpectPlan fails the test unless the query's plan, as EXPLAIN FORMAT=TREE
// prints it, contains the words.
func ExpectPlan(t testing.TB, db *sql.DB, query, words string, args ...any) {
	t.Helper()
	rows, err := db.Query("EXPLAIN FORMAT=TREE "+query, args...)
	if err != nil {
		t.Fatalf("hbasekvtest: %s: %v", query, err)
	}
	defer rows.Close()
	var tree strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatalf("hbasekvtest: %s: %v", query, err)
		}
		tree.WriteString(line + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("hbasekvtest: %s: %v", query, err)
	}
	if !strings.Contains(tree.String(), words) {
		t.Errorf("hbasekvtest: the plan of %s has no %q:\n%s", query, words, tree.String())
	}
}
