//go:build modernc

package main

import (
	"fmt"

	_ "modernc.org/sqlite"
)

// SQLite in Go takes longer to compile than all the others, so it needs a build
// tag.
func init() {
	addPeer(&contender{name: "modernc", open: sqlite("sqlite", moderncDSN, moderncBulkDSN).open})
}

func moderncDSN(file, synchronous string) string {
	return fmt.Sprintf("file:%s?_pragma=journal_mode(WAL)&_pragma=synchronous(%s)&_pragma=busy_timeout(60000)&_txlock=immediate&_pragma=cache_size(-%d)",
		file, synchronous, cacheSize>>10)
}

func moderncBulkDSN(file string) string {
	return fmt.Sprintf("file:%s?_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)&_pragma=locking_mode(EXCLUSIVE)&_txlock=immediate&_pragma=cache_size(-%d)",
		file, cacheSize>>10)
}
