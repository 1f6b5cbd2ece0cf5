package correlated

import (
	"sync"

	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Results are the rows that a subquery which reads nothing but its key of the outer row gave for some
// keys. Several goroutines may use them.
type Results struct {
	mu    sync.Mutex
	byKey map[string][][]value.Value
	taken int
}

// maxResults bounds what the results of keys may take, in bytes: large groups of partners have few
// keys.
const maxResults = 1 << 20

// Of are the rows of a key, nil where each run reads them. known says that these are kept, room that
// there is some for others.
func (r *Results) Of(key []byte) (rows [][]value.Value, known, room bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rows, known = r.byKey[string(key)]
	return rows, known, r.taken < maxResults
}

// Keep keeps the rows of a key, nil where each run reads them, where there is room.
func (r *Results) Keep(key string, rows [][]value.Value) {
	size := len(key) + 64
	for _, row := range rows {
		size += spill.Size(row)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taken+size > maxResults {
		return
	}
	if r.byKey == nil {
		r.byKey = map[string][][]value.Value{}
	}
	r.taken += size
	r.byKey[key] = rows
}
