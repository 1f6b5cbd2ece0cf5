package driver

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
	hbasekv "github.com/hbasekv/hbasekv/driver"
)

// driverTest replaces one of go-sql-driver/mysql's own driver tests: it is a test
// that both drivers pass, with only the table c, or the reason why there is none.
type driverTest struct {
	run func(t *testing.T, o opener)
	why string
}

// opener opens a database with the empty table c and parameters of the DSN.
type opener func(parameters string) *sql.DB

const (
	ofNetwork  = "it dials, authenticates or encrypts, and there is no network here"
	ofRoutines = "it needs a stored procedure, and there are none here"
)

// driverTests are all tests of go-sql-driver/mysql's driver_test.go.
var driverTests = map[string]driverTest{
	"TestEmptyQuery":                           {run: testCommentAlone},
	"TestCRUD":                                 {run: testLifeOfARow},
	"TestNumbersToAny":                         {run: testNumbersAsAny},
	"TestMultiQuery":                           {run: testSeveralUpdates},
	"TestInt":                                  {run: testEchoOfNumbers},
	"TestFloat32":                              {run: testEchoOfNumbers},
	"TestFloat64":                              {run: testEchoOfNumbers},
	"TestFloat64Placeholder":                   {run: testEchoOfNumbers},
	"TestString":                               {run: testEchoOfTexts},
	"TestRawBytes":                             {run: testRawBytes},
	"TestRawMessage":                           {run: testRawBytes},
	"TestValuer":                               {run: testValuers},
	"TestValuerWithValidation":                 {run: testValuers},
	"TestDateTime":                             {run: testMoments},
	"TestTimestampMicros":                      {run: testMoments},
	"TestNULL":                                 {run: testNulls},
	"TestUint64":                               {run: testEchoOfNumbers},
	"TestLongData":                             {run: testLongValues},
	"TestLoadData":                             {run: testLoadedData},
	"TestFoundRows1":                           {run: testFoundRows},
	"TestFoundRows2":                           {run: testFoundRows},
	"TestTLS":                                  {why: ofNetwork},
	"TestReuseClosedConnection":                {run: testClosedConnection},
	"TestCharset":                              {run: testCharsets},
	"TestFailingCharset":                       {run: testCharsets},
	"TestCollation":                            {run: testCharsets},
	"TestColumnsWithAlias":                     {run: testAliases},
	"TestRawBytesResultExceedsBuffer":          {run: testRawBytes},
	"TestTimezoneConversion":                   {run: testMoments},
	"TestRowsClose":                            {run: testRowsAndStatements},
	"TestCloseStmtBeforeRows":                  {run: testRowsAndStatements},
	"TestStmtMultiRows":                        {run: testRowsAndStatements},
	"TestPreparedManyCols":                     {run: testManyPlaceholders},
	"TestConcurrent":                           {run: testManyAtOnce},
	"TestDialUnknownError":                     {why: ofNetwork},
	"TestDialNonRetryableNetErr":               {why: ofNetwork},
	"TestDialTemporaryNetErr":                  {why: ofNetwork},
	"TestCustomDial":                           {why: ofNetwork},
	"TestBeforeConnect":                        {why: "a connector is made anew by the program that wants other values: there is no server to ask first"},
	"TestSQLInjection":                         {run: testQuotes},
	"TestInsertRetrieveEscapedData":            {run: testQuotes},
	"TestUnixSocketAuthFail":                   {why: ofNetwork},
	"TestInterruptBySignal":                    {why: ofRoutines},
	"TestColumnsReusesSlice":                   {why: "it looks at an allocation inside go-sql-driver"},
	"TestRejectReadOnly":                       {why: ofRoutines},
	"TestPing":                                 {run: testPing},
	"TestEmptyPassword":                        {why: ofNetwork},
	"TestMultiResultSet":                       {run: testResultSets},
	"TestMultiResultSetNoSelect":               {run: testResultSets},
	"TestExecMultipleResults":                  {run: testResultsOfAll},
	"TestSkipResults":                          {run: testResultSets},
	"TestQueryMultipleResults":                 {run: testResultsOfAll},
	"TestPingContext":                          {run: testPing},
	"TestContextCancelExec":                    {run: testCancelled},
	"TestContextCancelQuery":                   {run: testCancelled},
	"TestContextCancelQueryRow":                {run: testCancelled},
	"TestContextCancelPrepare":                 {run: testCancelled},
	"TestContextCancelStmtExec":                {run: testCancelled},
	"TestContextCancelStmtQuery":               {run: testCancelled},
	"TestContextCancelBegin":                   {run: testCancelledTransaction},
	"TestContextBeginIsolationLevel":           {run: testLevels},
	"TestContextBeginReadOnly":                 {run: testLevels},
	"TestRowsColumnTypes":                      {run: testColumnTypes},
	"TestValuerWithValueReceiverGivenNilValue": {run: testValuers},
	"TestRawBytesAreNotModified":               {run: testRawBytesAfterCancel},
	"TestConnectorObeysDialTimeouts":           {why: ofNetwork},
	"TestNewConnector":                         {run: testConnector},
	"TestConnectorTimeoutsDuringOpen":          {why: ofNetwork},
	"TestConnectorTimeoutsWatchCancel":         {why: ofNetwork},
	"TestConnectionAttributes":                 {why: ofNetwork},
	"TestErrorInMultiResult":                   {run: testErrorBehindResults},
	"TestIssue1567":                            {run: testPing},
}

