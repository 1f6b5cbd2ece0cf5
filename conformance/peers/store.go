package main

import "context"

// contender is a database that the workloads run on.
type contender struct {
	name string
	// open creates an empty store in a directory. Commits of a durable one
	// survive a power loss; other stores may lose the most recent ones.
	open func(dir string, durable bool) (store, error)
	// missing returns why the contender cannot run here; "" if it can.
	missing func() string
	// onlyLoaded: it takes part only in stages whose tables are as their load
	// left them; asLoaded: this is such a stage.
	onlyLoaded, asLoaded bool
}

// store is an open contender.
type store interface {
	create(table) error
	connect() session
	settle(table) error // after loading: what users do before they read much
	close() error
}

// session runs operations one after the other. Each write outside begin and
// commit is a transaction.
type session interface {
	read(context.Context, *reading, scan, *sink) error
	write(w *writing, table string, cells ...cell) error
	begin() error
	commit() error
	close() error
}

// reading is a reading operation on a table; dialects have statements for it by
// its name.
type reading struct {
	name    string
	table   string
	ordered bool
	looks   bool // read the values' bytes
	args    func(scan) []any
}

// writing is a writing operation; dialects have statements for it by its name.
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

// chooser is a store that may have several statements for one reading, of which
// the fastest is chosen.
type chooser interface {
	statements(*reading) []string
	choose(*reading, string)
}
