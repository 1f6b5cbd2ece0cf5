package overlay

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/cockroachdb/pebble/v2/batchrepr"
	"github.com/tidwall/btree"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/spill"
)

// onDisk is what an overlay knows of the writes that are on disk. They keep their numbers, and the numbers of
// undone writes are not given again.
type onDisk struct {
	store  *spill.Store // nil until something is written there
	writes uint32       // the number of writes there, the first ones
	undone []numbers    // the undone ones of these, ascending
	finder *spill.Iter  // over all, nil until a key is looked up

	// rows are the rows that are written, and rowAt the numbers as in arena; both are nil if many is set.
	rows  []rowlock.ID
	rowAt []uint32
	many  bool
}

// maxRowsOnDisk bounds the rows that are known one by one.
const maxRowsOnDisk = 64 << 10

// numbers are a range of writes, from inclusive, to exclusive.
type numbers struct{ from, to uint32 }

// OnDisk returns the store of the writes on disk; nil if there are none. Each Move makes another store.
func (o *Overlay) OnDisk() *spill.Store { return o.disk.store }

// IsOnDisk reports whether some writes are on disk.
func (o *Overlay) IsOnDisk() bool { return o.disk.writes > 0 }

// Spill moves the writes in memory to disk: all, or none if it fails. open makes the store at the first call.
func (o *Overlay) Spill(open func() (*spill.Store, error)) (err error) {
	o.settleDeletions()
	if o.disk.store == nil {
		if o.disk.store, err = open(); err != nil {
			return err
		}
	}
	if err := o.disk.store.AddRun(o.writeRun); err != nil {
		return err
	}
	o.disk.addRows(o.arena)
	o.disk.writes += uint32(len(o.arena.entries))
	o.forget()
	return o.disk.closeFinder()
}

// addRows adds the rows of the writes that go to disk next.
func (d *onDisk) addRows(of *arena) {
	if d.many = d.many || len(d.rows)+len(of.rows) > maxRowsOnDisk; d.many {
		d.rows, d.rowAt = nil, nil
		return
	}
	d.rows = append(d.rows, of.rows...)
	for _, n := range of.rowAt {
		d.rowAt = append(d.rowAt, d.writes+n)
	}
}

// RowsOnDisk returns the rows of the writes on disk; a row may come more than once. known is false if there
// are, or have been, too many.
func (o *Overlay) RowsOnDisk() (rows []rowlock.ID, known bool) { return o.disk.rows, !o.disk.many }

// WritesOnDisk returns the writes on disk, for readers of keys that no write in memory has. The caller releases
// them.
func (o *Overlay) WritesOnDisk() *Writes {
	return o.writesIn(newOrder(), int(o.disk.writes), o.deleted)
}

// Each calls fn with the newest write of each key, in key order: its stored value, empty for a deletion. Keys
// in deleted spans are left out. The bytes are valid until fn returns. The error is fn's or the disk's.
func (o *Overlay) Each(fn func(key, stored []byte) error) error {
	w := o.Writes()
	defer w.Release()
	it := w.Iter()
	defer it.Close()
	for ok := it.Seek(nil); ok; ok = it.Next() {
		own := it.Write()
		if own.Deleted && SpanOver(o.deleted, own.Key) != nil {
			continue
		}
		if err := fn(own.Key, own.Value); err != nil {
			return err
		}
	}
	return it.Err()
}

// writeRun writes the writes in memory to a run.
func (o *Overlay) writeRun(run *spill.Run) error {
	for _, n := range o.byKey() {
		w := o.write(n)
		if err := run.Add(w.Key, o.disk.writes+n, w.Value); err != nil {
			return err
		}
	}
	return nil
}

// byKey returns the writes of keys, not of spans, in key order, and those of one key newest first.
func (o *Overlay) byKey() []uint32 {
	all := make([]uint32, 0, len(o.arena.entries))
	ascends := true
	for n := range uint32(len(o.arena.entries)) {
		if o.isDeletion(n) {
			continue
		}
		ascends = ascends && (len(all) == 0 || bytes.Compare(o.key(all[len(all)-1]), o.key(n)) < 0)
		all = append(all, n)
	}
	if ascends {
		return all
	}
	heads := make([]uint64, len(o.arena.entries)) // these tell most keys apart
	for _, n := range all {
		heads[n] = binary.BigEndian.Uint64(o.key(n)[cellkey.SpaceLen:])
	}
	slices.SortFunc(all, func(a, b uint32) int {
		if heads[a] != heads[b] && cellkey.SameSpace(o.key(a), o.key(b)) {
			return cmp.Compare(heads[a], heads[b])
		}
		return cmp.Or(bytes.Compare(o.key(a), o.key(b)), cmp.Compare(b, a))
	})
	return all
}

// forget drops the writes in memory.
func (o *Overlay) forget() {
	o.data = o.data[:batchrepr.HeaderLen]
	o.arena.reset()
	o.order, o.ordered, o.first, o.grouped = nil, 0, nil, false
}

