// Package driver is the database/sql driver. Importing it registers the name
// hbasekv:
//
//	db, err := sql.Open("hbasekv", "file:./data?versions=all")
//
// The main types: [Config] is what a data source name says; [ParseDSN] reads it
// and [Config.FormatDSN] writes it. [NewConnector] is for sql.OpenDB. [Driver]
// is what is registered.
//
// Stores: a process opens a directory once, under whatever names; every sql.DB
// on it shares it, and the last one closes it. An in-memory store belongs to
// one sql.DB. Closing the sql.DB closes its store even if statements are
// running: they end with error 1053.
//
// Values: K, Q, V and text arrive as []byte, decimals, dates and times as
// []byte with their text, T and counts as int64, doubles as float64, unsigned
// integers as uint64. The bytes that sql.RawBytes and a sql.Scanner receive are
// valid until the next call of Next or Close, as database/sql says, and must
// not be written to: a Scanner that keeps them makes a copy, as with other
// drivers. What is scanned into []byte, string or any belongs to the caller.
//
// Errors: a *mysql.MySQLError of github.com/go-sql-driver/mysql with MySQL's
// number, never wrapped; if a store cannot be opened, an error that names its
// path; after a cancellation, the context's own error. The package never logs.
package driver
