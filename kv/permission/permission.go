// Package permission names what a store lets the user do that it is open for, where the store decides that
// and not the accounts of the front: HBase with its AccessController.
package permission

import "context"

// Actions is a set of HBase's actions.
type Actions uint8

// HBase's actions, each at the bit of its number there:
// https://hbase.apache.org/book.html#hbase.accesscontrol.configuration
const (
	Read Actions = 1 << iota
	Write
	Exec
	Create
	Admin
	All = Admin<<1 - 1
)

// Permission is what is allowed: on everything if Database is empty, on a database if Table is, or on a
// table.
type Permission struct {
	Database, Table string
	Actions         Actions
}

// Holder is a store that knows the permissions of its user.
type Holder interface {
	// Permissions returns first those on everything, then those that databases and tables add. A store that
	// lets everybody do everything returns All on everything.
	Permissions(ctx context.Context) ([]Permission, error)
}
