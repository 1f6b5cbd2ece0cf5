package overlay

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/kvtest/testseed"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/rowlock"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/spill"
)

// overlayModel is what an overlay holds, by key; a deletion is a nil value.
type overlayModel map[string][]byte

func (m overlayModel) sorted() (out []string) {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%s=%q", k, m[k]))
	}
	return out
}

func shown(w Write) string {
	if w.Deleted {
		return fmt.Sprintf("%s=%q", w.Key, []byte(nil))
	}
	return fmt.Sprintf("%s=%q", w.Key, w.Value[1:])
}

func (w *Writes) shown() (out []string) {
	if w == nil {
		return nil
	}
	it := w.Iter()
	defer it.Close()
	for ok := it.Seek(nil); ok; ok = it.Next() {
		out = append(out, shown(it.Write()))
	}
	return out
}

// backwards shows the writes by steps in the other direction.
func (w *Writes) backwards() (out []string) {
	if w == nil {
		return nil
	}
	it := w.Iter()
	defer it.Close()
	for ok := it.SeekLT([]byte("~")); ok; ok = it.Prev() {
		out = append(out, shown(it.Write()))
	}
	slices.Reverse(out)
	return out
}

func openDB(t *testing.T) *pebble.DB {
	db, err := pebble.Open("", &pebble.Options{FS: vfs.NewMem()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func newOverlay(db *pebble.DB) Overlay {
	var o Overlay
	hash := rowlock.NewHasher()
	o.Init(db, &hash, 64<<20)
	return o
}

func seed(t *testing.T) *rand.Rand { return rand.New(rand.NewPCG(testseed.Of(t), 0)) }

// TestOverlayAgainstAMap writes, deletes, marks, undoes and reads, and compares with a map.
// What a reader was given never changes.
func TestOverlayAgainstAMap(t *testing.T) {
	r := seed(t)
	db := openDB(t)
	for round := range 4000 {
		checkOverlay(t, db, r, 1+r.IntN(60), round%2 == 0, 0)
	}
}

// TestOverlayOnDisk does the same with writes that go to disk, and requires that no file is left.
func TestOverlayOnDisk(t *testing.T) {
	r := seed(t)
	db := openDB(t)
	for round := range 50 {
		checkOverlay(t, db, r, 1+r.IntN(60), round%2 == 0, 1+r.IntN(20))
	}
}

// testKey is a key as long as a cell's.
func testKey(n any) []byte { return fmt.Appendf(nil, "key%04d of a cell", n) }

// TestUndoBelowAReader undoes writes that a reader uses, after an earlier reader was given
// the same writes and none are in the order any more.
func TestUndoBelowAReader(t *testing.T) {
	o := newOverlay(openDB(t))
	defer func() { require.NoError(t, o.Close()) }()
	put := func(n uint64) {
		o.Put(rowlock.ID{n}, fmt.Appendf(nil, "key%04d", n), fmt.Appendf(nil, "%d", n), false)
	}
	put(3)
	put(0)
	o.FirstWrites(1).Release()
	o.Undo(1)
	put(4)
	reader := o.FirstWrites(1)
	o.Undo(0)
	put(1)
	put(2)
	require.Equal(t, []string{`key0003="3"`}, reader.shown())
}

// checkOverlay moves the writes to disk in about one of spills steps, in none if spills is 0.
func checkOverlay(t *testing.T, db *pebble.DB, r *rand.Rand, keys int, ascending bool, spills int) {
	type mark struct {
		n     int
		model overlayModel
	}
	type reader struct {
		writes *Writes
		want   []string
	}
	o := newOverlay(db)
	disk := vfs.NewMem()
	defer func() {
		require.NoError(t, o.Close())
		left, err := disk.List("")
		require.NoError(t, err)
		require.Empty(t, left)
	}()
	now := overlayModel{}
	marks := []mark{{0, overlayModel{}}}
	var readers []reader
	for i := range 150 {
		if spills > 0 && r.IntN(spills) == 0 && o.InMemory() > 0 {
			require.NoError(t, o.Spill(func() (*spill.Store, error) { return spill.Open(disk, fmt.Sprint("spill", i), 1<<20) }))
		}
		switch r.IntN(16) {
		case 0:
			marks = append(marks, mark{o.Len(), maps.Clone(now)})
		case 1:
			n := r.IntN(len(marks))
			marks = marks[:n+1]
			o.Undo(marks[n].n)
			now = maps.Clone(marks[n].model)
		case 2:
			readers = append(readers, reader{o.Writes(), now.sorted()})
		case 3:
			at := marks[r.IntN(len(marks))]
			readers = append(readers, reader{o.FirstWrites(at.n), at.model.sorted()})
		case 4, 5, 6:
			if len(readers) == 0 {
				continue
			}
			i := r.IntN(len(readers))
			require.Equal(t, readers[i].want, readers[i].writes.shown())
			if readers[i].writes != nil {
				readers[i].writes.Release()
			}
			readers = slices.Delete(readers, i, i+1)
		default:
			n := r.IntN(keys)
			if ascending && r.IntN(4) > 0 {
				n = i
			}
			key, value := testKey(n), fmt.Appendf(nil, "%d-%d", n, i)
			if r.IntN(4) == 0 {
				value = nil
			}
			o.Put(rowlock.ID{uint64(n)}, key, value, value == nil)
			now[string(key)] = value
		}
		key := string(testKey(r.IntN(keys)))
		w, ok, err := o.Get([]byte(key))
		require.NoError(t, err)
		value, want := now[key]
		require.Equal(t, want, ok, key)
		if ok {
			require.Equal(t, fmt.Sprintf("%s=%q", key, value), shown(w))
		}
	}
	for _, each := range append(readers, reader{o.Writes(), now.sorted()}) {
		require.Equal(t, each.want, each.writes.shown())
		require.Equal(t, each.want, each.writes.backwards())
		if each.writes != nil {
			each.writes.Release()
		}
	}
	if !o.IsOnDisk() {
		requireBatch(t, &o, now)
	}
}

// requireBatch compares the batch with the model, and the rows with the batch.
func requireBatch(t *testing.T, o *Overlay, want overlayModel) {
	if o.Len() == 0 {
		return
	}
	b, err := o.Commit()
	require.NoError(t, err)
	require.Equal(t, o.Len(), int(b.Count()))
	got, rows := overlayModel{}, map[rowlock.ID]bool{}
	for reader := b.Reader(); ; {
		kind, key, value, ok, err := reader.Next()
		require.NoError(t, err)
		if !ok {
			break
		}
		var n uint64
		_, err = fmt.Sscanf(string(key), "key%d", &n)
		require.NoError(t, err)
		rows[rowlock.ID{n}] = true
		if got[string(key)] = nil; kind == pebble.InternalKeyKindSet {
			got[string(key)] = value[1:]
		}
	}
	require.Equal(t, want, got)
	written := map[rowlock.ID]bool{}
	for _, id := range o.Rows() {
		written[id] = true
	}
	require.Equal(t, rows, written)
}

// TestOverlayReadBesideWriter reads with cursors in other goroutines while the
// transaction writes and undoes.
func TestOverlayReadBesideWriter(t *testing.T) {
	o := newOverlay(openDB(t))
	defer func() { require.NoError(t, o.Close()) }()
	put := func(i int) {
		o.Put(rowlock.ID{}, fmt.Appendf(nil, "key%04d", i*7919%1000), fmt.Appendf(nil, "%d", i), false)
	}
	var readers sync.WaitGroup
	for i := range 300 {
		put(i)
		own := o.Writes()
		want := i + 1
		readers.Go(func() {
			for range 3 {
				if n := own.Len(); n != want {
					t.Errorf("%d writes, want %d", n, want)
				}
			}
		})
		before := o.Len()
		put(i + 1)
		o.Writes()
		o.Undo(before)
	}
	readers.Wait()
}

// TestOverlayRegroup writes in several key spaces alternately: the batch groups the writes
// by key space in their order, and the writes stay the same.
func TestOverlayRegroup(t *testing.T) {
	db := openDB(t)
	for _, spaces := range []int{1, 2, 7} {
		o := newOverlay(db)
		for i := range 200 {
			key := cellkey.AppendCell(nil, keyspace.ID(1+i*5%spaces), fmt.Appendf(nil, "%03d", i%70), nil, 0)
			o.Put(rowlock.ID{uint64(i)}, key, fmt.Appendf(nil, "%d", i), i%9 == 0)
		}
		want := map[string]string{}
		for n := range o.Len() {
			w := o.write(uint32(n))
			want[string(w.Key)] = shown(w)
		}
		for range 2 { // a commit may try again
			b, err := o.Commit()
			require.NoError(t, err)
			got, last, n := map[string]string{}, keyspace.ID(0), 0
			for reader := b.Reader(); ; n++ {
				kind, key, value, ok, err := reader.Next()
				require.NoError(t, err)
				if !ok {
					break
				}
				space, _ := cellkey.Space(key)
				require.GreaterOrEqual(t, space, last)
				last = space
				got[string(key)] = shown(Write{Key: key, Value: value, Deleted: kind == pebble.InternalKeyKindDelete})
			}
			require.Equal(t, o.Len(), n)
			require.Equal(t, want, got)
		}
		for key, text := range want {
			w, ok, _ := o.Get([]byte(key))
			require.True(t, ok)
			require.Equal(t, text, shown(w))
		}
		require.Len(t, o.Writes().shown(), len(want))
		require.NoError(t, o.Close())
	}
}
