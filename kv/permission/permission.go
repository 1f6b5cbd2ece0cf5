// Package permission names what a store lets the user do that it is open for, where the store decides that and not the
// accounts of the front: HBase with its AccessController.
package permission

import "context"

// Actions is a set of HBase's actions.
type Actions uint8

// HBase's actions, each at the place of its number there:
// https://hbase.apache.org/book.html#hbase.accesscontrol.configuration
const (
	Read Actions = 1 << iota
	Write
	Exec
	Create
	Admin
	All = Admin<<1 - 1
)

// Permission is what is allowed on everything, where Database is empty, on a database, where Table is, or on a table.
type Permission struct {
	Database, Table string
	Actions         Actions
}

// Holder is a store that knows what it lets its user do.
type Holder interface {
	// Permissions are those on everything, which come first, then those that databases and tables add to them. A store
	// that lets everybody do everything gives All on everything.
	Permissions(ctx context.Context) ([]Permission, error)
}
