package driver_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
)

// TestUnfinishedIndexes opens a store that was closed while indexes were being built.
func TestUnfinishedIndexes(t *testing.T) {
	dir := t.TempDir()
	db := openIn(t, dir)
	_, err := db.Exec("CREATE TABLE t (id int PRIMARY KEY, v varchar(9), UNIQUE KEY u (v), KEY i (v))")
	require.NoError(t, err)
	_, err = db.Exec("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
	require.NoError(t, err)
	require.NoError(t, db.Close())

	leaveUnfinished(t, dir, "c")
	db = openIn(t, dir)
	require.Equal(t, "3", found(t, db, "SELECT id FROM t FORCE INDEX (i) WHERE v = 'c'"))
	_, err = db.Exec("INSERT INTO t VALUES (4, 'c')")
	require.ErrorContains(t, err, "1062")
	require.NoError(t, db.Close())

	leaveUnfinished(t, dir, "a")
	db = openIn(t, dir)
	require.Equal(t, "1 3", found(t, db, "SELECT GROUP_CONCAT(id SEPARATOR ' ') FROM t FORCE INDEX (i) WHERE v = 'a'"))
	require.Equal(t, "0", found(t, db, "SELECT COUNT(*) FROM information_schema.STATISTICS WHERE INDEX_NAME = 'u'"), "which two rows are against")
	_, err = db.Exec("INSERT INTO t VALUES (4, 'a')")
	require.NoError(t, err)
	require.NoError(t, db.Close())
}

func openIn(t *testing.T, dir string) *sql.DB {
	db, err := sql.Open("hbasekv", dir)
	require.NoError(t, err)
	return db
}

func found(t *testing.T, db *sql.DB, query string) string {
	var out string
	require.NoError(t, db.QueryRow(query).Scan(&out), query)
	return strings.TrimSpace(out)
}

// leaveUnfinished writes a row 3 without index entries, and records that the indexes are
// being built.
func leaveUnfinished(t *testing.T, dir, v string) {
	ctx := t.Context()
	store, err := pebblekv.Open(pebblekv.Options{Dir: dir})
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	require.NoError(t, store.ChangeCatalog(ctx, func(c *kv.CatalogChange) error {
		for _, index := range c.Catalog().Table("default", "t$d").Indexes {
			index.Building = true
			if err := c.ChangeIndex("default", "t$d", index.Name, index); err != nil {
				return err
			}
		}
		return nil
	}))
	txn, err := store.Begin(ctx, kv.TxnOptions{})
	require.NoError(t, err)
	defer txn.Rollback()
	family := txn.Catalog().Table("default", "t$d")
	for qualifier, value := range map[string]string{"": "\x01", "v": v} {
		require.NoError(t, txn.Put(ctx, family, kv.Cell{Row: []byte{0x80, 0, 0, 3}, Qualifier: []byte(qualifier), Timestamp: 1 << 50, Value: []byte(value)}))
	}
	require.NoError(t, txn.Commit(ctx))
}
