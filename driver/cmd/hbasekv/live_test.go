package main

import (
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	hbaseFlag = flag.String("hbase", "",
		"start runs one by hbase-local for the test that needs an HBase; HBASEKV_TEST_ZK is the quorum of one that runs")
	pythonFlag = flag.String("python", os.Getenv("HBASEKV_TEST_PYTHON"),
		"a Python that has pyarrow and duckdb, or install: make one for the test that reads Parquet with them")
)

// run runs another program and returns its output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, exit.Stderr)
	}
	require.NoError(t, err)
	return string(out)
}

// quorum is the quorum of a real HBase; without one, the test is skipped.
func quorum(t *testing.T) string {
	if q := os.Getenv("HBASEKV_TEST_ZK"); q != "" {
		return q
	}
	if *hbaseFlag != "start" {
		t.Skip("no HBase: give -hbase=start, or its quorum in HBASEKV_TEST_ZK")
	}
	local, err := filepath.Abs("../../../kv/hbase/hbase-local")
	require.NoError(t, err)
	free, err := net.Listen("tcp", "127.0.0.1:0") // other tests may have a server at the usual port
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(free.Addr().String())
	require.NoError(t, err)
	require.NoError(t, free.Close())
	t.Setenv("HBASE_PORT", port)
	dir := filepath.Join(t.TempDir(), "hbase")
	t.Cleanup(func() { _, _ = exec.Command(local, "clean", dir).Output() })
	return strings.TrimSpace(run(t, ".", local, "start", dir))
}

// opens are the packages that HBase and Hadoop access by reflection in Java 17.
func opens() (options []string) {
	for _, p := range []string{"java.lang", "java.nio", "java.util", "sun.nio.ch", "jdk.internal.ref"} {
		options = append(options, "--add-opens=java.base/"+p+"=ALL-UNNAMED")
	}
	return append(options, "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED")
}

// TestLiveExport fills a table of a real HBase, exports it with each compression,
// and loads the exports: their cells are those of testdata, which TestExport of
// internal/seqfile compares with what was put.
func TestLiveExport(t *testing.T) {
	zk := quorum(t)
	if _, err := exec.LookPath("mvn"); err != nil {
		t.Skip("no mvn, which fetches HBase's Export")
	}
	host, port, _ := strings.Cut(zk, ":")
	require.Equal(t, "127.0.0.1", host, "Make.java is for an HBase of this machine")
	dir := t.TempDir()
	source, err := filepath.Abs("internal/seqfile/testdata")
	require.NoError(t, err)
	jars := filepath.Join(dir, "jars")
	run(t, dir, "mvn", "-q", "-B", "-ntp", "-f", filepath.Join(source, "pom.xml"), "dependency:build-classpath",
		"-DincludeScope=runtime", "-Dmdep.outputFile="+jars)
	list, err := os.ReadFile(jars)
	require.NoError(t, err)
	path := strings.TrimSpace(string(list)) + ":" + dir
	run(t, dir, "javac", "-cp", path, "-d", dir, filepath.Join(source, "Make.java"))
	run(t, dir, "java", append(opens(), "-cp", path, "Make", port)...)
	export := func(name string, options ...string) string {
		to := filepath.Join(dir, name)
		args := append(opens(), "-cp", path, "org.apache.hadoop.hbase.mapreduce.Export",
			"-Dhbase.zookeeper.quorum=127.0.0.1", "-Dhbase.zookeeper.property.clientPort="+port,
			"-Dmapreduce.framework.name=local", "-Dhadoop.tmp.dir="+filepath.Join(dir, "tmp"))
		run(t, dir, "java", append(append(args, options...), "users", "file://"+to, "10")...)
		return to
	}
	load := func(store, from string) string {
		run(t, dir, filepath.Join(bin, "hbasekv"), "load", store, "users", from, "--create")
		return run(t, dir, filepath.Join(bin, "hbasekv"), "export", store, "users", "-", "--format", "csv")
	}
	want := load("recorded", filepath.Join(source, "plain"))
	require.Equal(t, 129, strings.Count(want, "\n"))
	const compress = "-Dmapreduce.output.fileoutputformat.compress"
	require.Equal(t, want, load("plain", export("plain-out", compress+"=false")))
	for _, kind := range []string{"RECORD", "BLOCK"} {
		for _, codec := range []string{"DefaultCodec", "GzipCodec", "BZip2Codec", "SnappyCodec"} {
			name := kind + codec
			out := export(name+"-out", compress+"=true", compress+".type="+kind,
				compress+".codec=org.apache.hadoop.io.compress."+codec)
			require.Equal(t, want, load(name, out), name)
		}
	}
}

