package driver

import (
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// with is the default configuration of a path, changed.
func with(path string, change func(*Config)) *Config {
	cfg := NewConfig(path)
	if change != nil {
		change(cfg)
	}
	return cfg
}

func TestParseDSN(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for _, c := range []struct {
		dsn    string
		want   *Config
		format string // if it differs from dsn
	}{
		{dsn: "./data", want: with("./data", nil)},
		{dsn: "/var/lib/my data", want: with("/var/lib/my data", nil)},
		{dsn: "100%", want: with("100%", nil)},
		{dsn: "file:./data", want: with("./data", nil), format: "./data"},
		{dsn: "file:a%20b%3Fc%25", want: with("a b?c%", nil), format: "file:a b%3Fc%25"},
		{dsn: "file:///var/lib/x", want: with("/var/lib/x", nil), format: "/var/lib/x"},
		{dsn: "file://localhost/x", want: with("/x", nil), format: "/x"},
		{dsn: "file:////x?db=y", want: with("//x", func(c *Config) { c.DB = "y" })},
		{dsn: "file:file:x", want: with("file:x", nil)},
		{dsn: ":memory:", want: with(MemoryPath, nil)},
		{dsn: "file::memory:", want: with(MemoryPath, nil), format: MemoryPath},
		{dsn: ":memory:?versions=all", want: with(MemoryPath, func(c *Config) { c.Versions = "all" })},
		{dsn: "./:memory:", want: with("./:memory:", nil)},
		{dsn: "data?versions=07", want: with("data", func(c *Config) { c.Versions = "7" }), format: "file:data?versions=7"},
		{dsn: "data?versions=LATEST&&sync=1", want: with("data", nil), format: "data"},
		{
			dsn: "file:d?db=a%26b+c&versions=3&sync=false&cache=256MiB&clientFoundRows=true&readOnly=true&lockTimeout=1.5s&queryMemory=8MiB&txnMemory=1GiB&sessionMemory=64MiB&allSessionsMemory=2GiB&maxAllowedPacket=16MiB&tmpDir=%2Fvar%2Fx+y&parallelism=3&scanLimit=1000&fullScan=refuse&multiStatements=true",
			want: with("d", func(c *Config) {
				*c = Config{Path: "d", DB: "a&b c", Versions: "3", NoSync: true, CacheSize: 256 << 20,
					ClientFoundRows: true, ReadOnly: true, LockTimeout: 1500 * time.Millisecond,
					QueryMemory: 8 << 20, TxnMemory: 1 << 30, SessionMemory: 64 << 20, AllSessionsMemory: 2 << 30, MaxAllowedPacket: 16 << 20, TempDir: "/var/x y", Parallelism: 3, ScanLimit: 1000, RefuseFullScan: true,
					MultiStatements: true, Loc: time.UTC}
			}),
		},
		{
			dsn: "file:d?parseTime=true&loc=Europe%2FBerlin&timeTruncate=1ms&charset=utf8mb4%2Cutf8&collation=utf8mb4_bin&columnsWithAlias=true&sql_mode=%27%27&time_zone=%27UTC%27",
			want: with("d", func(c *Config) {
				c.ParseTime, c.Loc, c.TimeTruncate, c.ColumnsWithAlias = true, berlin, time.Millisecond, true
				c.Charset, c.Collation = "utf8mb4,utf8", "utf8mb4_bin"
				c.Params = map[string]string{"sql_mode": "''", "time_zone": "'UTC'"}
			}),
		},
		{
			dsn:  "file:d?clock=2024-05-06T07%3A08%3A09Z",
			want: with("d", func(c *Config) { c.Clock = FixedClock{time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)} }),
		},
		{dsn: "file:d?clock=%2B1h0m0s", want: with("d", func(c *Config) { c.Clock = OffsetClock{time.Hour} })},
		{
			dsn:  "d?interpolateParams=true&timeout=5s&readTimeout=30s&writeTimeout=30s&rejectReadOnly=true&tls=skip-verify&compress=true",
			want: with("d", nil), format: "d",
		},
		{dsn: "file:d?cache=1.5KB", want: with("d", func(c *Config) { c.CacheSize = 1500 }), format: "file:d?cache=1500"},
		{dsn: "file:d?queryMemory=64MiB&tmpDir=", want: with("d", nil), format: "d"},
		{dsn: "file:d?sessionMemory=0&allSessionsMemory=0", want: with("d", nil), format: "d"},
		{dsn: "file:d?maxAllowedPacket=0", want: with("d", nil), format: "d"},
		{dsn: "file:d?maxRegionSize=10GiB", want: with("d", func(c *Config) { c.MaxRegionSize = 10 << 30 })},
		{dsn: "file:d?maxRegionSize=0", want: with("d", func(c *Config) { c.MaxRegionSize = -1 })},
		{dsn: "hbase://a,b:2181", want: with("hbase://a,b:2181", nil)},
		{
			dsn: "hbase://a/shop?tls=true&znode=%2Fh&versions=all",
			want: with("hbase://a", func(c *Config) {
				c.DB, c.Versions, c.StoreParams = "shop", "all", map[string]string{"tls": "true", "znode": "/h"}
			}),
			format: "hbase://a?db=shop&versions=all&tls=true&znode=%2Fh",
		},
		{dsn: "file:d?cache=1PiB", want: with("d", func(c *Config) { c.CacheSize = 1 << 50 }), format: "file:d?cache=1024TiB"},
	} {
		got, err := ParseDSN(c.dsn)
		require.NoError(t, err, c.dsn)
		require.Equal(t, c.want, got, c.dsn)
		if c.format == "" {
			c.format = c.dsn
		}
		require.Equal(t, c.format, got.FormatDSN())
	}
}

