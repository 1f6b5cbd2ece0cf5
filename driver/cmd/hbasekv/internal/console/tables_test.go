package console_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/cmd/hbasekv/internal/console"
)

// TestMayChange: a page is told what its account may do with a table, which is what the statements ask for.
func TestMayChange(t *testing.T) {
	s := serve(t, console.Options{Writes: true})
	s.exec(t, "CREATE TABLE g$a"+cells+" PARTITION BY RANGE COLUMNS(K) (PARTITION p VALUES LESS THAN ('m'), PARTITION q VALUES LESS THAN (MAXVALUE))", "CREATE TABLE g$b LIKE g$a",
		"CREATE TABLE hashed"+cells+" PARTITION BY KEY(K) PARTITIONS 4", "CREATE TABLE whole"+cells, "CREATE TABLE people (id bigint PRIMARY KEY)", "CREATE VIEW seen AS SELECT 1 AS one")
	const may = `"may":{"split":%t,"merge":%t,"compact":%t}`
	asked := func(p *visitor, table string, split, merge, compact bool) {
		t.Helper()
		code, text, _ := p.do(t, "POST", "api/partitions", fmt.Sprintf(`{"database":"default","table":%q,"count":1}`, table))
		require.Equal(t, 200, code, text)
		require.Contains(t, text, fmt.Sprintf(may, split, merge, compact))
	}
	root := s.page().login(t, "root", "")
	asked(root, "g$a", true, true, true)
	asked(root, "hashed", false, false, true)
	asked(root, "whole", true, false, true)
	asked(root, "people", true, false, true)

	s.exec(t, "CREATE USER ann@localhost IDENTIFIED BY 'x'", "GRANT SELECT ON *.* TO ann@localhost")
	ann := s.page().login(t, "ann", "x")
	asked(ann, "g$a", false, false, false)
	require.Contains(t, ann.query(t, "OPTIMIZE TABLE g$a"), `"number":1142`)
	s.exec(t, "GRANT INSERT ON `default`.g$a TO ann@localhost", "GRANT ALTER ON `default`.g$a TO ann@localhost")
	asked(ann, "g$a", false, false, true) // its partitions are those of g$b
	require.Contains(t, ann.query(t, "SPLIT TABLE g$a BY ('c')"), `"number":1142`)
	require.Contains(t, ann.query(t, "OPTIMIZE TABLE g$a"), `"end":true`)
	s.exec(t, "GRANT ALTER ON `default`.g$b TO ann@localhost")
	asked(ann, "g$a", true, true, true)
	require.Contains(t, ann.query(t, "SPLIT TABLE g$a BY ('c')"), `"end":true`)

	readOnly := serve(t, console.Options{})
	readOnly.exec(t, "CREATE TABLE t"+cells)
	asked(readOnly.page().login(t, "root", ""), "t", false, false, false)
}

// TestKeysOfTypedTables: the map calls a typed table as SQL does, and so shows it to those who may read it.
func TestKeysOfTypedTables(t *testing.T) {
	t.Parallel() // it waits most of the time
	s := serve(t, console.Options{})
	s.exec(t, "CREATE TABLE people (id bigint PRIMARY KEY, name varchar(100))", "CREATE USER ann@localhost IDENTIFIED BY 'x'", "GRANT SELECT ON `default`.people TO ann@localhost")
	ann := s.page().login(t, "ann", "x")
	require.Eventually(t, func() bool {
		s.exec(t, "REPLACE INTO people VALUES (1, 'Ann')")
		_, text, _ := ann.do(t, "POST", "api/keys", `{"from":0,"to":0}`)
		return strings.Contains(text, `"table":"people","partition"`)
	}, 30*time.Second, 200*time.Millisecond)
}
