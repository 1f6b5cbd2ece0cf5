package pebblekv

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// write is a transaction's own write of one cell: its stored value, or its
// deletion.
type write struct {
	key, value []byte
	deleted    bool
}

// overlay is a transaction's writes in the order in which they came, as the
// records of the Pebble batch that its commit applies: a write is copied once.
// A hash table finds the newest write of a key. Only a transaction that reads
// after it has written pays for an order by key, see [order].
//
// A write is known by its number. Undoing the last ones takes them off the
// end, so that a savepoint is no more than a number.
type overlay struct {
	store *Store
	batch *pebble.Batch // whose memory data is; nil before the first write
	data  []byte        // a batch's header and its records
	room  *overlayRoom  // nil before the first write
	order *order        // nil unless someone reads
	// ordered is how many of the writes, from the first, are in the order.
	ordered int
	// grouped is true once the records are as regroup leaves them.
	grouped bool
}

// overlayRoom is what an overlay keeps of its writes besides their records.
// The next transaction takes it again.
type overlayRoom struct {
	entries []entry
	// slots is an open hash table of the numbers, from 1, of the newest write
	// of each key; it is empty while there are few.
	slots []uint32
	keys  int // that the slots hold
	// rows are those written, each where the writing went over to it, and
	// rowAt the number of its first write there.
	rows  []rowID
	rowAt []uint32
	// What regroup works in.
	spaces  []spaceRecords
	scratch []byte
}

// entry is one write.
type entry struct {
	at    uint32 // of its record in the data
	hash  uint32 // of its key
	space uint32 // of its key, as regroup counts them
	prev  uint32 // the number, from 1, of the write of the same key before it; 0 for none
}

var overlayRooms = sync.Pool{New: func() any { return &overlayRoom{} }}

const (
	// fewWrites are looked through one by one.
	fewWrites = 8
	// maxKeptWrites bounds the room that is kept for the next transaction.
	maxKeptWrites = 16 << 10
	// About what a write and a row take besides the write's record: the one's
	// entry and slots, the other's lock and what becomes of it in the history.
	writeOverhead = 32
	rowOverhead   = 128
)

// len is the number of writes, those of one key counted each.
func (o *overlay) len() int {
	if o.room == nil {
		return 0
	}
	return len(o.room.entries)
}

// bytes is about what the writes take in memory.
func (o *overlay) bytes() int64 {
	if o.room == nil {
		return 0
	}
	n := int64(len(o.data)) + int64(len(o.room.entries))*writeOverhead + int64(len(o.room.rows))*rowOverhead
	return n + int64(o.ordered)*orderOverhead
}

// get is the newest write of the key.
func (o *overlay) get(key []byte) (write, bool) {
	if o.len() == 0 {
		return write{}, false
	}
	n := o.find(o.hash(key), key)
	if n == 0 {
		return write{}, false
	}
	return o.write(n - 1), true
}

func (o *overlay) hash(key []byte) uint32 { return o.store.hashKey(key) }

// hashKey is one hash of a key for all that count or find keys.
func (s *Store) hashKey(key []byte) uint32 { return uint32(maphash.Bytes(s.seeds[0], key)) }

// find is the number, from 1, of the newest write of the key; 0 for none.
func (o *overlay) find(hash uint32, key []byte) uint32 {
	r := o.room
	if len(r.slots) == 0 {
		for i := len(r.entries) - 1; i >= 0; i-- {
			if r.entries[i].hash == hash && bytes.Equal(o.key(uint32(i)), key) {
				return uint32(i) + 1
			}
		}
		return 0
	}
	return r.slots[o.slot(hash, key)]
}

