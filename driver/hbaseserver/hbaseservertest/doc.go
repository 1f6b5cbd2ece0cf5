// Package hbaseservertest is for Go tests of programs that use HBase: each test has an HBase of its own, without a
// cluster, a JVM or a container.
//
// HBase serves a store of package hbasekvtest, with its templates, fixtures and clock, and returns the
// address for gohbase.NewClient. Faults makes calls fail as those of a real HBase do when a region moves, a
// server is busy or a response is lost, to test how a program handles that.
package hbaseservertest
