// Package mysqlserver serves a database of the driver hbasekv to clients that
// speak MySQL's protocol: report tools, programs in other languages, the mysql
// command line.
//
// [Serve] takes a listener and the *sql.DB of a program, which may go on using it: the
// clients' sessions are like those of the pool, on the same engine, catalog and lock
// table.
//
// To a client the server is a MySQL 5.7: its greeting, packets and errors are those of
// https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html as far as a
// client of 5.7 sees them. A result is sent while it is read, so it may have any
// length, and a client that stops reading stops the scan.
//
// The packet layer is this package's own. That of github.com/go-mysql-org/go-mysql does
// not limit what a client announces, makes a system call per packet and keeps 80 KiB per
// connection, and that of github.com/dolthub/vitess is not available without its server.
package mysqlserver
