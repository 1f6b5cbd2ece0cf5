// Package kvtest holds what every [kv.Store] is measured by: [Model], an
// in-memory store that is obviously correct, and [Run], the suite that a store
// passes, in part by doing what the Model does.
//
// A Model is a complete Store, so that the layers above can be tested without
// a disk. It reads by looking at every cell of a table, and it is strict with
// its callers: the bytes of a cell are overwritten at the cursor's next step, a
// value that was not asked for is an error, rows come in no useful order unless
// a scan asks for one, and [Model.InUse] tells what was left open.
//
// The random part of Run prints its seed and the last operations when it
// fails. HBASEKV_SEED repeats a run, HBASEKV_OPS sets the number of operations
// on each layout.
package kvtest