// TestDriverTests runs them with both drivers, with go-sql-driver/mysql if
// there is a MariaDB, with arguments that are sent and with interpolated ones.
func TestDriverTests(t *testing.T) {
	module := strings.TrimSpace(harness.GoTool(t, "", "list", "-m", "-f", "{{.Dir}}", "github.com/go-sql-driver/mysql"))
	source, err := os.ReadFile(filepath.Join(module, "driver_test.go"))
	require.NoError(t, err)
	theirs := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(source), -1) {
		theirs[m[1]] = true
	}
	sources := map[string]func(parameters string) (string, string){
		"hbasekv": func(parameters string) (string, string) { return "hbasekv", "file::memory:?versions=all&" + parameters },
	}
	if server := contractServer(t); server != "" {
		sources["mysql"] = func(parameters string) (string, string) { return "mysql", server + parameters }
	}
	for name, test := range driverTests {
		assert.True(t, theirs[name], "go-sql-driver has no test %s", name)
		delete(theirs, name)
		assert.NotEqual(t, test.run == nil, test.why == "", name)
	}
	require.Empty(t, theirs, "tests of go-sql-driver that nothing stands for")
	for driver, source := range sources {
		t.Run(driver, func(t *testing.T) { runDriverTests(t, source) })
	}
}

func runDriverTests(t *testing.T, source func(parameters string) (string, string)) {
	ran := map[string]bool{}
	for name, test := range driverTests {
		if key := fmt.Sprintf("%p", test.run); test.run == nil || ran[key] {
			continue
		} else {
			ran[key] = true
		}
		for _, mode := range []string{"interpolateParams=false", "interpolateParams=true"} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				test.run(t, func(parameters string) *sql.DB {
					w := &witness{TB: t, source: source}
					return w.open(strings.Trim(mode+"&"+parameters, "&"))
				})
			})
		}
	}
}

func testCommentAlone(t *testing.T, open opener) {
	db := open("")
	for _, text := range []string{"--", "# nothing", "/* nothing */", "-- nothing\n"} {
		rows, err := db.Query(text)
		require.NoError(t, err, text)
		require.False(t, rows.Next(), text)
		require.NoError(t, errors.Join(rows.Err(), rows.Close()), text)
		_, err = db.Exec(text)
		require.NoError(t, err, text)
	}
	_, err := db.Exec("")
	require.Equal(t, uint16(1065), harness.ErrorNumber(err))
}

func testLifeOfARow(t *testing.T, open opener) {
	db := open("")
	require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM c"))
	require.EqualValues(t, 1, harness.Affected(t, db, "INSERT INTO c VALUES ('k', 'q', 1, ?)", true))
	var is bool
	require.NoError(t, db.QueryRow("SELECT V FROM c").Scan(&is))
	require.True(t, is)
	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE c SET V = ? WHERE V = ?", false, "1"))
	require.EqualValues(t, 0, harness.Affected(t, db, "UPDATE c SET V = ? WHERE V = ?", false, "0"))
	require.NoError(t, db.QueryRow("SELECT V FROM c").Scan(&is))
	require.False(t, is)
	require.EqualValues(t, 1, harness.Affected(t, db, "DELETE FROM c WHERE V = ?", "0"))
	require.EqualValues(t, 0, harness.Affected(t, db, "DELETE FROM c"))
}

func testNumbersAsAny(t *testing.T, open opener) {
	db := open("")
	harness.Must(t, db, "INSERT INTO c VALUES ('k', 'q', 9223372036854775807, 'v')")
	for _, args := range [][]any{nil, {"k"}} { // as text, and in binary form
		where := strings.Repeat(" WHERE K = ?", len(args))
		var big, small, float, exact, none any
		var huge uint64 // as text, go-sql-driver/mysql scans it into any as a []byte
		require.NoError(t, db.QueryRow("SELECT T, 127, CAST(18446744073709551615 AS UNSIGNED), 2.5e0, 1.25, NULL FROM c"+where, args...).
			Scan(&big, &small, &huge, &float, &exact, &none))
		require.Equal(t, []any{int64(math.MaxInt64), int64(127), uint64(math.MaxUint64), 2.5, []byte("1.25"), nil},
			[]any{big, small, huge, float, exact, none})
	}
}

