package main

import "context"

// contender is a database that the workloads run on.
type contender struct {
	name string
	// open makes an empty store in a directory. A commit of a durable one
	// survives a power loss; one of another may lose the last moments.
	open func(dir string, durable bool) (store, error)
	// missing says why the contender cannot run here; "" if it can.
	missing func() string
	// onlyLoaded: it takes part where tables are as their load left them;
	// asLoaded: they are.
	onlyLoaded, asLoaded bool
}

// store is an open contender.
type store interface {
	create(table) error
	connect() session
	settle(table) error // after loading: what its users do before they read much
	close() error
}

// session does operations one after the other. Writes outside begin and commit
// are each a transaction.
type session interface {
	read(context.Context, *reading, scan, *sink) error
	write(w *writing, table string, cells ...cell) error
	begin() error
	commit() error
	close() error
}

// reading is a reading operation on a table; a dialect has its statement by
// its name.
type reading struct {
	name    string
	table   string
	ordered bool
	looks   bool // at the values' bytes, as their reader does
	args    func(scan) []any
}

// writing is a writing operation; a dialect has its statement by its name.
type writing struct {
	name string
	args func([]cell) []any
}

func insertArgs(cells []cell) []any {
	args := make([]any, 0, 4*len(cells))
	for _, c := range cells {
		args = append(args, c.k, c.q, c.t, c.v)
	}
	return args
}

var (
	insertCell = &writing{"insert", insertArgs}
	insertRow  = &writing{"insert row", insertArgs}
	updateCell = &writing{"update", func(c []cell) []any { return []any{c[0].v, c[0].k, c[0].q} }}
	increment  = &writing{"increment", func(c []cell) []any { return []any{c[0].k, c[0].q} }}
)

// chooser is a store that may have several statements for one reading, of
// which the fastest is to be taken.
type chooser interface {
	statements(*reading) []string
	choose(*reading, string)
}
