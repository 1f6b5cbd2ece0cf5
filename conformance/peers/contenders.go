package main

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// contenders are all contenders, the yardsticks first.
var contenders = []*contender{
	{name: "floor", open: floorDialect.open},
	{name: "pebble", open: openPebble},
	{name: "pebble-97", open: openPebbleParts(97), onlyLoaded: true},
	{name: "hbasekv", open: hbasekv(1).open},
	{name: "hbasekv-97", open: hbasekv(97).open},
	{name: "chai", missing: func() string { return "give -tags chai" }},
	{name: "mariadb", open: mariadb.open, missing: noMariaDB},
}

// addPeer adds an SQLite, before the other peers.
func addPeer(c *contender) {
	contenders = slices.Insert(contenders, slices.IndexFunc(contenders, isChai), c)
}

func isChai(c *contender) bool { return c.name == "chai" }

// yardstick reports whether a contender is not a database but a limit.
func (c *contender) yardstick() bool { return c.name == "floor" || strings.HasPrefix(c.name, "pebble") }

// peer reports whether a contender is one that hbasekv is compared with.
func (c *contender) peer() bool {
	return !c.yardstick() && c.name != "hbasekv" && c.name != "hbasekv-97"
}

func noMariaDB() string {
	for _, program := range []string{"mariadbd", "mariadb-install-db"} {
		if _, err := exec.LookPath(program); err != nil {
			return program + " is not installed"
		}
	}
	return ""
}

// rowValues returns the statement that inserts a row of five cells.
func rowValues(insert string) string {
	for range columns - 1 {
		insert += ", (?, ?, ?, ?)"
	}
	return insert
}

// reads are the statements common to all dialects: on tables whose cells have
// one version, no statement has to find the newest.
func reads(own map[string][]string) map[string][]string {
	all := map[string][]string{
		"row":          {"SELECT K, Q, T, V FROM {t} WHERE K = ?"},
		"cell":         {"SELECT K, Q, T, V FROM {t} WHERE K = ? AND Q = ?"},
		"locked":       {"SELECT V FROM {t} WHERE K = ? AND Q = ?"},
		"range":        {"SELECT K, Q, T, V FROM {t} WHERE K >= ? AND K < ? ORDER BY K, Q"},
		"limit":        {"SELECT K, Q, T, V FROM {t} WHERE K >= ? ORDER BY K, Q LIMIT ?"},
		"scan":         {"SELECT K, Q, T, V FROM {t}"},
		"qualifier":    {"SELECT K, Q, T, V FROM {t} WHERE Q = ?"},
		"times":        {"SELECT K, Q, T, V FROM {t} WHERE T >= ? AND T < ?"},
		"count":        {"SELECT COUNT(*) FROM {t}"},
		"count range":  {"SELECT COUNT(*) FROM {t} WHERE K >= ? AND K < ?"},
		"groups":       {"SELECT LEFT(K, 4), COUNT(*) FROM {t} GROUP BY LEFT(K, 4)"},
		"groups range": {"SELECT LEFT(K, 4), COUNT(*) FROM {t} WHERE K >= ? AND K < ? GROUP BY LEFT(K, 4)"},
		"top":          {"SELECT K, Q, T, V FROM {t} ORDER BY V DESC LIMIT 10"},
		"latest v1":    {"SELECT K, Q, T, V FROM {t}"},
	}
	for name, statements := range own {
		all[name] = statements
	}
	return all
}

// hbasekv is the driver under test, with the given number of partitions.
func hbasekv(partitions int) *dialect {
	const insert = "INSERT INTO {t} VALUES (?, ?, ?, ?)"
	create := "CREATE TABLE {t} (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1048576) NOT NULL, PRIMARY KEY (K, Q, T))"
	if partitions > 1 {
		create += fmt.Sprintf(" PARTITION BY KEY(K) PARTITIONS %d", partitions)
	}
	return &dialect{
		driver: "hbasekv",
		dsn: func(dir string, durable bool) (string, func() error, error) {
			return fmt.Sprintf("file:%s?cache=%d&sync=%v", dir, cacheSize, durable), nil, nil
		},
		create:   create,
		bulkLoad: loadCells,
		settle:   []string{"FLUSH TABLES", "OPTIMIZE TABLE {t}"},
		reads: reads(map[string][]string{
			"locked":    {"SELECT V FROM {t} WHERE K = ? AND Q = ? FOR UPDATE"},
			"scan":      {"SELECT /*+ VERSIONS(ALL) */ K, Q, T, V FROM {t}"},
			"latest v1": nil,
			"latest":    {"SELECT K, Q, T, V FROM {t}"},
			"as of":     {"SELECT K, Q, T, V FROM {t} FOR SYSTEM_TIME AS OF ?"},
			"times":     {"SELECT /*+ TIMERANGE(?, ?) */ K, Q, T, V FROM {t}"},
			"pivot times": {"SELECT /*+ TIMERANGE(?, ?) */ K, MAX(CASE WHEN Q = 'q00' THEN V END), " +
				"MAX(CASE WHEN Q = 'q01' THEN V END) FROM {t} GROUP BY K"},
		}),
		writes: map[string]string{
			"insert":     insert,
			"insert row": rowValues(insert),
			"update":     "UPDATE {t} SET V = ? WHERE K = ? AND Q = ?",
			"increment":  "UPDATE {t} SET V = V + 1 WHERE K = ? AND Q = ?",
		},
	}
}