func testSeveralUpdates(t *testing.T, open opener) {
	db := open("multiStatements=true")
	harness.Must(t, db, "INSERT INTO c VALUES ('k', 'q', 1, '1')")
	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE c SET V = 3 WHERE T = 1; UPDATE c SET V = 4 WHERE T = 1; UPDATE c SET V = 5 WHERE T = 1;"))
	require.Equal(t, "5", harness.Single(t, db, "SELECT V FROM c WHERE T = 1;"))
}

// testLoadedData loads local files and readers that are registered with both
// drivers, and some that are not.
func testLoadedData(t *testing.T, open opener) {
	db := open("")
	file := filepath.Join(t.TempDir(), "data")
	const text = "k\tq\t1\ta string\nk\tq\t2\ta string containing a \\t\nk\tq\t3\ta string containing a \\n\n" +
		"k\tq\t4\ta string containing both \\t\\n\n"
	want := []string{"1 a string", "2 a string containing a \t", "3 a string containing a \n", "4 a string containing both \t\n"}
	mysql.RegisterLocalFile(file)
	hbasekv.RegisterLocalFile(file)
	reader := func() io.Reader {
		f, err := os.Open(file)
		require.NoError(t, err)
		return f
	}
	mysql.RegisterReaderHandler("test", reader)
	hbasekv.RegisterReaderHandler("test", reader)
	defer func() {
		mysql.DeregisterLocalFile(file)
		hbasekv.DeregisterLocalFile(file)
		mysql.DeregisterReaderHandler("test")
		hbasekv.DeregisterReaderHandler("test")
	}()
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	require.EqualValues(t, 0, harness.Affected(t, db, "LOAD DATA LOCAL INFILE '"+file+"' INTO TABLE c"))
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	for _, name := range []string{file, "Reader::test", "/data/Reader::test"} {
		require.EqualValues(t, 4, harness.Affected(t, db, "LOAD DATA LOCAL INFILE '"+name+"' INTO TABLE c"))
		require.Equal(t, want, harness.Lines(t, db, "SELECT T, V FROM c ORDER BY T"))
		harness.Must(t, db, "DELETE FROM c")
	}
	_, err := db.Exec("LOAD DATA LOCAL INFILE 'doesnotexist' INTO TABLE c")
	require.EqualError(t, err, "local file 'doesnotexist' is not registered")
	_, err = db.Exec("LOAD DATA LOCAL INFILE 'Reader::doesnotexist' INTO TABLE c")
	require.EqualError(t, err, "reader 'doesnotexist' is not registered")
	all := open("allowAllFiles=true")
	mysql.DeregisterLocalFile(file)
	hbasekv.DeregisterLocalFile(file)
	_, err = db.Exec("LOAD DATA LOCAL INFILE '" + file + "' INTO TABLE c")
	require.ErrorContains(t, err, "is not registered")
	require.EqualValues(t, 4, harness.Affected(t, all, "LOAD DATA LOCAL INFILE '"+file+"' INTO TABLE c"))
}

func testEchoOfNumbers(t *testing.T, open opener) {
	db := open("")
	echo := func(in, out any) {
		t.Helper()
		require.NoError(t, db.QueryRow("SELECT ?", in).Scan(out))
		harness.Must(t, db, "DELETE FROM c")
		require.EqualValues(t, 1, harness.Affected(t, db, "INSERT INTO c VALUES ('k', 'q', 1, ?)", in))
		require.NoError(t, db.QueryRow("SELECT V FROM c WHERE T = ?", 1).Scan(out))
	}
	for _, in := range []int64{42, 0, -1, math.MinInt64, math.MaxInt64} {
		var out int64
		echo(in, &out)
		require.Equal(t, in, out)
	}
	for _, in := range []uint64{0, math.MaxInt64, math.MaxInt64 + 1, math.MaxUint64} {
		var out uint64
		echo(in, &out)
		require.Equal(t, in, out)
	}
	for _, in := range []float64{42.23, -0.001, 1e300, math.Pi} {
		var out float64
		echo(in, &out)
		require.Equal(t, in, out)
	}
	var narrow float32
	echo(float32(42.23), &narrow)
	require.Equal(t, float32(42.23), narrow)
}

func testEchoOfTexts(t *testing.T, open opener) {
	db := open("")
	for _, in := range []string{"", "plain", "Größe, naïve, Ελλάδα, Łódź, ひらがな, שלום, ไทย, \U0001F600", strings.Repeat("long text. ", 90)} {
		harness.Must(t, db, "DELETE FROM c")
		harness.Must(t, db, "INSERT INTO c VALUES ('k', 'q', 1, '')")
		require.EqualValues(t, min(1, len(in)), harness.Affected(t, db, "UPDATE c SET V = ?", in))
		require.Equal(t, in, harness.Single(t, db, "SELECT V FROM c WHERE T = ?", 1))
		require.Equal(t, in, harness.Single(t, db, "SELECT ?", in))
	}
}

