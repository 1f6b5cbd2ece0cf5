package collect

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
)

// Watches are the watches of running collections. The lock of the commits guards
// them: with it held, a commit notes what it writes. The zero value has none.
type Watches struct{ list []*watch }

// Note notes a commit in all watches. The lock of the commits is held.
func (ws *Watches) Note(own *overlay.Overlay) {
	for _, w := range ws.list {
		w.note(own)
	}
}

// NoteLoad notes a bulk load in all watches. The lock of the commits is held.
func (ws *Watches) NoteLoad() {
	for _, w := range ws.list {
		w.lost = true
	}
}

func (ws *Watches) remove(w *watch) {
	ws.list = slices.DeleteFunc(ws.list, func(o *watch) bool { return o == w })
}

// watch records which keys of some key spaces are written while a collection
// decides about them. The lock of the commits guards it.
type watch struct {
	spaces []keyspace.ID // ascending
	from   []byte        // the first place of interest
	// touched are the written places; lost is set if there may be others.
	touched [][]byte
	lost    bool
}

// maxTouched bounds the places that a watch records.
const maxTouched = 4096

func (w *watch) note(own *overlay.Overlay) {
	if len(w.touched)+own.Len() > maxTouched {
		w.lost = true
		return
	}
	own.Keys(func(key []byte) {
		id, _ := cellkey.Space(key)
		if _, ok := slices.BinarySearch(w.spaces, id); ok && bytes.Compare(cellkey.Suffix(key), w.from) >= 0 {
			w.touched = append(w.touched, bytes.Clone(cellkey.Suffix(key)))
		}
	})
}

// take returns what has been written since the last call.
func (w *watch) take() touched {
	out := touched{w.touched, w.lost}
	w.touched, w.lost = nil, false
	slices.SortFunc(out.places, bytes.Compare)
	return out
}

// touched are the written places, ascending; if all is set, any place may have
// been written.
type touched struct {
	places [][]byte
	all    bool
}

// within reports whether a place in the stretch has been written.
func (t *touched) within(s *stretch) bool {
	if t.all {
		return true
	}
	i, _ := slices.BinarySearchFunc(t.places, s.from, bytes.Compare)
	return i < len(t.places) && before(t.places[i], s.to)
}
