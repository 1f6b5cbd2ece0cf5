// Package peers runs the same workloads on hbasekv and on the databases that
// it is compared with, in one run and through database/sql alike. It is a
// module of its own, so that the driver's users do not get the peers'
// requirements (SQLite needs a C compiler):
//
//	cd conformance/peers && go test -bench .
//
// A benchmark is workload/contender/size. contenders_test.go has the databases
// with the table and the statements of each; a file of workloads runs them.
package peers
