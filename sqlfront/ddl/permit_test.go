package ddl_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// TestPermit: a statement that no longer has its privileges when it makes its change changes nothing, and one
// that is refused midway restores what it has changed.
func TestPermit(t *testing.T) {
	d := newDB(t)
	const columns = " (K varbinary(9), Q varbinary(9), T bigint, V varbinary(9), PRIMARY KEY (K, Q, T))"
	const halves = " PARTITION BY RANGE COLUMNS(K) (PARTITION p0 VALUES LESS THAN ('m'), PARTITION p1 VALUES LESS THAN (MAXVALUE))"
	for _, statement := range []string{"CREATE TABLE t" + columns, "CREATE TABLE g$a" + columns + halves, "CREATE TABLEGROUP e", "CREATE VIEW v AS SELECT 1 AS one"} {
		require.NoError(t, d.run(statement), statement)
	}
	catalog := func() *kv.Catalog {
		c, err := d.store.Catalog(context.Background())
		require.NoError(t, err)
		return c
	}
	before, refused := catalog(), mysqlerr.TableDenied("DROP", "eve", "t")
	d.permit = func(*kv.Catalog) error { return refused }
	for _, statement := range []string{"CREATE DATABASE x", "ALTER DATABASE d CHARACTER SET latin1", "DROP DATABASE d", "CREATE TABLE x" + columns,
		"CREATE TABLE x LIKE t", "DROP TABLE t", "TRUNCATE TABLE t", "RENAME TABLE t TO x", "ALTER TABLE t COMMENT = 'x'",
		"ALTER TABLE t MODIFY V varbinary(1)", "ALTER TABLE t RENAME x", "CREATE TABLEGROUP x", "ALTER TABLEGROUP e SHARDING = 'NONE'",
		"DROP TABLEGROUP e", "CREATE VIEW x AS SELECT 1 AS one", "CREATE OR REPLACE VIEW v AS SELECT 2 AS one", "DROP VIEW v",
		"SPLIT TABLE g$a BY ('c')", "ALTER TABLE g$a DROP PARTITION p0", "ALTER TABLE g$a TRUNCATE PARTITION p0",
		"ALTER TABLE g$a REORGANIZE PARTITION p0, p1 INTO (PARTITION p VALUES LESS THAN (MAXVALUE))",
		"ALTER TABLE g$a EXCHANGE PARTITION p0 WITH TABLE t"} {
		require.ErrorIs(t, d.run(statement), refused, statement)
		require.Equal(t, before.Version(), catalog().Version(), statement)
	}

	asked := 0
	d.permit = func(*kv.Catalog) error {
		if asked++; asked > 1 {
			return refused
		}
		return nil
	}
	require.ErrorIs(t, d.run("ALTER TABLE t MODIFY V varbinary(1)"), refused)
	require.Equal(t, 9, catalog().Table("d", "t").Value.Max)
}
