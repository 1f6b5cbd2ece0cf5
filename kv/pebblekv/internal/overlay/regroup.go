package overlay

import (
	"cmp"
	"slices"

	"github.com/cockroachdb/pebble/v2/batchrepr"

	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

const (
	// minRegroup is how often the writing must have gone over to another key
	// space, for each key space, for the records to be moved.
	minRegroup = 4
	// maxRegroup is the most bytes that are moved. Pebble sorts larger batches
	// itself.
	maxRegroup = 16 << 20
)

// spaceRecords are the records of a key space: how long they are, and where the
// next one goes.
type spaceRecords struct {
	space    keyspace.ID
	size, at uint32
}

// regroup puts the records of each key space together, in the order in which
// they were written. Rows that come in order go all over the key spaces of a
// KEY table, and Pebble looks for the place of a key from that of the one
// before: from afar that takes several times as long. It is for the commit, and
// done once.
func (o *Overlay) regroup() {
	if o.grouped || o.order != nil || o.Len() <= fewWrites || len(o.data) > maxRegroup {
		return
	}
	o.grouped = true
	if switches := o.measureSpaces(); switches < minRegroup*len(o.arena.spaces) || len(o.arena.spaces) == 1 {
		return
	}
	o.placeSpaces()
	r := o.arena
	r.scratch = append(r.scratch[:0], o.data...)
	end := uint32(len(r.scratch))
	for n := len(r.entries) - 1; n >= 0; n-- {
		e := &r.entries[n]
		record := r.scratch[e.at:end]
		end = e.at
		s := &r.spaces[e.space]
		s.size -= uint32(len(record))
		e.at = s.at + s.size
		copy(o.data[e.at:], record)
	}
}

// measureSpaces finds out what is written in each key space, and how often the
// writing went from one to another.
func (o *Overlay) measureSpaces() (switches int) {
	r := o.arena
	r.spaces = r.spaces[:0]
	found := map[keyspace.ID]int{}
	at := -1
	end := uint32(len(o.data))
	for n := len(r.entries) - 1; n >= 0; n-- {
		e := &r.entries[n]
		if space, _ := cellkey.Space(o.key(uint32(n))); at < 0 || space != r.spaces[at].space {
			switches++
			var ok bool
			if at, ok = found[space]; !ok {
				at = len(r.spaces)
				found[space] = at
				r.spaces = append(r.spaces, spaceRecords{space: space})
			}
		}
		e.space = uint32(at)
		r.spaces[at].size += end - e.at
		end = e.at
	}
	return switches
}

// placeSpaces says where each key space's records begin, in the order of the
// key spaces.
func (o *Overlay) placeSpaces() {
	all := o.arena.spaces
	inOrder := make([]int, len(all))
	for i := range inOrder {
		inOrder[i] = i
	}
	slices.SortFunc(inOrder, func(a, b int) int { return cmp.Compare(all[a].space, all[b].space) })
	at := uint32(batchrepr.HeaderLen)
	for _, i := range inOrder {
		all[i].at = at
		at += all[i].size
	}
}
