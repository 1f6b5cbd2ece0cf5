package correlated

import (
	"sync"

	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// Results are the rows that a subquery which reads only its key of the outer row returned for keys.
// It is safe for concurrent use.
type Results struct {
	mu    sync.Mutex
	byKey map[string][][]value.Value
	taken int
}

// maxResults limits the results of keys, in bytes: if groups of partners are large, there are few
// keys.
const maxResults = 1 << 20

// Of returns the rows of a key, nil if each run reads them. known says that the key is stored, room
// that others may be.
func (r *Results) Of(key []byte) (rows [][]value.Value, known, room bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rows, known = r.byKey[string(key)]
	return rows, known, r.taken < maxResults
}

// Keep stores the rows of a key, nil if each run reads them, if there is room.
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