// slot is where the key is in the table, or would be.
func (o *overlay) slot(hash uint32, key []byte) uint32 {
	r := o.room
	mask := uint32(len(r.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		n := r.slots[i]
		if n == 0 || r.entries[n-1].hash == hash && bytes.Equal(o.key(n-1), key) {
			return i
		}
	}
}

// put appends a write: the value, or with deleted the cell's deletion. The
// bytes are copied.
func (o *overlay) put(row rowID, key, value []byte, deleted bool) {
	o.begin(len(key) + len(value) + maxRecordHeader)
	if r := o.room; len(r.rows) == 0 || r.rows[len(r.rows)-1] != row {
		r.rows, r.rowAt = append(r.rows, row), append(r.rowAt, uint32(len(r.entries)))
	}
	o.append(key, value, deleted)
}

func (o *overlay) append(key, value []byte, deleted bool) {
	r := o.room
	r.entries = append(r.entries, entry{at: uint32(len(o.data)), hash: o.hash(key)})
	o.data = appendRecord(o.data, key, value, deleted)
	o.enter(uint32(len(r.entries)-1), key)
}

// enter makes the write, which is the last, the newest of its key.
func (o *overlay) enter(n uint32, key []byte) {
	r := o.room
	e := &r.entries[n]
	switch {
	case len(r.slots) > 0:
		i := o.slot(e.hash, key)
		if e.prev = r.slots[i]; e.prev == 0 {
			r.keys++
		}
		r.slots[i] = n + 1
		if 2*r.keys > len(r.slots) {
			o.rehash(2 * len(r.slots))
		}
	case n >= fewWrites:
		o.rehash(4 * fewWrites)
	}
}

// rehash makes the table anew, of so many slots. It takes the writes in their
// order, so that the last to come can always be the first to go.
func (o *overlay) rehash(slots int) {
	r := o.room
	r.slots, r.keys = slices.Grow(r.slots[:0], slots)[:slots], 0
	clear(r.slots)
	for n := range r.entries {
		i := o.slot(r.entries[n].hash, o.key(uint32(n)))
		if r.entries[n].prev = r.slots[i]; r.entries[n].prev == 0 {
			r.keys++
		}
		r.slots[i] = uint32(n) + 1
	}
}

// undo takes back all but the first n writes.
func (o *overlay) undo(n int) {
	if n >= o.len() {
		return
	}
	r := o.room
	kept := o.data[:r.entries[n].at]
	if o.ordered > n {
		o.disorder(n)
		kept = slices.Clone(kept) // readers may look at what is behind it
	}
	for last := len(r.entries) - 1; last >= n && len(r.slots) > 0; last-- {
		i := o.slot(r.entries[last].hash, o.key(uint32(last)))
		if r.slots[i] = r.entries[last].prev; r.slots[i] == 0 {
			r.keys--
		}
	}
	o.data, r.entries = kept, r.entries[:n]
	for len(r.rows) > 0 && r.rowAt[len(r.rows)-1] >= uint32(n) {
		r.rows, r.rowAt = r.rows[:len(r.rows)-1], r.rowAt[:len(r.rows)-1]
	}
}

// disorder takes all but the first n writes out of the order.
func (o *overlay) disorder(n int) {
	o.order.seq++
	for i := n; i < o.ordered; i++ {
		o.order.kill(o.key(uint32(i)), n)
	}
	o.ordered = n
}

// begin makes room for a record of at most so many bytes.
func (o *overlay) begin(size int) {
	if o.batch == nil {
		o.batch = o.store.db.NewBatch()
		o.data = o.batch.Repr()[:batchrepr.HeaderLen]
		o.room = overlayRooms.Get().(*overlayRoom)
	}
	if cap(o.data)-len(o.data) < size {
		o.data = slices.Grow(o.data, max(size, cap(o.data)))
	}
}

// maxRecordHeader is how many bytes a record has at most besides the key and
// the value: its kind, two lengths and the stored value's first byte.
const maxRecordHeader = 1 + 2*binary.MaxVarintLen32 + 1

// appendRecord appends a record of a batch.
func appendRecord(dst, key, value []byte, deleted bool) []byte {
	if deleted {
		dst = binary.AppendUvarint(append(dst, byte(pebble.InternalKeyKindDelete)), uint64(len(key)))
		return append(dst, key...)
	}
	dst = binary.AppendUvarint(append(dst, byte(pebble.InternalKeyKindSet)), uint64(len(key)))
	dst = append(dst, key...)
	dst = binary.AppendUvarint(dst, uint64(cellkey.StoredLen(value)))
	return cellkey.AppendValue(dst, value)
}

// key is the key of a write.
func (o *overlay) key(n uint32) []byte {
	at := o.room.entries[n].at + 1
	size, w := uvarint(o.data[at:])
	at += w
	return o.data[at : at+size : at+size]
}

// write is the write of that number. Its bytes are the overlay's.
func (o *overlay) write(n uint32) write {
	key := o.key(n)
	at := o.room.entries[n].at
	if o.data[at] == byte(pebble.InternalKeyKindDelete) {
		return write{key: key, deleted: true}
	}
	at += 1 + uvarintLen(len(key)) + uint32(len(key))
	size, w := uvarint(o.data[at:])
	at += w
	return write{key: key, value: o.data[at : at+size : at+size]}
}

// uvarint reads a length, most of which take one byte.
func uvarint(b []byte) (n, size uint32) {
	if b[0] < 0x80 {
		return uint32(b[0]), 1
	}
	long, w := binary.Uvarint(b)
	return uint32(long), uint32(w)
}

func uvarintLen(n int) (size uint32) {
	for size = 1; n >= 0x80; n >>= 7 {
		size++
	}
	return size
}

// writes are the writes as they are now, whatever is written or undone
// afterwards; nil where there are none.
func (o *overlay) writes() *writes { return o.firstWrites(o.len()) }

// firstWrites are the first n writes, as they are now.
func (o *overlay) firstWrites(n int) *writes {
	if n == 0 {
		return nil
	}
	if o.order == nil || o.order.dead > o.ordered+fewWrites {
		o.order, o.ordered = newOrder(), 0
	}
	for ; o.ordered < o.len(); o.ordered++ {
		o.order.add(o.write(uint32(o.ordered)), uint32(o.ordered))
	}
	return &writes{order: o.order, entries: uint32(n), seq: o.order.seq}
}

// rows are the rows that are written; a row may come more than once.
func (o *overlay) rows() []rowID { return o.room.rows }

// commit is the batch to apply. It is made anew by each call.
func (o *overlay) commit() (*pebble.Batch, error) {
	o.regroup()
	batchrepr.SetSeqNum(o.data, 0)
	batchrepr.SetCount(o.data, uint32(o.len()))
	return o.batch, o.batch.SetRepr(o.data)
}

// countRewritten counts the writes, which have been committed.
func (o *overlay) countRewritten() {
	flush := false
	for i := range o.room.entries {
		flush = o.store.rewritten.wrote(o.room.entries[i].hash) || flush
	}
	if flush {
		go o.store.Flush(o.store.life) // for the sake of reads alone: it may fail
	}
}

// abandon leaves the batch to the collector.
func (o *overlay) abandon() { o.batch = nil }

// close gives up the writes, and their memory but where cursors may be open
// that look at it.
func (o *overlay) close() (err error) {
	r := o.room
	if r == nil {
		return nil
	}
	if o.batch != nil && o.order == nil {
		err = o.batch.Close()
	}
	if cap(r.entries) <= maxKeptWrites {
		*r = overlayRoom{entries: r.entries[:0], slots: r.slots[:0], rows: r.rows[:0], rowAt: r.rowAt[:0], spaces: r.spaces[:0], scratch: r.scratch[:0]}
		overlayRooms.Put(r)
	}
	*o = overlay{store: o.store}
	return err
}
