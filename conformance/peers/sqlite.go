package main

import (
	"fmt"
	"path/filepath"
)

// Both drivers run SQLite with a write-ahead log, a cache of the same size as the
// others', and transactions that take the writer's lock when they begin; otherwise
// concurrent ones fail.

func mattnDSN(file, synchronous string) string {
	return fmt.Sprintf("file:%s?_journal_mode=WAL&_synchronous=%s&_busy_timeout=60000&_txlock=immediate&_cache_size=-%d",
		file, synchronous, cacheSize>>10)
}

// A bulk load goes to a file without a journal and without waiting for the
// disk: after a crash it is lost.

func mattnBulkDSN(file string) string {
	return fmt.Sprintf("file:%s?_journal_mode=OFF&_synchronous=OFF&_locking_mode=EXCLUSIVE&_txlock=immediate&_cache_size=-%d", file, cacheSize>>10)
}

func sqlite(driver string, dsn func(file, synchronous string) string, bulkDSN func(file string) string) *dialect {
	const insert = "INSERT INTO {t} VALUES (?, ?, ?, ?)"
	return &dialect{
		driver:  driver,
		bulkDSN: bulkDSN,
		dsn: func(dir string, durable bool) (string, func() error, error) {
			synchronous := "NORMAL" // with a WAL: commits do not wait for the disk
			if durable {
				synchronous = "FULL"
			}
			return dsn(filepath.Join(dir, "c.db"), synchronous), nil, nil
		},
		create: "CREATE TABLE {t} (K blob, Q blob, T integer, V blob NOT NULL, PRIMARY KEY (K, Q, T DESC)) WITHOUT ROWID",
		settle: []string{"ANALYZE", "PRAGMA wal_checkpoint(TRUNCATE)"},
		reads: reads(map[string][]string{
			"groups": {"SELECT substr(K, 1, 4), COUNT(*) FROM {t} GROUP BY substr(K, 1, 4)"},
			"latest": append(newest(""), "SELECT K, Q, MAX(T), V FROM {t} GROUP BY K, Q"), // V of the row with the maximum
			"as of":  append(newest("T <= ?1"), "SELECT K, Q, MAX(T), V FROM {t} WHERE T <= ? GROUP BY K, Q"),
		}),
		writes: map[string]string{
			"insert":     insert,
			"insert row": rowValues(insert),
			"update":     "UPDATE {t} SET V = ? WHERE K = ? AND Q = ?",
			"increment":  "UPDATE {t} SET V = CAST(CAST(V AS integer) + 1 AS blob) WHERE K = ? AND Q = ?",
		},
	}
}

// newest returns ways to read the newest version of each cell in SQL, among
// those that satisfy a condition: by a window, a join with the maxima, a
// correlated maximum, and by seeking from cell to cell.
func newest(condition string) []string {
	where, and := "", ""
	if condition != "" {
		where, and = "WHERE "+condition, "AND "+condition
	}
	return []string{
		`SELECT K, Q, T, V FROM (SELECT K, Q, T, V, ROW_NUMBER() OVER (PARTITION BY K, Q ORDER BY T DESC) AS n FROM {t} ` + where + `) x WHERE n = 1`,
		`SELECT c.K, c.Q, c.T, c.V FROM (SELECT K, Q, MAX(T) AS T FROM {t} ` + where + ` GROUP BY K, Q) m
			JOIN {t} c ON c.K = m.K AND c.Q = m.Q AND c.T = m.T`,
		`SELECT K, Q, T, V FROM {t} c WHERE T = (SELECT MAX(T) FROM {t} d WHERE d.K = c.K AND d.Q = c.Q ` + and + `)`,
		`WITH RECURSIVE r(K) AS (SELECT MIN(K) FROM {t} UNION ALL SELECT (SELECT MIN(K) FROM {t} x WHERE x.K > r.K) FROM r WHERE r.K IS NOT NULL),
			c(K, Q) AS (SELECT K, (SELECT MIN(Q) FROM {t} x WHERE x.K = r.K) FROM r WHERE K IS NOT NULL
				UNION ALL SELECT K, (SELECT MIN(Q) FROM {t} x WHERE x.K = c.K AND x.Q > c.Q) FROM c WHERE Q IS NOT NULL)
			SELECT t.K, t.Q, t.T, t.V FROM c JOIN {t} t ON t.K = c.K AND t.Q = c.Q
				AND t.T = (SELECT MAX(x.T) FROM {t} x WHERE x.K = c.K AND x.Q = c.Q ` + and + `)`,
	}
}
