// Package hbasekvtest is for Go tests of programs that use hbasekv: real stores
// without a cluster, each test with its own.
//
// Open gives a test a store that is closed at its end. Template builds a store
// once and gives each test a private writable clone of it. Dump and Load write and
// read the cells of tables as text, for golden files and fixtures, DumpTo and
// LoadFrom in other formats, and Expect compares them. A Clock fixes NOW() and the
// T that the server chooses. ExpectPlan checks a query's access path, and
// NoFullScan forbids reads of whole tables. Faults makes the store fail, to test
// how the program handles that.
//
// All of it is safe under t.Parallel.
package hbasekvtest
