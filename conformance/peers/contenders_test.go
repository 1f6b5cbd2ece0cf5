package peers

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	_ "github.com/hbasekv/hbasekv/driver"
	_ "github.com/mattn/go-sqlite3"
	"github.com/stretchr/testify/require"
)

// contender is a database with its words for what the workloads do on a table
// of cells c(K, Q, T, V).
type contender struct {
	name   string
	driver string
	dsn    func(dir string) string // durable: a commit that returned survives a power loss
	create string
	insert string // K, Q, T, V
	get    string // the cell of K
	add    string // one to the cell of K
}

var contenders = []contender{
	{
		name: "hbasekv", driver: "hbasekv",
		dsn: func(dir string) string { return "file:" + dir + "?sync=true" },
		create: `CREATE TABLE c (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1048576) NOT NULL,
			PRIMARY KEY (K, Q, T))`,
		insert: "INSERT INTO c VALUES (?, ?, ?, ?)",
		get:    "SELECT V FROM c WHERE K = ? AND Q = 'q'",
		add:    "UPDATE c SET V = V + 1 WHERE K = ? AND Q = 'q'",
	},
	{
		name: "sqlite-mattn", driver: "sqlite3",
		dsn: func(dir string) string {
			return "file:" + filepath.Join(dir, "c.db") + "?_journal_mode=WAL&_synchronous=FULL&_busy_timeout=60000&_txlock=immediate"
		},
		create: "CREATE TABLE c (K blob, Q blob, T integer, V blob NOT NULL, PRIMARY KEY (K, Q, T DESC)) WITHOUT ROWID",
		insert: "INSERT INTO c VALUES (?, ?, ?, ?)",
		get:    "SELECT V FROM c WHERE K = ? AND Q = CAST('q' AS blob) ORDER BY T DESC LIMIT 1",
		add:    "UPDATE c SET V = CAST(V AS integer) + 1 WHERE K = ? AND Q = CAST('q' AS blob)",
	},
}

// eachContender runs a workload on an empty table of each contender.
func eachContender(b *testing.B, run func(b *testing.B, db *sql.DB, c *contender)) {
	for i := range contenders {
		c := &contenders[i]
		b.Run(c.name, func(b *testing.B) {
			db, err := sql.Open(c.driver, c.dsn(b.TempDir()))
			require.NoError(b, err)
			defer func() { require.NoError(b, db.Close()) }()
			db.SetMaxIdleConns(128)
			_, err = db.Exec(c.create)
			require.NoError(b, err)
			run(b, db, c)
		})
	}
}

func key(i int) []byte { return fmt.Appendf(nil, "row%013d", i) }

var (
	qualifier = []byte("q")
	value100  = make([]byte, 100)
)

const someTime = 1_700_000_000_000
