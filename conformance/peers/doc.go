// Command peers runs the same workloads on the same data on hbasekv, on its
// yardsticks and on the databases that it is compared with, in one run:
//
//	go -C conformance/peers run -tags modernc,chai . -short
//
// The yardsticks are floor, database/sql over a driver that answers from
// memory, and pebble, a Pebble store with the same cells under plain keys:
// hbasekv has to do the work of both. The peers are SQLite in C (mattn) and in
// Go (modernc), Chai, and MariaDB if mariadbd is installed. modernc and Chai need
// their build tags, because they take long to compile.
//
// A contender (contenders.go) is a way to open a store and the statements of
// its dialect; a workload (workloads.go) is a set of operations and the answer
// that each contender must give before it is timed. The contenders take turns in
// each repetition, so that a noisy machine affects all of them, and the result is
// the median of the repetitions.
//
// It is a separate module, so that the driver's users do not get the peers'
// requirements (SQLite needs a C compiler).
package main
