// Package tcpio reads and writes sockets without telling Go's scheduler, to which each other system call of a process
// that was idle is a reason to wake the thread that looks after it: a server with one client did little else.
package tcpio
