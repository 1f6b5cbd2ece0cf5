// Package kvtest holds what every [kv.Store] is measured by: [Model], an
// in-memory store that is obviously correct, and [Run], the suite that a store
// passes, in part by doing what the Model does.
//
// A Model is a complete Store, so that the layers above can be tested without
// a disk. It reads by looking at every cell of a table, and it is strict with
// its callers: the bytes of a cell are overwritten at the cursor's next step,
// and a value that was not asked for is an error.
package kvtest