func testRawBytes(t *testing.T, open opener) {
	db := open("")
	rows, err := db.Query("SELECT ?, ?, REPEAT('x', 100000)", []byte("aaa"), json.RawMessage(`{"b":1}`))
	require.NoError(t, err)
	defer rows.Close()
	require.True(t, rows.Next())
	var first, long sql.RawBytes
	var second json.RawMessage
	require.NoError(t, rows.Scan(&first, &second, &long))
	require.Equal(t, "aaa", string(first))
	_ = append(first, "overwrites what is behind"...)
	require.JSONEq(t, `{"b":1}`, string(second))
	require.True(t, bytes.Equal(long, bytes.Repeat([]byte("x"), 100000)))
	require.False(t, rows.Next())
}

// refusesEmpty is a Valuer that refuses the empty text. Its method has a value
// receiver.
type refusesEmpty string

func (v refusesEmpty) Value() (driver.Value, error) {
	if v == "" {
		return nil, errors.New("empty")
	}
	return "valued " + string(v), nil
}

func testValuers(t *testing.T, open opener) {
	db := open("")
	require.Equal(t, "valued a", harness.Single(t, db, "SELECT ?", refusesEmpty("a")))
	pointed := refusesEmpty("b")
	require.Equal(t, "valued b", harness.Single(t, db, "SELECT ?", &pointed))
	require.Equal(t, "NULL", harness.Single(t, db, "SELECT ?", (*refusesEmpty)(nil)))
	require.Equal(t, "NULL", harness.Single(t, db, "SELECT ?", nil))
	for _, bad := range []any{refusesEmpty(""), map[string]bool{}} {
		_, err := db.Exec("INSERT INTO c VALUES ('k', 'q', 1, ?)", bad)
		require.Error(t, err)
	}
	require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM c"))
}

func testMoments(t *testing.T, open opener) {
	for _, zone := range []string{"UTC", "US/Central", "Asia/Kolkata"} {
		loc, err := time.LoadLocation(zone)
		require.NoError(t, err)
		db := open("parseTime=true&loc=" + strings.ReplaceAll(zone, "/", "%2F"))
		for _, at := range []time.Time{
			time.Date(2014, 5, 30, 18, 3, 17, 0, time.UTC), time.Date(2011, 11, 20, 21, 27, 37, 123456000, loc),
		} {
			harness.Must(t, db, "DELETE FROM c")
			harness.Must(t, db, "INSERT INTO c VALUES ('k', 'q', 1, '')")
			require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE c SET V = ?", at))
			var got time.Time
			require.NoError(t, db.QueryRow("SELECT CAST(V AS DATETIME(6)) FROM c").Scan(&got))
			require.True(t, got.Equal(at), "%s, not %s", got, at)
			require.Equal(t, loc.String(), got.Location().String())
		}
		var day, none sql.NullTime
		require.NoError(t, db.QueryRow("SELECT CAST('2012-12-30' AS DATE), CAST(NULL AS DATETIME)").Scan(&day, &none))
		require.True(t, day.Time.Equal(time.Date(2012, 12, 30, 0, 0, 0, 0, loc)))
		require.False(t, none.Valid)
	}
	db := open("parseTime=false")
	for precision := range 7 {
		text := strings.TrimSuffix("2014-05-30 18:03:17."+"123412"[:precision], ".")
		require.Equal(t, text, harness.Single(t, db, fmt.Sprintf("SELECT CAST('2014-05-30 18:03:17.123412' AS DATETIME(%d))", precision)))
		require.Equal(t, text[11:], harness.Single(t, db, fmt.Sprintf("SELECT CAST(? AS TIME(%d))", precision), "18:03:17.123412"))
	}
}

func testNulls(t *testing.T, open opener) {
	db := open("")
	null, err := db.Prepare("SELECT NULL")
	require.NoError(t, err)
	defer null.Close()
	one, err := db.Prepare("SELECT 1")
	require.NoError(t, err)
	defer one.Close()
	var (
		b    sql.NullBool
		f    sql.NullFloat64
		i    sql.NullInt64
		s    sql.NullString
		n    sql.NullTime
		text []byte
	)
	for _, dest := range []any{&b, &f, &i, &s, &n, &text} {
		require.NoError(t, null.QueryRow().Scan(dest))
	}
	require.False(t, b.Valid || f.Valid || i.Valid || s.Valid || n.Valid || text != nil)
	for _, dest := range []any{&b, &f, &i, &s, &text} {
		require.NoError(t, one.QueryRow().Scan(dest))
	}
	require.Equal(t, []any{true, 1.0, int64(1), "1", []byte("1")}, []any{b.Bool, f.Float64, i.Int64, s.String, text})
	require.Equal(t, "1", harness.Single(t, db, "SELECT ? IS NULL", []byte(nil)))
	require.NoError(t, db.QueryRow("SELECT ?", []byte(nil)).Scan(&text))
	require.Nil(t, text)
	require.NoError(t, db.QueryRow("SELECT ?", []byte{}).Scan(&text))
	require.NotNil(t, text)
	harness.Must(t, db, "INSERT INTO c VALUES ('k', 'q', 1, 'v')")
	require.EqualValues(t, 1, harness.Affected(t, db, "UPDATE c SET V = ?", nil))
	var v any = "something"
	require.NoError(t, db.QueryRow("SELECT V FROM c").Scan(&v))
	require.Nil(t, v)
}

