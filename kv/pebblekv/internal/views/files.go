package views

import (
	"bytes"
	"errors"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// fileIters are idle iterators over files alone. They can be reused until the files
// change, whatever is committed.
type fileIters struct {
	mu    sync.Mutex
	idle  []*pebble.Iterator
	files uint64 // the count of changed files when they were opened
}

// Absent reports whether the key, of a row that the caller has locked, is certainly
// not stored now. It looks only into files: if the row may be in memory or the key is
// found, sure is false. If sure, the first place in the row after the key at which
// something may be stored is left in end, unless end is nil.
func (e *Engine) Absent(key []byte, end *[]byte) (sure bool, err error) {
	if e.unflushed.mayHold(key[:cellkey.RowLen(key)]) {
		return false, nil
	}
	files := e.estimates.files.Load() // after the look into memory, because of flushes since
	it, err := e.files.take(e, files)
	if err != nil {
		return false, err
	}
	ok := it.SeekPrefixGE(key)
	if sure = it.Error() == nil && !(ok && bytes.Equal(it.Key(), key)); sure && end != nil {
		if ok {
			*end = append((*end)[:0], it.Key()...)
		} else {
			*end = cellkey.AppendBehindRow((*end)[:0], key)
		}
	}
	err = faultfs.DiskError(it.Error())
	return sure, errors.Join(err, e.files.put(it, files))
}

// take returns an iterator over the files as they have been since the count.
func (f *fileIters) take(e *Engine, files uint64) (*pebble.Iterator, error) {
	if it := f.pop(files); it != nil {
		return it, nil
	}
	it, err := e.DB.NewIter(&pebble.IterOptions{OnlyReadGuaranteedDurable: true, UseL6Filters: true})
	return it, faultfs.DiskError(err)
}

func (f *fileIters) pop(files uint64) *pebble.Iterator {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.files != files {
		f.letGo()
		f.files = files
	}
	n := len(f.idle)
	if n == 0 {
		return nil
	}
	it := f.idle[n-1]
	f.idle = f.idle[:n-1]
	return it
}

// maxFileIters is how many idle iterators are kept.
const maxFileIters = 16

func (f *fileIters) put(it *pebble.Iterator, files uint64) error {
	f.mu.Lock()
	if f.files == files && len(f.idle) < maxFileIters && it.Error() == nil {
		f.idle = append(f.idle, it)
		f.mu.Unlock()
		return nil
	}
	f.mu.Unlock()
	return faultfs.DiskError(it.Close())
}

// drop closes the idle iterators.
func (f *fileIters) drop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.letGo()
	f.files = 0
}

// letGo closes the idle iterators, which have no unreported error. mu is held.
func (f *fileIters) letGo() {
	_ = closeAll(f.idle)
	f.idle = f.idle[:0]
}

// Written notes each applied batch with cells. It is called before anybody else can
// lock its rows and, like TakenIn, with Commits held.
func (e *Engine) Written(b *pebble.Batch) { e.unflushed.written(b) }

// Copied notes a batch with cells that was applied beside commits. It is called
// before anybody can lock its rows.
func (e *Engine) Copied(b *pebble.Batch) { e.unflushed.copied(b) }

// Flushed notes the files of each successful flush.
func (e *Engine) Flushed(files []pebble.TableInfo) {
	e.Rewritten.Flushed()
	e.Fresh.Flushed()
	e.FilesChanged() // iterators that do not see these files are not used for their rows
	e.unflushed.flushed(files)
}

// TakenIn notes that Pebble has ingested files of cells, or replayed a log.
func (e *Engine) TakenIn() { e.unflushed.loseSight() }
