package collect

import (
	"bytes"
	"slices"

	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/overlay"
)

// Watches are those of collections under way. They change under the lock of the
// commits, and a commit notes under it what it writes. The zero value has none.
type Watches struct{ list []*watch }

// Note tells those who watch of a commit. The lock of the commits is held.
func (ws *Watches) Note(own *overlay.Overlay) {
	for _, w := range ws.list {
		w.note(own)
	}
}

// NoteLoad tells them of a bulk load. The lock of the commits is held.
func (ws *Watches) NoteLoad() {
	for _, w := range ws.list {
		w.lost = true
	}
}

func (ws *Watches) remove(w *watch) {
	ws.list = slices.DeleteFunc(ws.list, func(o *watch) bool { return o == w })
}

// watch learns which keys of some key spaces are written while somebody makes up
// his mind about them. The lock of the commits guards it.
type watch struct {
	spaces []keyspace.ID // ascending
	from   []byte        // the first place of interest
	// touched are the places of what has been written; lost tells that there may
	// be others.
	touched [][]byte
	lost    bool
}

// maxTouched bounds what a watch remembers.
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

// take is what has been written since it was asked last.
func (w *watch) take() touched {
	out := touched{w.touched, w.lost}
	w.touched, w.lost = nil, false
	slices.SortFunc(out.places, bytes.Compare)
	return out
}

// touched are the places that have been written, ascending; where all is true any
// may have been.
type touched struct {
	places [][]byte
	all    bool
}

// within reports whether a place in a stretch has been written.
func (t *touched) within(s *stretch) bool {
	if t.all {
		return true
	}
	i, _ := slices.BinarySearchFunc(t.places, s.from, bytes.Compare)
	return i < len(t.places) && before(t.places[i], s.to)
}