// readParquet prints the types and the values that pyarrow and DuckDB see.
const readParquet = `
import duckdb, pyarrow.parquet, sys
for name in sys.argv[1:]:
    table = pyarrow.parquet.read_table(name)
    print(", ".join("%s %s" % (f.name, f.type) for f in table.schema))
    found = duckdb.sql("SELECT * FROM '%s'" % name)
    print(", ".join("%s %s" % (c, t) for c, t in zip(found.columns, found.types)))
    rows = [tuple(r.values()) for r in table.to_pylist()]
    for row in rows:
        print(row)
    if rows != found.fetchall():
        print("DuckDB sees:", found.fetchall())
`

// python is a Python with readers of Parquet; without one, the test is skipped.
func python(t *testing.T) string {
	switch *pythonFlag {
	case "":
		t.Skip("no pyarrow and DuckDB: give -python=install, or a Python that has them")
	case "install":
		dir := t.TempDir()
		if out, err := exec.Command("python3", "-m", "venv", dir).CombinedOutput(); err != nil {
			t.Skipf("no virtual environment of Python can be made: %v %s", err, out)
		}
		pip := exec.Command(filepath.Join(dir, "bin/pip"), "install", "-q", "pyarrow", "duckdb")
		if out, err := pip.CombinedOutput(); err != nil {
			t.Skipf("pyarrow and duckdb cannot be installed: %v %s", err, out)
		}
		return filepath.Join(dir, "bin/python")
	}
	return *pythonFlag
}

