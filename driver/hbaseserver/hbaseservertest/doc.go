// Package hbaseservertest is for Go tests of programs that use HBase: each test has an HBase of its own, without a
// cluster, a JVM or a container.
//
// HBase serves a store of package hbasekvtest, with its templates, fixtures and clock, and gives the address for
// gohbase.NewClient. Faults has calls fail as those of a real HBase do where a region moves, a server is busy or an
// answer is lost, so that a test can see how a program bears it.
package hbaseservertest