// undoOnDisk undoes all but the first n writes, if some of the undone are on disk.
func (o *Overlay) undoOnDisk(n uint32) {
	o.forget()
	o.undoDeletions(n)
	if n == 0 {
		o.disk.close()
		return
	}
	d := &o.disk
	first, _ := slices.BinarySearch(d.rowAt, n)
	d.rows, d.rowAt = d.rows[:first], d.rowAt[:first]
	kept := slices.DeleteFunc(slices.Clone(d.undone), func(u numbers) bool { return u.from >= n })
	d.undone = append(kept, numbers{n, d.writes})
}

// findOnDisk returns the newest write of a key on disk, and its number from 1; 0 for none.
func (o *Overlay) findOnDisk(key []byte) (w Write, n uint32, err error) {
	d := &o.disk
	if d.finder == nil {
		if d.finder, err = d.store.Iter(d.has); err != nil {
			return Write{}, 0, err
		}
	}
	if !d.finder.Find(key) {
		return Write{}, 0, d.finder.Err()
	}
	stored, err := d.finder.Stored()
	return Write{Key: key, Value: stored, Deleted: len(stored) == 0}, d.finder.Number() + 1, err
}

// has reports whether a write has not been undone.
func (d *onDisk) has(number uint32) bool { return isOf(d.undone, number) }

// isOf reports whether a write is not among the undone.
func isOf(undone []numbers, number uint32) bool {
	return len(undone) == 0 || !slices.ContainsFunc(undone, func(u numbers) bool { return number >= u.from && number < u.to })
}

func (d *onDisk) closeFinder() (err error) {
	if d.finder != nil {
		err = d.finder.Close()
	}
	d.finder = nil
	return err
}

// close discards the writes on disk.
func (d *onDisk) close() {
	if d.store != nil {
		_ = d.closeFinder() // nothing of it is needed any more
		d.store.Release()
	}
	*d = onDisk{}
}

// at returns those of the first n writes that are on disk; nil if there are none. The deletions are those of
// all writes.
func (d *onDisk) at(n int, deletions []deletion, deleted []cellkey.Span) *diskWrites {
	if d.writes == 0 {
		return nil
	}
	return &diskWrites{store: d.store, count: min(uint32(n), d.writes), undone: d.undone,
		deletions: before(deletions, uint32(n)), deleted: deleted}
}

// diskWrites are the writes on disk at one moment. They never change.
type diskWrites struct {
	store     *spill.Store
	count     uint32 // the first writes; later ones do not belong to it
	undone    []numbers
	deletions []deletion     // of spans, up to that moment
	deleted   []cellkey.Span // what they cover
}

// diskIter merges the writes on disk with those in memory, which are newer. Each side is at its first key
// that has not been passed.
type diskIter struct {
	of       *diskWrites
	disk     *spill.Iter
	mem      *btree.IterG[Write]
	diskOK   bool
	memOK    bool
	backward bool
	write    Write // the current write
	err      error
}

func (w *diskWrites) iter(mem *btree.IterG[Write]) *diskIter {
	it := &diskIter{of: w, mem: mem}
	it.disk, it.err = w.store.Iter(func(number uint32) bool { return number < w.count && isOf(w.undone, number) })
	return it
}

func (it *diskIter) seek(key []byte) bool {
	if it.disk == nil {
		return false
	}
	it.backward = false
	it.memOK, it.diskOK = it.mem.Seek(Write{Key: key}), it.disk.Seek(key)
	return it.settle()
}

func (it *diskIter) seekLT(key []byte) bool {
	if it.disk == nil {
		return false
	}
	it.backward = true
	it.memOK, it.diskOK = seekLT(it.mem, key), it.disk.SeekLT(key)
	return it.settle()
}

// step continues in the direction of the last seek.
func (it *diskIter) step() bool {
	order := it.order()
	if order >= 0 {
		it.diskOK = it.diskOK && it.stepDisk()
	}
	if order <= 0 {
		it.memOK = it.memOK && it.stepMem()
	}
	return it.settle()
}

func (it *diskIter) stepDisk() bool {
	if it.backward {
		return it.disk.Prev()
	}
	return it.disk.Next()
}

func (it *diskIter) stepMem() bool {
	if it.backward {
		return it.mem.Prev()
	}
	return it.mem.Next()
}

// order is below 0 if the side in memory comes first, above 0 if the other does, and 0 if both are at one
// key.
func (it *diskIter) order() int {
	switch {
	case !it.memOK:
		return 1
	case !it.diskOK:
		return -1
	}
	c := bytes.Compare(it.mem.Item().Key, it.disk.Key())
	if it.backward {
		return -c
	}
	return c
}

// settle makes the write that comes first the current one.
func (it *diskIter) settle() bool {
	if !it.diskOK {
		it.err = it.disk.Err()
	}
	if it.err != nil || !it.memOK && !it.diskOK {
		return false
	}
	if it.order() <= 0 {
		it.write = it.mem.Item()
		return true
	}
	stored, err := it.disk.Stored()
	if err != nil {
		it.err = err
		return false
	}
	key := it.disk.Key()
	it.write = Write{Key: key, Value: stored}
	if it.write.Deleted = len(stored) == 0 || isCovered(it.of.deletions, it.of.deleted, it.disk.Number()+1, key); it.write.Deleted {
		it.write.Value = nil
	}
	return true
}

func (it *diskIter) close() {
	if it.disk != nil {
		_ = it.disk.Close() // its error is that of the last step, which Err returns
		it.disk = nil
	}
}