func testLongValues(t *testing.T, open opener) {
	db := open("maxAllowedPacket=0")
	var most int
	require.NoError(t, db.QueryRow("SELECT @@max_allowed_packet").Scan(&most))
	long := strings.Repeat("a", min(most, 1<<22)-100)
	harness.Must(t, db, "DROP TABLE IF EXISTS contract_long", "CREATE TABLE contract_long (K varbinary(9) NOT NULL, Q varbinary(9) NOT NULL, "+
		"T bigint NOT NULL, V longblob, PRIMARY KEY (K, Q, T))")
	harness.Must(t, db, "INSERT INTO contract_long VALUES ('k', 'q', 1, '"+long[:len(long)-100]+"')")
	require.True(t, long[:len(long)-100] == harness.Single(t, db, "SELECT V FROM contract_long"))
	harness.Must(t, db, "TRUNCATE TABLE contract_long")
	require.EqualValues(t, 1, harness.Affected(t, db, "INSERT INTO contract_long VALUES ('k', 'q', 1, ?)", long[:len(long)-100]))
	require.True(t, long[:len(long)-100] == harness.Single(t, db, "SELECT V FROM contract_long WHERE T = ?", 1))
	harness.Must(t, db, "DROP TABLE contract_long")
}

func testFoundRows(t *testing.T, open opener) {
	for parameters, second := range map[string]int64{"": 2, "clientFoundRows=true": 3} {
		db := open(parameters)
		harness.Must(t, db, "INSERT INTO c VALUES ('a', 'q', 1, 0), ('a', 'q', 2, 0), ('b', 'q', 3, 0), ('b', 'q', 4, 0), ('b', 'q', 5, 1)")
		require.EqualValues(t, 2, harness.Affected(t, db, "UPDATE c SET V = 1 WHERE K = 'a'"))
		require.EqualValues(t, second, harness.Affected(t, db, "UPDATE c SET V = 1 WHERE K = 'b'"))
	}
}

func testClosedConnection(t *testing.T, open opener) {
	db := open("")
	conn, err := db.Conn(context.Background())
	require.NoError(t, err)
	require.ErrorIs(t, conn.Raw(func(c any) error {
		st, err := c.(driver.Conn).Prepare("DO 1")
		require.NoError(t, err)
		exec := st.(driver.StmtExecContext)
		_, err = exec.ExecContext(context.Background(), nil)
		require.NoError(t, err)
		require.NoError(t, c.(driver.Conn).Close())
		_, err = exec.ExecContext(context.Background(), nil)
		return err
	}), driver.ErrBadConn)
	_ = conn.Close()
	require.NoError(t, db.Ping())
}

func testCharsets(t *testing.T, open opener) {
	for list, want := range map[string]string{"ascii": "ascii", "latin1": "latin1", "utf8mb4": "utf8mb4", "none,utf8mb4": "utf8mb4"} {
		require.Equal(t, want, harness.Single(t, open("charset="+list), "SELECT @@character_set_connection"))
	}
	for _, collation := range []string{"latin1_general_ci", "binary", "utf8mb4_bin", "utf8mb4_general_ci"} {
		require.Equal(t, collation, harness.Single(t, open("collation="+collation), "SELECT @@collation_connection"))
	}
}

func testAliases(t *testing.T, open opener) {
	for parameters, want := range map[string]string{"": "A", "columnsWithAlias=true": "alias.A"} {
		rows, err := open(parameters).Query("SELECT 1 AS A FROM (SELECT 1 AS A) AS alias WHERE 1 = ?", 1)
		require.NoError(t, err)
		columns, err := rows.Columns()
		require.NoError(t, errors.Join(err, rows.Close()))
		require.Contains(t, []string{want, "A"}, columns[0]) // an expression has no table
		rows, err = open(parameters).Query("SELECT alias.A FROM (SELECT 1 AS A) AS alias WHERE 1 = ?", 1)
		require.NoError(t, err)
		columns, err = rows.Columns()
		require.NoError(t, errors.Join(err, rows.Close()))
		require.Equal(t, []string{want}, columns)
	}
}

