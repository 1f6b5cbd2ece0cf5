package rowlock

// locks are the locks that are held, by ID. IDs are hashes already, and a lock mostly has a holder and nothing
// else, so a slot is 24 bytes without pointers, found by a few bits of the ID. A DELETE of one cell in each of 50,000
// rows takes 1.92 us of processor time a cell, and with a Go map it took 2.17 (go -C conformance/peers test -bench
// ManyCells/hbasekv/delete/qualifier/10 -many.cells 500000 -benchtime 12x, 2026-11-29).
type locks struct {
	parts [256]part          // by the first byte of the ID's second half
	n     int                // of all locks
	more  map[ID]*moreOfLock // of locks that are shared or waited for
}

// part is some of the locks: an open hash table, of which a step of growth is short.
type part struct {
	slots []slot // a power of two, at least a quarter of them empty
	n     int
}

// slot is a lock, or empty if it has no holder.
type slot struct {
	id     ID
	holder number
	more   bool // the rest of the lock is in locks.more
}

// minSlots is the size of a part at first.
const minSlots = 8

func (ls *locks) part(id ID) *part { return &ls.parts[id[1]>>56] }

// find returns the slot of a lock, or the empty one where it would be; p has slots.
func (p *part) find(id ID) *slot {
	mask := uint64(len(p.slots) - 1)
	for i := id[1] & mask; ; i = (i + 1) & mask {
		if s := &p.slots[i]; s.id == id || s.holder == nobody {
			return s
		}
	}
}

// get returns a lock, without a holder if it is not held.
func (ls *locks) get(id ID) (s slot, more *moreOfLock) {
	p := ls.part(id)
	if p.n == 0 {
		return slot{}, nil
	}
	if s = *p.find(id); s.more {
		more = ls.more[id]
	}
	return s, more
}

// add adds a lock that has a holder and nothing else, if it is not held, and reports whether it has.
func (ls *locks) add(id ID, holder number) bool {
	p := ls.part(id)
	p.makeRoom()
	s := p.find(id)
	if s.holder != nobody {
		return false
	}
	*s = slot{id: id, holder: holder}
	p.n++
	ls.n++
	return true
}

// set sets the holder of a lock, and the rest of it, nil for none.
func (ls *locks) set(id ID, holder number, more *moreOfLock) {
	ls.add(id, holder)
	s := ls.part(id).find(id)
	if more != nil {
		if ls.more == nil {
			ls.more = map[ID]*moreOfLock{}
		}
		ls.more[id] = more
	} else if s.more {
		delete(ls.more, id)
	}
	s.holder, s.more = holder, more != nil
}

// remove removes a lock that is held. Locks that it kept from their places move there, so that no place between
// these and a lock is empty.
func (ls *locks) remove(id ID) {
	p := ls.part(id)
	s := p.find(id)
	if s.more {
		delete(ls.more, id)
	}
	p.n--
	ls.n--
	mask := uint64(len(p.slots) - 1)
	empty := id[1] & mask
	for &p.slots[empty] != s {
		empty = (empty + 1) & mask
	}
	for i := (empty + 1) & mask; p.slots[i].holder != nobody; i = (i + 1) & mask {
		if home := p.slots[i].id[1]; (i-home)&mask >= (i-empty)&mask {
			p.slots[empty] = p.slots[i]
			empty = i
		}
	}
	p.slots[empty] = slot{}
}

// makeRoom makes room for one more lock.
func (p *part) makeRoom() {
	if 4*(p.n+1) > 3*len(p.slots) {
		p.resize(max(minSlots, 2*len(p.slots)))
	}
}

func (p *part) resize(size int) {
	old := p.slots
	p.slots = make([]slot, size)
	for i := range old {
		if old[i].holder != nobody {
			*p.find(old[i].id) = old[i]
		}
	}
}

// shrink frees room that is not needed.
func (ls *locks) shrink() {
	for i := range ls.parts {
		p := &ls.parts[i]
		size := minSlots
		for 4*(p.n+1) > 3*size {
			size *= 2
		}
		if size < len(p.slots) {
			p.resize(size)
		}
	}
}

// all yields the IDs of all locks.
func (ls *locks) all(yield func(ID) bool) {
	for i := range ls.parts {
		for _, s := range ls.parts[i].slots {
			if s.holder != nobody && !yield(s.id) {
				return
			}
		}
	}
}