// TestLiveParquet: pyarrow and DuckDB read the exported Parquet files, with SQL's
// types and the same values.
func TestLiveParquet(t *testing.T) {
	interpreter := python(t)
	dir := t.TempDir()
	hbasekv := func(args ...string) { run(t, dir, filepath.Join(bin, "hbasekv"), args...) }
	hbasekv("sql", "store", "-e", `
		CREATE TABLE t$f (K varbinary(20), Q varbinary(20), T bigint, V varbinary(40), PRIMARY KEY (K, Q, T));
		INSERT INTO t$f VALUES (X'00FF', '', -9223372036854775808, NULL), ('a', 'n', 9223372036854775807, ''),
			('a', 'x', 5, X'C328');
		CREATE VIEW v AS SELECT K, CAST(-5 AS SIGNED) i, CAST(18446744073709551615 AS UNSIGNED) u, 1e-3 d, -1.50 d9,
			CAST(123456789012.5 AS DECIMAL(18,1)) d18, CAST(-99999999999999999999.5 AS DECIMAL(30,2)) d30, SUM(T) s,
			CAST('é' AS CHAR) t, CAST('2024-02-29' AS DATE) day, CAST('1969-12-31 23:59:59.5' AS DATETIME(6)) moment,
			CAST('23:59:59.25' AS TIME(2)) clock, JSON_OBJECT('a', 1) j, MAX(V) b, NULL n
			FROM t$f WHERE Q = 'x' GROUP BY K`)
	hbasekv("export", "store", "t", "cells.parquet")
	hbasekv("export", "store", "v", "rows.parquet")
	got := run(t, dir, interpreter, "-c", readParquet, "cells.parquet", "rows.parquet")
	want := strings.Join([]string{
		"row binary, family string, qualifier binary, timestamp int64, value binary",
		"row BLOB, family VARCHAR, qualifier BLOB, timestamp BIGINT, value BLOB",
		`(b'\x00\xff', 'f', b'', -9223372036854775808, None)`,
		`(b'a', 'f', b'n', 9223372036854775807, b'')`,
		`(b'a', 'f', b'x', 5, b'\xc3(')`,
		"K binary, i int64, u uint64, d double, d9 decimal128(3, 2), d18 decimal128(18, 1), d30 decimal128(30, 2), " +
			"s decimal128(38, 0), t string, day date32[day], moment timestamp[us], clock time64[us], " +
			"j extension<arrow.json>, b binary, n string",
		"K BLOB, i BIGINT, u UBIGINT, d DOUBLE, d9 DECIMAL(3,2), d18 DECIMAL(18,1), d30 DECIMAL(30,2), s DECIMAL(38,0), " +
			"t VARCHAR, day DATE, moment TIMESTAMP, clock TIME, j JSON, b BLOB, n VARCHAR",
		`(b'a', -5, 18446744073709551615, 0.001, Decimal('-1.50'), Decimal('123456789012.5'), ` +
			`Decimal('-99999999999999999999.50'), Decimal('5'), 'é', datetime.date(2024, 2, 29), ` +
			`datetime.datetime(1969, 12, 31, 23, 59, 59, 500000), datetime.time(23, 59, 59, 250000), '{"a": 1}', b'\xc3(', None)`,
		"",
	}, "\n")
	require.Equal(t, want, got, fmt.Sprintf("by %s", interpreter))
}

// TestLiveCopy copies a group into a real HBase and back, in another store.
func TestLiveCopy(t *testing.T) {
	uri := "hbase://" + quorum(t) + "/default"
	dir := t.TempDir()
	name := fmt.Sprintf("copied%d", time.Now().UnixNano()%1e12)
	sql := func(dsn, text string) string {
		return run(t, dir, filepath.Join(bin, "hbasekv"), "sql", dsn, "-e", text)
	}
	sql("./src", "CREATE TABLE "+name+"$a (K varbinary(100), Q varbinary(100), T bigint, V varbinary(1000) NOT NULL, PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 3")
	sql("./src", "CREATE TABLE "+name+"$b LIKE "+name+"$a")
	sql("./src", "INSERT INTO "+name+"$a WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 999) "+
		"SELECT UNHEX(MD5(i)), IF(i % 3, 'q', ''), i, IF(i % 5, REPEAT('v', i % 100), '') FROM n")
	sql("./src", "INSERT INTO "+name+"$b SELECT K, 'r', T, V FROM "+name+"$a")
	sql("./src", "INSERT INTO "+name+"$b SELECT K, 'r', T + 1, V FROM "+name+"$a")
	t.Cleanup(func() {
		sql(uri, "DROP TABLE "+name+"$a")
		sql(uri, "DROP TABLE "+name+"$b")
	})
	copied := func(args ...string) string {
		return run(t, dir, filepath.Join(bin, "hbasekv"), append([]string{"copy"}, args...)...)
	}
	require.Contains(t, copied("./src", uri, name), "done: 2,997 cells of "+name)
	sql(uri, "SPLIT TABLE "+name+"$a BY (X'40')")
	require.Contains(t, copied(uri, "./dst", name), "verified")
	all := "SELECT HEX(K), F, Q, T, V FROM " + name + " FOR SYSTEM_TIME ALL ORDER BY K, F, Q, T"
	require.Equal(t, sql("./src", all), sql("./dst", all))

	// A cell that HBase cannot store stops the copy. The rest stays, and what is
	// missing is copied when the cell is gone.
	sql("./src", "INSERT INTO "+name+"$b VALUES (X'FFFF', 'r', -1, 'x')")
	cmd := command(dir, "copy", "./src", uri, name)
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "goes on from there")
	sql("./src", "DELETE /*+ VERSIONS(ALL) */ FROM "+name+"$b WHERE T = -1")
	require.Contains(t, copied("./src", uri, name), "verified")
	out, err = command(dir, "copy", uri, uri, name).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "onto itself")
}

