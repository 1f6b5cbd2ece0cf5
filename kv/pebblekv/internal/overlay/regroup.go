package overlay

import (
	"cmp"
	"slices"

	"github.com/cockroachdb/pebble/v2/batchrepr"

	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

const (
	// minRegroup is how many changes from one key space to another there must
	// be, for each key space, before the records are moved.
	minRegroup = 4
	// maxRegroup is the most bytes that are moved. Pebble itself sorts larger
	// batches.
	maxRegroup = 16 << 20
)

// spaceRecords are the records of a key space: their size, and where the next
// one goes.
type spaceRecords struct {
	space    keyspace.ID
	size, at uint32
}

// regroup groups the records by key space, each group in the order of writing.
// Sorted rows are spread over the key spaces of a KEY table, and Pebble looks
// for the place of a key from that of the one before, which takes several times
// as long from far away. The commit calls it once.
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

// measureSpaces measures the records of each key space, and counts how often
// consecutive writes are in different ones.
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

// placeSpaces sets where each key space's records begin, in key space order.
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
