// Package hbasekvtest is for Go tests of programs that use hbasekv: real stores
// without a cluster, each test with its own.
//
// Open gives a test a store, closed at its end. Template builds one once and gives
// each test a private writable clone of it. Dump and Load write and read the cells
// of tables as text, for golden files and fixtures, DumpTo and LoadFrom in other
// formats, and Expect compares them. A Clock fixes what NOW() says and which T the
// server chooses. ExpectPlan holds a query to its access path, and NoFullScan has
// whole tables left alone. Faults makes the store fail where the program should
// know what to do.
//
// All of it is safe under t.Parallel.
package hbasekvtest