func TestParseDSNErrors(t *testing.T) {
	for dsn, want := range map[string]struct {
		number uint16
		says   string
	}{
		"":                                 {1210, "empty"},
		"?db=x":                            {1210, "empty"},
		"file:":                            {1210, "empty"},
		"file:a%00":                        {1210, "zero byte"},
		"file:a%zz":                        {1210, "%zz"},
		"file://elsewhere/x":               {1210, "elsewhere"},
		"x?db=":                            {1231, "db"},
		"x?db=%FF":                         {1231, "db"},
		"x?db=" + strings.Repeat("x", 65):  {1231, "db"},
		"x?nonsense=1":                     {1193, "nonsense"},
		"x?Sync=true":                      {1193, "nearest is 'sync'"},
		"x?parsetime=true":                 {1193, "nearest is 'parseTime'"},
		"x?timezone=1":                     {1193, "nearest is 'time_zone'"},
		"x?locktimeout=1s":                 {1193, "nearest is 'lockTimeout'"},
		"x?clock=noon":                     {1231, "clock"},
		"x?clock=%2B1":                     {1231, "clock"},
		"x?parseTime=2":                    {1231, "parseTime"},
		"x?loc=Nowhere":                    {1231, "Nowhere"},
		"x?timeTruncate=1":                 {1231, "timeTruncate"},
		"x?timeTruncate=-1s":               {1231, "timeTruncate"},
		"x?timeout=1":                      {1231, "timeout"},
		"x?interpolateParams=no":           {1231, "interpolateParams"},
		"x?db=%":                           {1210, "db=%"},
		"x?db=a&db=a":                      {1210, "db"},
		"x?versions=":                      {1231, "versions"},
		"x?versions=0":                     {1231, "versions"},
		"x?versions=-1":                    {1231, "versions"},
		"x?versions=2147483648":            {1231, "versions"},
		"x?versions=some":                  {1231, "some"},
		"x?sync=perhaps":                   {1231, "sync"},
		"x?sync":                           {1231, "sync"},
		"x?cache=0":                        {1231, "cache"},
		"x?maxRegionSize=-1":               {1231, "maxRegionSize"},
		"x?maxRegionSize=":                 {1231, "maxRegionSize"},
		"x?maxRegionSize=2PiB":             {1231, "2PiB"},
		"x?cache=-1":                       {1231, "cache"},
		"x?cache=large":                    {1231, "large"},
		"x?cache=2PiB":                     {1231, "2PiB"},
		"x?cache=99999999999999999999999":  {1231, "cache"},
		"x?queryMemory=1000":               {1231, "queryMemory"},
		"x?queryMemory=much":               {1231, "queryMemory"},
		"x?txnMemory=1000":                 {1231, "txnMemory"},
		"hbase://a/?txnMemory=1GiB":        {1231, "txnMemory"},
		"x?sessionMemory=1MiB":             {1231, "sessionMemory"},
		"x?allSessionsMemory=much":         {1231, "allSessionsMemory"},
		"x?maxAllowedPacket=1000":          {1231, "maxAllowedPacket"},
		"x?maxAllowedPacket=2GiB":          {1231, "2GiB"},
		"x?maxAllowedPacket=much":          {1231, "much"},
		"x?tmpDir=%00":                     {1231, "tmpDir"},
		"x?parallelism=two":                {1231, "parallelism"},
		"x?parallelism=-1":                 {1231, "parallelism"},
		"x?parallelism=257":                {1231, "parallelism"},
		"x?scanLimit=-1":                   {1231, "scanLimit"},
		"x?scanLimit=1k":                   {1231, "scanLimit"},
		"x?fullScan=true":                  {1231, "fullScan"},
		"x?clientFoundRows=2":              {1231, "clientFoundRows"},
		"x?readOnly=":                      {1231, "readOnly"},
		":memory:?readOnly=true":           {1231, "readOnly"},
		"x?multiStatements=2":              {1231, "multiStatements"},
		"x?lockTimeout=5":                  {1231, "lockTimeout"},
		"x?lockTimeout=0s":                 {1231, "lockTimeout"},
		"x?lockTimeout=-1s":                {1231, "lockTimeout"},
		"x?lockTimeout=99999999999999999h": {1231, "lockTimeout"},
	} {
		_, err := ParseDSN(dsn)
		require.IsType(t, &mysql.MySQLError{}, err, dsn)
		e := err.(*mysql.MySQLError)
		require.Equal(t, want.number, e.Number, "%s: %v", dsn, err)
		require.Contains(t, e.Message, want.says, dsn)
		require.NotZero(t, e.SQLState)
	}
}