func testRowsAndStatements(t *testing.T, open opener) {
	db := open("")
	harness.Must(t, db, "INSERT INTO c VALUES ('a', 'q', 1, 1), ('b', 'q', 1, 2)")
	rows, err := db.Query("SELECT K FROM c")
	require.NoError(t, err)
	require.NoError(t, rows.Close())
	require.False(t, rows.Next())
	require.NoError(t, rows.Err())

	st, err := db.Prepare("SELECT V FROM c WHERE T = ? ORDER BY K")
	require.NoError(t, err)
	rows, err = st.Query(1)
	require.NoError(t, err)
	other, err := db.Prepare("SELECT V FROM c WHERE T = ? ORDER BY K DESC")
	require.NoError(t, err)
	more, err := other.Query(1)
	require.NoError(t, err)
	require.NoError(t, errors.Join(st.Close(), other.Close()))
	var up, down []int
	for rows.Next() && more.Next() { // alternately
		var a, b int
		require.NoError(t, errors.Join(rows.Scan(&a), more.Scan(&b)))
		up, down = append(up, a), append(down, b)
	}
	require.NoError(t, errors.Join(rows.Err(), more.Err(), rows.Close(), more.Close()))
	require.Equal(t, [][]int{{1, 2}, {2, 1}}, [][]int{up, down})
}

// mostColumns is the maximum number of columns of a SELECT.
const mostColumns = 4096

func testManyPlaceholders(t *testing.T, open opener) {
	db := open("")
	st, err := db.Prepare("SELECT CONCAT_WS(',', ?" + strings.Repeat(", ?", math.MaxUint16-1) + ")")
	require.NoError(t, err)
	defer st.Close()
	args := make([]any, math.MaxUint16)
	var got string
	require.NoError(t, st.QueryRow(args...).Scan(&got))
	require.Empty(t, got)
	for i := range args {
		args[i] = ""
	}
	require.NoError(t, st.QueryRow(args...).Scan(&got))
	require.Equal(t, strings.Repeat(",", len(args)-1), got)
	rows, err := db.Query("SELECT ?"+strings.Repeat(", ?", mostColumns-1), args[:mostColumns]...)
	require.NoError(t, err)
	columns, err := rows.Columns()
	require.NoError(t, errors.Join(err, rows.Close()))
	require.Len(t, columns, mostColumns)
}

func testManyAtOnce(t *testing.T, open opener) {
	db := open("")
	const workers, rounds = 20, 30
	db.SetMaxOpenConns(workers)
	harness.Must(t, db, "INSERT INTO c VALUES ('n', 'q', 1, 0)")
	var all sync.WaitGroup
	for n := range workers {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := range rounds {
				var got int
				if !assert.NoError(t, db.QueryRow("SELECT ?", n*rounds+i).Scan(&got)) || !assert.Equal(t, n*rounds+i, got) {
					return
				}
			}
			_, err := db.Exec("UPDATE c SET V = V + 1 WHERE K = 'n'")
			assert.NoError(t, err)
		}()
	}
	all.Wait()
	require.Equal(t, fmt.Sprint(workers), harness.Single(t, db, "SELECT V FROM c"))
}

func testQuotes(t *testing.T, open opener) {
	db := open("")
	harness.Must(t, db, "INSERT INTO c VALUES ('1', 'q', 1, 'secret')")
	for _, attack := range []string{"42') OR (1 = 1", `42\') OR (1 = 1`, `42\" OR 1 = 1 -- `, "42' UNION SELECT V FROM c -- ", "\x00'", "42`"} {
		require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM c WHERE (K = ?)", attack))
	}
	texts := []string{`"`, "'", "\x00", `\`, "\n", "\r", "\x1a", "%", "_", `\%`, "?", "a'b\"c\\d\x00e\nf\rg\x1ah", "--", "/*", "`", "\xff\xfe"}
	for i, text := range texts {
		require.EqualValues(t, 1, harness.Affected(t, db, "INSERT INTO c VALUES ('text', 'q', ?, ?)", i, []byte(text)))
		require.Equal(t, text, harness.Single(t, db, "SELECT V FROM c WHERE K = 'text' AND T = ?", i))
		require.Equal(t, fmt.Sprint(i),
			harness.Single(t, db, "SELECT T FROM c WHERE K = 'text' AND V = ?", []byte(text)))
	}
}

func testPing(t *testing.T, open opener) {
	db := open("")
	require.NoError(t, db.Ping())
	ctx, cancel := context.WithCancel(context.Background())
	conn := harness.Conn(t, db)
	require.NoError(t, conn.PingContext(ctx))
	cancel()
	require.ErrorIs(t, db.PingContext(ctx), context.Canceled)
	require.NoError(t, conn.PingContext(context.Background()))
	tx, err := db.Begin()
	require.NoError(t, err)
	require.NoError(t, db.Ping())
	require.NoError(t, tx.Rollback())
	db.SetMaxIdleConns(0) // each has its own connection
	for i := range 50 {
		short, stop := context.WithTimeout(context.Background(), time.Duration(i)*time.Microsecond)
		if err := db.PingContext(short); err != nil {
			require.True(t, errors.Is(err, context.DeadlineExceeded) || errors.Is(err, driver.ErrBadConn), err)
		}
		stop()
	}
	require.NoError(t, db.Ping())
}

func testResultSets(t *testing.T, open opener) {
	db := open("multiStatements=true")
	const script = "SELECT 1 AS a, 2 AS b UNION SELECT 3, 4; SELECT 0 UNION SELECT 1; SELECT 1 AS a, 2 AS b, 3 AS c UNION SELECT 4, 5, 6"
	rows, err := db.Query(script)
	require.NoError(t, err)
	require.Equal(t, []string{"1 2", "3 4"}, printSet(t, rows))
	require.True(t, rows.NextResultSet())
	require.True(t, rows.Next()) // and leaves the other rows unread
	require.True(t, rows.NextResultSet())
	require.Equal(t, []string{"1 2 3", "4 5 6"}, printSet(t, rows))
	require.False(t, rows.NextResultSet())
	require.NoError(t, errors.Join(rows.Err(), rows.Close()))

	rows, err = db.Query("DO 1; DO 2;")
	require.NoError(t, err)
	require.False(t, rows.Next() || rows.NextResultSet())
	require.NoError(t, errors.Join(rows.Err(), rows.Close()))

	rows, err = db.Query("SELECT 1, 2")
	require.NoError(t, err)
	require.True(t, rows.Next())
	require.False(t, rows.NextResultSet())
	require.NoError(t, errors.Join(rows.Err(), rows.Close()))
}

// printSet are the rows of the current result set.
func printSet(t *testing.T, rows *sql.Rows) (out []string) {
	columns, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values, dest := make([]string, len(columns)), make([]any, len(columns))
		for i := range dest {
			dest[i] = &values[i]
		}
		require.NoError(t, rows.Scan(dest...))
		out = append(out, strings.Join(values, " "))
	}
	require.NoError(t, rows.Err())
	return out
}

