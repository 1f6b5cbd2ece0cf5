package spill

// HashTable finds things by the hashes of their keys, which it does not keep. The zero
// HashTable is empty.
type HashTable[T any] struct {
	slots  []slot // a power of two, of which at least half are free
	things []T
}

// Add is the thing with a hash for which is holds, or the one given, which is new then. It
// is valid until the next call.
func (t *HashTable[T]) Add(hash uint32, thing T, is func(T) bool) (found *T, isNew bool) {
	if 2*(len(t.things)+1) > len(t.slots) {
		t.slots = moreSlots(t.slots, 2)
	}
	last := uint32(len(t.slots) - 1)
	for at := hash & last; t.slots[at] != 0; at = (at + 1) & last {
		if s := t.slots[at]; s.hash() == hash && is(t.things[s.number()]) {
			return &t.things[s.number()], false
		}
	}
	putSlot(t.slots, newSlot(hash, len(t.things)))
	t.things = append(t.things, thing)
	return &t.things[len(t.things)-1], true
}
