// Package mysqlserver serves a database of the driver hbasekv to clients that
// speak MySQL's protocol: report tools, programs in other languages, the mysql
// command line.
//
// [Serve] is given a listener and the *sql.DB of a program, which goes on using it:
// the clients' sessions are sessions like those of the pool, on one engine, one
// catalog and one lock table.
//
// To a client the server is a MySQL 5.7: its greeting, packets and errors are those of
// https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html as far as a
// client of 5.7 sees them. A result is sent as it is read, so that it may be of any
// length, and a client that stops reading stops the scan.
//
// The packet layer is this package's own. That of github.com/go-mysql-org/go-mysql
// puts no bound to what a client announces, makes one system call a packet and
// keeps 80 KiB a connection, and that of github.com/dolthub/vitess cannot be had without
// its server.
package mysqlserver
