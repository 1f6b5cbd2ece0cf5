// Package driver is the database/sql driver. Importing it registers the name
// hbasekv:
//
//	db, err := sql.Open("hbasekv", "file:./data?versions=all")
//
// The types that matter: [Config], what a data source name says, which
// [ParseDSN] reads and [Config.FormatDSN] writes; [NewConnector], for
// sql.OpenDB; [Driver], what is registered.
//
// Stores: a directory is opened once in a process, whatever name it is asked
// for under, shared by every sql.DB on it and closed with the last of them. An
// in-memory store belongs to one sql.DB. Closing the sql.DB closes its store
// also where statements are running: they end with error 1053.
//
// Values: K, Q, V and text arrive as []byte, decimals, dates and times as
// []byte with their text, T and counts as int64, doubles as float64, unsigned
// integers as uint64. The bytes that sql.RawBytes and a sql.Scanner receive
// are good until the next call of Next or Close, as database/sql says, and must
// not be written to: a Scanner that keeps them makes a copy, as it does with
// other drivers. What is scanned into []byte, string or any is the caller's.
//
// Errors: a *mysql.MySQLError of github.com/go-sql-driver/mysql with MySQL's
// number, never wrapped; where a store cannot be opened, an error that names
// its path; the context's own error after a cancellation. The package never
// logs.
package driver