func TestZeroConfigIsTheDefault(t *testing.T) {
	cfg, err := (&Config{Path: "data"}).complete()
	require.NoError(t, err)
	require.Equal(t, NewConfig("data"), cfg)
	require.Equal(t, "data", (&Config{Path: "data"}).FormatDSN())
	for _, bad := range []*Config{{}, {Path: "x", CacheSize: -1}, {Path: "x", LockTimeout: -1}, {Path: "x", Versions: "no"}} {
		_, err := NewConnector(bad)
		require.Error(t, err, "%+v", bad)
	}
}

// FuzzParseDSN: a DSN that parses is formatted to one that parses to the same
// configuration, and is formatted identically again.
func FuzzParseDSN(f *testing.F) {
	for _, seed := range []string{
		"./data", "file:./data?db=shop&versions=all", ":memory:", "file::memory:?versions=3", "file:////x", "file:a%3Fb?sync=false",
		"x?cache=256MiB&lockTimeout=1h2m&clientFoundRows=1&readOnly=t&multiStatements=true", "file:%2F%2Fhost", "100%?db=%25", "file:file:x#y",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, dsn string) {
		cfg, err := ParseDSN(dsn)
		if err != nil {
			require.IsType(t, &mysql.MySQLError{}, err)
			return
		}
		formatted := cfg.FormatDSN()
		again, err := ParseDSN(formatted)
		require.NoError(t, err, formatted)
		require.Equal(t, cfg, again, formatted)
		require.Equal(t, formatted, again.FormatDSN())
	})
}