func testResultsOfAll(t *testing.T, open opener) {
	db := open("multiStatements=true")
	conn := harness.Conn(t, db)
	for round := range 2 {
		require.NoError(t, conn.Raw(func(c any) error {
			result, err := c.(driver.ExecerContext).ExecContext(context.Background(),
				fmt.Sprintf("INSERT INTO c VALUES ('a', 'q', %d, 1), ('b', 'q', %d, 1); DELETE FROM c; DO 1; INSERT INTO c VALUES ('x', 'q', 0, 1); DELETE FROM c",
					round, round), nil)
			if err != nil {
				return err
			}
			all := result.(mysql.Result)
			require.Equal(t, []int64{2, 2, 0, 1, 1}, all.AllRowsAffected())
			require.Equal(t, []int64{0, 0, 0, 0, 0}, all.AllLastInsertIds())
			last, err := result.RowsAffected()
			require.EqualValues(t, 1, last)
			if err != nil {
				return err
			}
			result, err = c.(driver.ExecerContext).ExecContext(context.Background(), "DO 1", nil)
			require.Equal(t, []int64{0}, result.(mysql.Result).AllRowsAffected())
			return err
		}))
	}
}

// endsEarly runs a call with a context that ends while the call sleeps.
func endsEarly(t *testing.T, call func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer time.AfterFunc(20*time.Millisecond, cancel).Stop()
	require.ErrorIs(t, call(ctx), context.Canceled)
	require.ErrorIs(t, call(ctx), context.Canceled, "of a context that is over")
}

func testCancelled(t *testing.T, open opener) {
	db := open("")
	const insert, query = "INSERT INTO c VALUES ('k', 'q', 1, SLEEP(60))", "SELECT SLEEP(60)"
	read := func(rows *sql.Rows, err error) error {
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			t.Error("a row of a query that was cancelled")
		}
		return rows.Err()
	}
	endsEarly(t, func(ctx context.Context) error { _, err := db.ExecContext(ctx, insert); return err })
	endsEarly(t, func(ctx context.Context) error { return read(db.QueryContext(ctx, query)) })
	endsEarly(t, func(ctx context.Context) error { var n int; return db.QueryRowContext(ctx, query).Scan(&n) })
	write, err := db.Prepare(insert)
	require.NoError(t, err)
	defer write.Close()
	st, err := db.Prepare(query)
	require.NoError(t, err)
	defer st.Close()
	endsEarly(t, func(ctx context.Context) error { _, err := write.ExecContext(ctx); return err })
	endsEarly(t, func(ctx context.Context) error { return read(st.QueryContext(ctx)) })
	over, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = db.PrepareContext(over, "SELECT 1")
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "0", harness.Single(t, db, "SELECT COUNT(*) FROM c"))
}

