package rowlock

// lockMap finds a lock by its row: an open hash table. A rowID is a hash
// already, and a transaction locks and unlocks each row that it writes, for
// which Go's map takes a third of the time of the whole write.
type lockMap struct {
	slots []lockSlot // a power of two, or none; those without a holder are free
	n     int
}

type lockSlot struct {
	id ID
	lock
}

const (
	minLockSlots = 64
	// maxIdleLockSlots are kept after a large transaction: 512 KiB.
	maxIdleLockSlots = 16 << 10
)

// at is where the row's lock is, or would be; there must be slots.
func (m *lockMap) at(id ID) int {
	mask := len(m.slots) - 1
	for i := int(id[0]) & mask; ; i = (i + 1) & mask {
		if s := &m.slots[i]; s.holder == nil || s.id == id {
			return i
		}
	}
}

// get is the row's lock; without a holder where there is none.
func (m *lockMap) get(id ID) lock {
	if len(m.slots) == 0 {
		return lock{}
	}
	return m.slots[m.at(id)].lock
}

// set keeps the row's lock, which has a holder.
func (m *lockMap) set(id ID, l lock) {
	if 2*m.n >= len(m.slots) {
		m.resize(max(2*len(m.slots), minLockSlots))
	}
	s := &m.slots[m.at(id)]
	if s.holder == nil {
		m.n++
	}
	s.id, s.lock = id, l
}

// remove forgets the row's lock. What was pushed on by it moves up.
func (m *lockMap) remove(id ID) {
	if len(m.slots) == 0 {
		return
	}
	free := m.at(id)
	if m.slots[free].holder == nil {
		return
	}
	m.n--
	mask := len(m.slots) - 1
	for i := (free + 1) & mask; m.slots[i].holder != nil; i = (i + 1) & mask {
		if home := int(m.slots[i].id[0]) & mask; (i-home)&mask >= (i-free)&mask {
			m.slots[free] = m.slots[i]
			free = i
		}
	}
	m.slots[free] = lockSlot{}
}

// shrink gives up memory after a large transaction.
func (m *lockMap) shrink() {
	if len(m.slots) > maxIdleLockSlots && 16*m.n < len(m.slots) {
		size := minLockSlots
		for size < 4*m.n {
			size *= 2
		}
		m.resize(size)
	}
}

func (m *lockMap) resize(size int) {
	old := m.slots
	m.slots = make([]lockSlot, size)
	for i := range old {
		if old[i].holder != nil {
			m.slots[m.at(old[i].id)] = old[i]
		}
	}
}
