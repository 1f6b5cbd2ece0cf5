package driver

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClock: NOW() and similar functions, the T that the server chooses, and the creation
// time of a table come from the clock.
func TestClock(t *testing.T) {
	db := open(t, ":memory:?clock=2024-05-06T07:08:09.5Z&time_zone=%27UTC%27")
	run(t, db, createTable, "INSERT INTO g$f (K, Q, V) VALUES ('a', 'q', 'v')", "UPDATE g$f SET V = 'w'")
	require.Equal(t, "2024-05-06 07:08:09.500 2024-05-06 07:08:09 2024-05-06 1714979289",
		one(t, db, "SELECT CONCAT_WS(' ', NOW(3), SYSDATE(), CURDATE(), UNIX_TIMESTAMP())"))
	require.Equal(t, "1714979289501 1714979289500",
		one(t, db, "SELECT /*+ VERSIONS(ALL) */ GROUP_CONCAT(T ORDER BY T DESC SEPARATOR ' ') FROM g$f"))
	run(t, db, strings.Replace(createTable, "g$f", "made", 1)+" AS SELECT * FROM g$f")
	require.Equal(t, "2 2024-05-06 07:08:09 2024-05-06 07:08:09", one(t, db,
		"SELECT CONCAT_WS(' ', COUNT(CREATE_TIME), MIN(CREATE_TIME), MAX(CREATE_TIME)) FROM information_schema.tables "+
			"WHERE TABLE_SCHEMA = DATABASE()"))

	db = open(t, ":memory:?clock=-24h")
	run(t, db, createTable, "INSERT INTO g$f (K, Q, V) VALUES ('a', 'q', 'v')")
	var at int64
	require.NoError(t, db.QueryRow("SELECT T FROM g$f").Scan(&at))
	require.InDelta(t, time.Now().Add(-24*time.Hour).UnixMilli(), at, 60_000)

	path := storePath(t)
	require.NoError(t, open(t, path+"?clock=2024-05-06T07:08:09Z").Ping())
	require.NoError(t, open(t, path+"?clock=2024-05-06T07:08:09Z").Ping())
	require.ErrorContains(t, open(t, path).Ping(), "another clock")
}
