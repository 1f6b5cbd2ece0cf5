//go:build cgo

package main

import _ "github.com/mattn/go-sqlite3"

// SQLite in C needs a C compiler.
func init() {
	addPeer(&contender{name: "sqlite", open: sqlite("sqlite3", mattnDSN, mattnBulkDSN).open})
}