func testCancelledTransaction(t *testing.T, open opener) {
	db := open("")
	ctx, cancel := context.WithCancel(context.Background())
	tx, err := db.BeginTx(ctx, nil)
	require.NoError(t, err)
	_, err = tx.Exec("INSERT INTO c VALUES ('a', 'q', 1, 'x')")
	require.NoError(t, err)
	defer time.AfterFunc(20*time.Millisecond, cancel).Stop()
	_, err = tx.ExecContext(ctx, "INSERT INTO c VALUES ('k', 'q', 1, SLEEP(60))")
	require.ErrorIs(t, err, context.Canceled)
	if err := tx.Commit(); !errors.Is(err, sql.ErrTxDone) {
		require.ErrorIs(t, err, context.Canceled)
	}
	_, err = db.BeginTx(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
	require.Eventually(t, func() bool { return harness.Single(t, db, "SELECT COUNT(*) FROM c") == "0" }, time.Minute, time.Millisecond)
}

func testLevels(t *testing.T, open opener) {
	db := open("")
	ctx := context.Background()
	writer, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead})
	require.NoError(t, err)
	committed, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	require.NoError(t, err)
	reader, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	require.NoError(t, err)
	_, err = writer.Exec("INSERT INTO c VALUES ('a', 'q', 1, 'x')")
	require.NoError(t, err)
	const count = "SELECT COUNT(*) FROM c"
	require.Equal(t, "0", harness.Single(t, committed, count))
	require.Equal(t, "0", harness.Single(t, reader, count))
	require.NoError(t, writer.Commit())
	require.Equal(t, "1", harness.Single(t, committed, count))
	require.Equal(t, "0", harness.Single(t, reader, count))
	_, err = reader.Exec("DELETE FROM c")
	require.Equal(t, uint16(1792), harness.ErrorNumber(err))
	require.NoError(t, errors.Join(committed.Commit(), reader.Commit()))
	_, err = db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelLinearizable})
	require.Error(t, err)
}

func testColumnTypes(t *testing.T, open opener) {
	db := open("parseTime=true")
	harness.Must(t, db, "INSERT INTO c VALUES ('k', 'q', 1, 'v')")
	rows, err := db.Query("SELECT K, T, V, COUNT(*), MAX(T), 1.50, 2.5e0, 'x', NOW(6), CAST(T AS UNSIGNED) FROM c GROUP BY K, Q, T, V HAVING 1 = ?", 1)
	require.NoError(t, err)
	defer rows.Close()
	types, err := rows.ColumnTypes()
	require.NoError(t, err)
	var got []string
	for _, c := range types {
		got = append(got, printColumn(c))
	}
	require.Equal(t, []string{"VARBINARY NOT NULL []uint8", "BIGINT NOT NULL int64", "VARBINARY []uint8", "BIGINT NOT NULL int64",
		"BIGINT sql.NullInt64", "DECIMAL(3,2) NOT NULL string", "DOUBLE NOT NULL float64", "VARCHAR NOT NULL string",
		"DATETIME(6) NOT NULL sql.NullTime", "UNSIGNED BIGINT NOT NULL uint64"}, got)
}

func testRawBytesAfterCancel(t *testing.T, open opener) {
	db := open("")
	for i, v := range []string{"a", "B", "c", "D"} {
		harness.Must(t, db, fmt.Sprintf("INSERT INTO c VALUES ('k', 'q', %d, REPEAT('%s', 1000))", i, v))
	}
	for range 20 {
		ctx, cancel := context.WithCancel(context.Background())
		rows, err := db.QueryContext(ctx, "SELECT V FROM c ORDER BY T")
		require.NoError(t, err)
		require.True(t, rows.Next())
		var raw sql.RawBytes
		require.NoError(t, rows.Scan(&raw))
		before := string(raw)
		cancel()
		time.Sleep(100 * time.Microsecond)
		require.Equal(t, before, string(raw))
		_ = rows.Close() // of what was cancelled
	}
}

func testConnector(t *testing.T, open opener) {
	db := open("")
	connector, err := db.Driver().(driver.DriverContext).OpenConnector("hb/mysql?nonesuch=%zz") // no DSN of either
	require.Error(t, err)
	require.Nil(t, connector)
	conn := harness.Conn(t, db)
	require.NoError(t, conn.Raw(func(c any) error {
		for _, is := range []bool{
			is[driver.Pinger](c), is[driver.SessionResetter](c), is[driver.Validator](c), is[driver.ConnBeginTx](c),
			is[driver.NamedValueChecker](c), is[driver.QueryerContext](c), is[driver.ExecerContext](c), is[driver.ConnPrepareContext](c),
		} {
			require.True(t, is)
		}
		return nil
	}))
}

func is[T any](v any) bool { _, ok := v.(T); return ok }

func testErrorBehindResults(t *testing.T, open opener) {
	db := open("multiStatements=true")
	rows, err := db.Query("SELECT 1, 2; SELECT 3, 4; SELECT nonesuch FROM c; SELECT 5")
	require.NoError(t, err)
	defer rows.Close()
	require.Equal(t, []string{"1 2"}, printSet(t, rows))
	require.True(t, rows.NextResultSet())
	require.Equal(t, []string{"3 4"}, printSet(t, rows))
	require.False(t, rows.NextResultSet())
	require.Equal(t, uint16(1054), harness.ErrorNumber(rows.Err()))
	require.NoError(t, db.Ping())
}
