package hbasekvtest_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/driver/cellio"
	"github.com/hbasekv/hbasekv/driver/hbasekvtest"
)

// oddCells have bytes, NULL, empty values, line ends and timestamps that a format
// might lose.
const oddCells = cells + `\x0a info:\x0d\x0a @-9223372036854775808 a\x0ab\x5cx41
n\xc3\x28 info:\x2c\x22 @7 {\x22a\x22:\x09\x27}
n\xc3\xa9 log:q @-7 ,
`

// TestFormats dumps a table group and a table in each format, and loads them again.
func TestFormats(t *testing.T) {
	t.Parallel()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(users+"CREATE TABLE alone "+columns))
	hbasekvtest.Load(t, db, "users", oddCells)
	hbasekvtest.Load(t, db, "alone", "\\x00 :\"\" @-1 NULL\nk :q @1 v\n")
	for _, format := range []cellio.Format{
		hbasekvtest.Text, hbasekvtest.CSV, hbasekvtest.TSV, hbasekvtest.JSONLines, hbasekvtest.SQL, hbasekvtest.Shell,
	} {
		for _, table := range []string{"users", "users$log", "alone"} {
			want := hbasekvtest.Dump(t, db, table)
			if format == hbasekvtest.Shell && strings.Contains(want, " NULL\n") {
				require.Contains(t, during(t, func(r testing.TB) {
					hbasekvtest.DumpTo(r, db, table, &strings.Builder{}, format)
				})[0], "NULL")
				continue
			}
			var text strings.Builder
			hbasekvtest.DumpTo(t, db, table, &text, format)
			other := hbasekvtest.Open(t, hbasekvtest.Schema(users+"CREATE TABLE alone "+columns))
			hbasekvtest.LoadFrom(t, other, table, strings.NewReader(text.String()), format)
			require.Equal(t, want, hbasekvtest.Dump(t, other, table), text.String())
		}
	}
}

func TestLoadFS(t *testing.T) {
	t.Parallel()
	const want = "u1 info:name @1 Ann\nu1 log:x @2 y\n"
	files := fstest.MapFS{
		"a.txt": {Data: []byte(want)},
		"a.csv": {Data: []byte("T,Q,V,F,K\n1,name,Ann,info,u1\n2,x,y,log,u1\n")},
		"a.jsonl": {Data: []byte(`{"row":"u1","family":"info","qualifier":"name","timestamp":1,"value":"Ann"}
{"row":"u1","family":"log","qualifier":"x","timestamp":2,"value":"y"}`)},
		"a.sql": {Data: []byte("INSERT INTO users$info VALUES ('u1', 'name', 1, 'Ann');\n" +
			"INSERT INTO users$log VALUES ('u1', 'x', 2, 'y')")},
		"a.scan": {Data: []byte("ROW  COLUMN+CELL\n u1 column=info:name, timestamp=1, value=Ann\n" +
			" u1 column=log:x, timestamp=1970-01-01T00:00:00.002, value=y\n1 row(s)\n")},
		"bad.csv": {Data: []byte("K,F,Q,T,V\nu1,info,name,1,Ann\nu1,info,name,one,Ann\n")},
		"bad.sql": {Data: []byte("SELEC 1")},
	}
	for name := range files {
		db := hbasekvtest.Open(t, hbasekvtest.Schema(users))
		if !strings.HasPrefix(name, "bad") {
			hbasekvtest.LoadFS(t, db, "users", files, name)
			hbasekvtest.Expect(t, db, "users", want)
			continue
		}
		errors := during(t, func(r testing.TB) { hbasekvtest.LoadFS(r, db, "users", files, name) })
		require.Len(t, errors, 1)
		require.Regexp(t, "line 3: .*one|line 1: .*1064", errors[0])
		hbasekvtest.Expect(t, db, "users", "")
	}
	db := hbasekvtest.Open(t, hbasekvtest.Schema(users))
	told := during(t, func(r testing.TB) { hbasekvtest.LoadFS(r, db, "users", files, "nonesuch") })
	require.Contains(t, told[0], "nonesuch")
}