// TestLiveAdvise: the advice for a table in HBase is possible in HBase.
func TestLiveAdvise(t *testing.T) {
	uri := "hbase://" + quorum(t) + "/default?multiRow=apply"
	dir := t.TempDir()
	name := fmt.Sprintf("plant%d", time.Now().UnixNano()%1e12)
	sql := func(text string) string {
		cmd := command(dir, "sql", uri)
		cmd.Stdin = strings.NewReader(text + ";")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	sql(strings.ReplaceAll(badEvents(), "plant", name))
	t.Cleanup(func() { sql("DROP TABLE " + name + "$events") })
	report := run(t, dir, filepath.Join(bin, "hbasekv"), "advise", uri, name+"$events")
	require.NotContains(t, report, "KEY(")
	require.Contains(t, report, "hotspot")
	statements := copied(t, report, 1)
	require.Contains(t, statements, "PARTITION BY RANGE COLUMNS")
	t.Cleanup(func() { sql("DROP TABLE " + name + "_new$events") })
	sql(statements)
	require.Contains(t, sql("SELECT COUNT(*) FROM "+name+"_new$events FOR SYSTEM_TIME ALL"), "4000")
}

// TestLiveCopyKilled kills a copy into HBase, and one back, after the first parts.
// The same command continues, and copies everything.
func TestLiveCopyKilled(t *testing.T) {
	uri := "hbase://" + quorum(t) + "/default"
	dir := t.TempDir()
	name := fmt.Sprintf("killed%d$a", time.Now().UnixNano()%1e12)
	sql := func(dsn, text string) string {
		return run(t, dir, filepath.Join(bin, "hbasekv"), "sql", dsn, "-e", text)
	}
	sql("./src", "CREATE TABLE "+name+" (K varbinary(100), Q varbinary(100), T bigint, V varbinary(1000) NOT NULL, PRIMARY KEY (K, Q, T)) "+
		"PARTITION BY RANGE COLUMNS(K) (PARTITION p0 VALUES LESS THAN ('04'), PARTITION p1 VALUES LESS THAN ('07'), "+
		"PARTITION p2 VALUES LESS THAN ('1'), PARTITION p3 VALUES LESS THAN MAXVALUE)")
	sql("./src", "INSERT INTO "+name+" WITH RECURSIVE n AS (SELECT 0 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 119) "+
		"SELECT LPAD(120 * a.i + b.i, 5, '0'), 'q', b.i, REPEAT('v', b.i) FROM n a JOIN n b")
	t.Cleanup(func() { sql(uri, "DROP TABLE "+name) })
	for _, way := range [][2]string{{"./src", uri}, {uri, "./dst"}} {
		args := []string{"copy", "--parallel", "1", way[0], way[1], name}
		cmd := command(dir, args...)
		require.NoError(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for begun := false; !begun; time.Sleep(time.Millisecond) {
			_, err := os.Stat(filepath.Join(dir, name+".copy"))
			begun = err == nil || len(ended) > 0
		}
		_ = cmd.Process.Kill()
		t.Logf("to %s: %v", way[1], <-ended)
		require.Contains(t, run(t, dir, filepath.Join(bin, "hbasekv"), args...), "done: 14,400 cells of "+name)
	}
	all := "SELECT COUNT(*), BIT_XOR(CRC32(CONCAT_WS(',', K, Q, T, V))) FROM " + name + " FOR SYSTEM_TIME ALL"
	require.Equal(t, sql("./src", all), sql("./dst", all))
}
