package driver

import (
	"database/sql"
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
