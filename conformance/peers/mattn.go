//go:build cgo

package main

import (
	"slices"

	_ "github.com/mattn/go-sqlite3"
)

// SQLite in C needs a C compiler.
func init() {
	contenders = slices.Insert(contenders, slices.IndexFunc(contenders, func(c *contender) bool { return c.name == "chai" }),
		&contender{name: "sqlite", open: sqlite("sqlite3", mattnDSN, mattnBulkDSN).open})
}
