package mysqlserver

import "github.com/hbasekv/hbasekv/driver"

const (
	// leastConnections are allowed, however few descriptors there are.
	leastConnections = 4
	// leastSpare is how many descriptors are left besides those of clients and of the
	// store's files: for temporary files, files of statements, listeners and scrapes of
	// metrics.
	leastSpare = 32
)

// fitDescriptors lowers MaxConnections to what the process's descriptors allow, so that
// enough are left for the store, which could not write without them.
func (o Options) fitDescriptors(s *driver.Sessions) Options {
	limit := descriptors()
	if limit == 0 {
		return o
	}
	spare := max(leastSpare, limit/8)
	room := max(limit-s.OpenFiles()-spare, leastConnections)
	if room < o.MaxConnections {
		o.Log.Warn("fewer connections than asked for: the process may have few files open",
			"max_connections", room, "asked", o.MaxConnections, "open_files", limit)
		o.MaxConnections = room
	}
	return o
}
