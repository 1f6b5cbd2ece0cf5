// Package kvtest holds what every [kv.Store] is measured by: [Model], an
// in-memory store that is obviously correct, and [Run], the suite that a store
// passes, in part by doing what the Model does.
//
// A Model is a complete Store, so that the layers above can be tested without a
// disk. It reads by looking at every cell of a table. It is strict with its
// callers: the bytes of a cell are overwritten when the cursor moves on, a
// value that was not requested is an error, rows come in no useful order unless
// a scan asks for one, and [Model.InUse] returns what was left open.
//
// When the random part of Run fails, it prints its seed and the last
// operations. HBASEKV_SEED repeats a run; HBASEKV_OPS sets the number of
// operations on each layout.
package kvtest
