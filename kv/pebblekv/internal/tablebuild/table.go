package tablebuild

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hbasekv/hbasekv/kv/caught"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// File is a finished file.
type File struct {
	path        string
	first, last []byte // keys
	bytes       uint64
	cells       int64
}

// TableOptions returns the options of files that the store ingests: those that
// Pebble's own compactions use for the last level.
func TableOptions(p *pebble.Options) sstable.WriterOptions {
	o := p.MakeWriterOptions(len(p.Levels)-1, p.FormatMajorVersion.MaxTableFormat())
	o.DisableValueBlocks = true    // see valuesWithKeys
	o.WritingToLowestLevel = false // else deletions would be hidden
	return o
}

// runOptions returns the options of files that only this load reads.
func runOptions(p *pebble.Options) sstable.WriterOptions {
	o := TableOptions(p)
	o.FilterPolicy, o.BlockPropertyCollectors = nil, nil
	return o
}

// loadFile is a file that is being written.
type loadFile struct {
	File
	w *sstable.Writer
}

// newTable creates a file. Files that only this load reads are not synced.
func (f *Builder) newTable(o sstable.WriterOptions, synced bool) (*loadFile, error) {
	name := fmt.Sprintf("%06d.sst", f.files.Add(1))
	path := f.fs.PathJoin(f.dir, name)
	file, err := f.fs.Create(path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	if synced {
		file = vfs.NewSyncingFile(file, vfs.SyncingFileOptions{BytesPerSync: writtenBack})
	}
	t := &loadFile{w: sstable.NewWriter(&writable{file, bufio.NewWriterSize(file, writeBytes), synced}, o)}
	t.path = path
	return t, nil
}

const (
	// writeBytes is how many bytes are written to a file at a time.
	writeBytes = 64 << 10
	// writtenBack is how many bytes of a file the system may buffer before it
	// writes them to disk, so that little is left for the sync at the end.
	writtenBack = 1 << 20
)

// writable is a file for Pebble's writer. Files that need not outlive the process
// are not synced.
type writable struct {
	file   vfs.File
	buf    *bufio.Writer
	synced bool
}

// Write implements objstorage.Writable.
func (w *writable) Write(p []byte) error {
	_, err := w.buf.Write(p)
	return err
}

// Finish implements objstorage.Writable.
func (w *writable) Finish() error {
	err := w.buf.Flush()
	if err == nil && w.synced {
		err = w.file.Sync()
	}
	return errors.Join(err, w.file.Close())
}

// Abort implements objstorage.Writable.
func (w *writable) Abort() { _ = w.file.Close() }

// write writes a cell, or its deletion if stored is empty, which no stored form is.
func (t *loadFile) write(key, stored []byte) error {
	if len(stored) == 0 {
		return t.w.Delete(key)
	}
	return t.w.Set(key, stored)
}

// add writes cells with ascending keys.
func (t *loadFile) add(b *cellBuffer) error {
	if b.len() == 0 {
		return nil
	}
	if t.first == nil {
		t.first = bytes.Clone(b.key(0))
	}
	for i := range b.cells {
		if err := t.write(b.key(i), b.value(i)); err != nil {
			return err
		}
	}
	t.last = append(t.last[:0], b.key(b.len()-1)...)
	t.cells += int64(b.len())
	return nil
}

// close finishes the file, which also deletes the parts of the spans between its keys.
func (t *loadFile) close(deleted []cellkey.Span) error {
	err := t.deleteBetween(deleted, t.first, cellkey.Behind(t.last))
	if err = errors.Join(err, t.w.Close()); err != nil {
		return err
	}
	info, err := t.w.Raw().Metadata()
	if err == nil {
		t.bytes = info.Size
	}
	return err
}

// output takes cells in order and makes files of them, one after the other. A
// worker writes what it collects.
type output struct {
	f       *Builder
	batch   *cellBuffer
	last    []byte // the key added last
	jobs    chan<- job
	current *loadFile // the worker's own
}

// job is a batch for a worker.
type job struct {
	out   *output
	batch *cellBuffer // may be nil
	end   bool        // the output's file ends
}

// add takes a cell whose key must not be below the last one.
func (o *output) add(key []byte, mark cellkey.StoredMark, value []byte) error {
	if bytes.Equal(key, o.last) {
		o.batch.replaceLast(mark, value)
		return nil
	}
	if o.batch.bytes >= o.f.limits.BatchBytes {
		if err := o.send(false); err != nil {
			return err
		}
	}
	o.batch.add(key, mark, value)
	o.last = append(o.last[:0], key...)
	return nil
}

// send passes the batch to the worker and, if end is set, ends the file. The last
// cell can then no longer be replaced.
func (o *output) send(end bool) error {
	if err := o.f.failure(); err != nil {
		return err
	}
	o.jobs <- job{o, o.batch, end}
	o.batch = o.f.buffers.Get().(*cellBuffer)
	return nil
}

// workers are the goroutines that write files. Each output has one of them.
type workers struct {
	jobs  []chan job
	done  sync.WaitGroup
	next  int
	mu    sync.Mutex
	made  []File
	err   atomic.Pointer[error]
	open  map[*output]*loadFile
	ended bool
	// deleted are the spans; each file deletes their parts within it.
	deleted []cellkey.Span
	// Files are finished concurrently: that is mostly waiting for the disk.
	finishing sync.WaitGroup
	slots     chan struct{}
}

const (
	maxWorkers   = 4  // goroutines of a Builder
	maxFinishing = 16 // files being finished at a time
)

func newWorkers() *workers {
	c := &workers{open: map[*output]*loadFile{}, slots: make(chan struct{}, maxFinishing)}
	for range min(runtime.GOMAXPROCS(0), maxWorkers) {
		jobs := make(chan job, 4)
		c.jobs = append(c.jobs, jobs)
		c.done.Add(1)
		go c.work(jobs)
	}
	return c
}

// hire returns the worker for the next output.
func (c *workers) hire() chan<- job {
	c.next++
	return c.jobs[c.next%len(c.jobs)]
}

func (c *workers) work(jobs <-chan job) {
	defer c.done.Done()
	for j := range jobs {
		if c.failure() == nil {
			c.fail(caught.Do(func() error { return c.do(j) }))
		}
		j.batch.reset()
		j.out.f.buffers.Put(j.batch)
	}
}

// fail stores the first error.
func (c *workers) fail(err error) {
	if err != nil {
		c.err.CompareAndSwap(nil, &err)
	}
}

func (c *workers) failure() error {
	if p := c.err.Load(); p != nil {
		return *p
	}
	return nil
}

func (c *workers) do(j job) error {
	o := j.out
	if o.current == nil && j.batch.len() > 0 {
		t, err := o.f.newTable(o.f.tables, true)
		if err != nil {
			return err
		}
		o.current = t
		c.opened(o, t)
	}
	if o.current == nil {
		return nil
	}
	if err := o.current.add(j.batch); err != nil {
		return err
	}
	if j.end || o.current.w.Raw().EstimatedSize() >= o.f.limits.TableBytes {
		t := o.current
		o.current = nil
		c.closed(o)
		c.slots <- struct{}{}
		c.finishing.Go(func() {
			c.fail(caught.Do(func() error { return c.finishFile(t) }))
			<-c.slots
		})
	}
	return nil
}

func (c *workers) opened(o *output, t *loadFile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[o] = t
}

func (c *workers) closed(o *output) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, o)
}

func (c *workers) finishFile(t *loadFile) error {
	if err := t.close(c.deleted); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made = append(c.made, t.File)
	return nil
}

// End waits for the workers and closes what they have left open. It may be
// called again. The error is the disk's.
func (c *workers) End() error {
	if !c.ended {
		c.ended = true
		for _, jobs := range c.jobs {
			close(jobs)
		}
		c.done.Wait()
		c.finishing.Wait()
		for _, t := range c.open {
			_ = t.w.Close() // the file will be removed
		}
	}
	return c.failure()
}