func TestLoadLines(t *testing.T) {
	t.Parallel()
	db := hbasekvtest.Open(t, hbasekvtest.Schema(users))
	const lines = "u1,Ann,x,\"42,5\"\nu2,,y,7\n"
	hbasekvtest.LoadLines(t, db, "users", strings.NewReader(lines), "HBASE_ROW_KEY,info:name,-,log:n", 9)
	want := "u1 info:name @9 Ann\nu1 log:n @9 42,5\nu2 info:name @9 \"\"\nu2 log:n @9 7\n"
	hbasekvtest.Expect(t, db, "users", want)
	hbasekvtest.LoadLines(t, db, "users$info", strings.NewReader("HBASE_ROW_KEY,HBASE_TS_KEY,a\nu3,5,v\n"), "", 9)
	hbasekvtest.Expect(t, db, "users", want+"u3 info:a @5 v\n")
	for columns, says := range map[string]string{
		"name": "HBASE_ROW_KEY", "HBASE_ROW_KEY,info:a": "line 1: too many fields", "": "HBASE_ROW_KEY",
	} {
		errors := during(t, func(r testing.TB) {
			hbasekvtest.LoadLines(r, db, "users", strings.NewReader(lines), columns, 9)
		})
		require.Len(t, errors, 1)
		require.Contains(t, errors[0], says)
	}
	hbasekvtest.Expect(t, db, "users", want+"u3 info:a @5 v\n")
}

func ExampleLoadFrom() {
	t := &exampleTest{}
	defer t.end()

	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema))
	hbasekvtest.LoadFrom(t, db, "users", strings.NewReader(`
hbase:001:0> scan 'users'
ROW                   COLUMN+CELL
 u1                   column=profile:name, timestamp=2024-05-06T07:08:09.123, value=Ann
 u1                   column=profile:photo, timestamp=1, value=\xFF\xD8
1 row(s)
`), hbasekvtest.Shell)
	fmt.Print(hbasekvtest.Dump(t, db, "users"))
	// Output:
	// u1 profile:name @1714979289123 Ann
	// u1 profile:photo @1 \xff\xd8
}

func ExampleDumpTo() {
	t := &exampleTest{}
	defer t.end()

	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema))
	hbasekvtest.Load(t, db, "users", "u1 profile:name @2 Anna\nu1 profile:photo @1 \\xff\\xd8\n")
	var out strings.Builder
	for _, format := range []cellio.Format{hbasekvtest.CSV, hbasekvtest.JSONLines, hbasekvtest.Shell, hbasekvtest.SQL} {
		hbasekvtest.DumpTo(t, db, "users", &out, format)
	}
	fmt.Print(out.String())
	// Output:
	// row,family,qualifier,timestamp,value
	// u1,profile,name,2,Anna
	// u1,profile,photo,1,\xFF\xD8
	// {"row":"u1","family":"profile","qualifier":"name","timestamp":2,"value":"Anna"}
	// {"row":"u1","family":"profile","qualifier":"photo","timestamp":1,"value":{"base64":"/9g="}}
	// ROW  COLUMN+CELL
	//  u1 column=profile:name, timestamp=2, value=Anna
	//  u1 column=profile:photo, timestamp=1, value=\xFF\xD8
	// 1 row(s)
	// REPLACE INTO `users$profile` (K, Q, T, V) VALUES
	// ('u1', 'name', 2, 'Anna'),
	// ('u1', 'photo', 1, X'ffd8');
}

func ExampleLoadLines() {
	t := &exampleTest{}
	defer t.end()

	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema))
	hbasekvtest.LoadLines(t, db, "users", strings.NewReader("u1,Ann,42\n"), "HBASE_ROW_KEY,profile:name,profile:age", 1)
	fmt.Print(hbasekvtest.Dump(t, db, "users"))
	// Output:
	// u1 profile:age @1 42
	// u1 profile:name @1 Ann
}

func ExampleLoadFS() {
	t := &exampleTest{}
	defer t.end()

	db := hbasekvtest.Open(t, hbasekvtest.Schema(schema))
	files := fstest.MapFS{ // or os.DirFS("testdata")
		"users.csv": {Data: []byte("row,family,qualifier,timestamp,value\nu1,profile,name,1,Ann\n")},
	}
	hbasekvtest.LoadFS(t, db, "users", files, "users.csv")
	fmt.Print(hbasekvtest.Dump(t, db, "users"))
	// Output: u1 profile:name @1 Ann
}
