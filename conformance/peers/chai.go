//go:build chai

package main

import (
	"path/filepath"
	"slices"

	_ "github.com/chaisql/chai"
)

// With what it requires, Chai takes ten seconds to compile, so it needs a build tag.
func init() {
	c := contenders[slices.IndexFunc(contenders, isChai)]
	c.open, c.missing = chai.open, nil
}

// chai is Chai with its defaults; it has no settings. Its SQL has neither
// subqueries nor functions on bytes, so it cannot run some workloads.
var chai = &dialect{
	driver:   "chai",
	numbered: true,
	dsn: func(dir string, _ bool) (string, func() error, error) {
		return filepath.Join(dir, "chai"), nil, nil
	},
	create: "CREATE TABLE {t} (K BYTEA NOT NULL, Q BYTEA NOT NULL, T BIGINT NOT NULL, V BYTEA NOT NULL, PRIMARY KEY (K, Q, T DESC))",
	reads: reads(map[string][]string{
		// The primary key is read in its order; ORDER BY accepts one column.
		"range": {"SELECT K, Q, T, V FROM {t} WHERE K >= ? AND K < ?", "SELECT K, Q, T, V FROM {t} WHERE K >= ? AND K < ? ORDER BY K",
			"SELECT K, Q, T, V FROM {t} WHERE K < $2 AND K >= $1", "SELECT K, Q, T, V FROM {t} WHERE K BETWEEN $1 AND $2 AND K != $2"},
		"limit":  {"SELECT K, Q, T, V FROM {t} WHERE K >= ? LIMIT ?"},
		"groups": nil,
	}),
	writes: map[string]string{
		"insert":     "INSERT INTO {t} (K, Q, T, V) VALUES (?, ?, ?, ?)",
		"insert row": rowValues("INSERT INTO {t} (K, Q, T, V) VALUES (?, ?, ?, ?)"),
		"update":     "UPDATE {t} SET V = ? WHERE K = ? AND Q = ?",
	},
}
