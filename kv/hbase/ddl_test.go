package hbase

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDDL(t *testing.T) {
	s := openTest(t)
	db := openSQL(t, "")
	name, ns := newName(), newName()
	t.Cleanup(func() {
		for _, table := range []string{"`" + name + "$a`", "`" + name + "$b`", "`" + name + "`", ns + ".`" + name + "$a`"} {
			_, _ = db.Exec("DROP TABLE IF EXISTS " + table)
		}
		_, _ = db.Exec("DROP DATABASE IF EXISTS " + ns)
	})
	create := func(table, rest string) {
		t.Helper()
		exec1(t, db, "CREATE TABLE "+table+" (K VARBINARY(100) NOT NULL, Q VARBINARY(50) NOT NULL, T BIGINT NOT NULL, V BLOB NOT NULL, PRIMARY KEY (K, Q, T))"+rest)
	}
	a, b, alone := "`"+name+"$a`", "`"+name+"$b`", "`"+name+"x`"
	create(a, " PARTITION BY RANGE COLUMNS (K) (PARTITION p0 VALUES LESS THAN ('g'), PARTITION p1 VALUES LESS THAN (MAXVALUE))")
	require.Equal(t, 2, s.refreshed(t).Table("default", name+"$a").Partitioning.Len())
	create(b, "") // it uses the existing regions
	created := s.refreshed(t).Table("default", name+"$b")
	require.Equal(t, 2, created.Partitioning.Len())
	require.Equal(t, 100, created.MaxRow)
	exec1(t, db, "INSERT INTO "+a+" VALUES ('a', 'q', 1, 'x')")
	exec1(t, db, "INSERT INTO "+b+" VALUES ('a', 'q', 1, 'y')")
	require.Equal(t, []string{"a|a|x", "a|b|y"}, rows(t, db, "SELECT K, F, V FROM `"+name+"`"))
	_, err := db.Exec("INSERT INTO " + a + " VALUES (REPEAT('x', 101), 'q', 1, 'x')")
	require.Equal(t, uint16(1406), errorNumber(err), "%v", err)

	first := created.Partitioning.Name(0) // one of the two regions is empty
	for _, query := range []string{"TRUNCATE PARTITION `" + created.Partitioning.Name(1) + "`", "TRUNCATE PARTITION ALL",
		"DROP PARTITION `" + first + "`",
		"REORGANIZE PARTITION `" + first + "`, `" + created.Partitioning.Name(1) + "` INTO (PARTITION p VALUES LESS THAN (MAXVALUE))",
		"REMOVE PARTITIONING", "PARTITION BY KEY (K) PARTITIONS 2"} {
		_, err := db.Exec("ALTER TABLE " + a + " " + query)
		require.Equal(t, uint16(1235), errorNumber(err), "%s: %v", query, err)
		require.Equal(t, []string{"a|a|x", "a|b|y"}, rows(t, db, "SELECT K, F, V FROM `"+name+"`"), query)
	}

	exec1(t, db, "SPLIT TABLE "+a+" BY ('t')")
	require.Equal(t, 3, s.refreshed(t).Table("default", name+"$b").Partitioning.Len())
	require.Equal(t, []string{"a|a|x", "a|b|y"}, rows(t, db, "SELECT K, F, V FROM `"+name+"`"))

	create(alone, "")
	t.Cleanup(func() { _, _ = db.Exec("DROP TABLE IF EXISTS " + alone) })
	exec1(t, db, "INSERT INTO "+alone+" VALUES ('a', 'q', 1, 'x')")
	require.Equal(t, []string{"a|q|1|x"}, rows(t, db, "SELECT * FROM "+alone))
	_, err = db.Exec("ALTER TABLE " + a + " EXCHANGE PARTITION `" + first + "` WITH TABLE " + alone)
	require.Equal(t, uint16(1235), errorNumber(err), "%v", err)
	exec1(t, db, "SPLIT TABLE "+alone+" BY ('m')")
	last := s.refreshed(t).Table("default", name+"x").Partitioning.Name(1)
	_, err = db.Exec("ALTER TABLE " + alone + " TRUNCATE PARTITION `" + last + "`")
	require.Equal(t, uint16(1235), errorNumber(err), "%v", err)
	require.Equal(t, []string{"a|q|1|x"}, rows(t, db, "SELECT * FROM "+alone), "the rows of the other partition")
	exec1(t, db, "TRUNCATE TABLE "+alone)
	require.Empty(t, rows(t, db, "SELECT * FROM "+alone))
	like := "`" + name + "y`"
	exec1(t, db, "CREATE TABLE "+like+" LIKE "+alone)
	exec1(t, db, "DROP TABLE "+like)

	exec1(t, db, "CREATE DATABASE "+ns)
	create(ns+"."+a, "")
	exec1(t, db, "INSERT INTO "+ns+"."+a+" VALUES ('a', 'q', 1, 'x')")
	for query, want := range map[string]uint16{
		"CREATE TABLEGROUP " + name + "g":                1235,
		"ALTER DATABASE " + ns + " CHARACTER SET latin1": 1235,
		"SPLIT TABLE " + a + " BY ('v'), ('w')":          1235,
		"DROP DATABASE " + ns:                            1235,
		"TRUNCATE TABLE " + a:                            1235,
		"RENAME TABLE " + a + " TO z":                    1235,
		"DROP TABLE " + a + ", " + b:                     1235,
		"CREATE TABLE `" + name + "z$f` (K VARBINARY(100), Q VARBINARY(50), T BIGINT, V BLOB, PRIMARY KEY (K, Q, T)) PARTITION BY KEY (K) PARTITIONS 3": 1235,
	} {
		_, err := db.Exec(query)
		require.Equal(t, want, errorNumber(err), "%s: %v", query, err)
	}
	exec1(t, db, "DROP TABLE "+ns+"."+a)
	exec1(t, db, "DROP DATABASE "+ns)
	exec1(t, db, "DROP TABLE "+a)
	require.Equal(t, []string{"a|b|y"}, rows(t, db, "SELECT K, F, V FROM `"+name+"`"))
	exec1(t, db, "DROP TABLE "+b)
	require.Nil(t, s.refreshed(t).Group("default", name))
}
