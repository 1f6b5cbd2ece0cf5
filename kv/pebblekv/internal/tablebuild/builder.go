// Package tablebuild makes table files of cells, whatever order they come in, for a
// database to take in.
//
// A [Builder] writes cells that ascend within their key space to a file of that
// space. It sorts others in memory, and on disk in runs. Workers write the files.
package tablebuild

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hbasekv/hbasekv/kv/keyspace"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// Limits bound the memory and the open files while files are made.
type Limits struct {
	// GatherBytes is how many bytes are kept in memory, for each key space met,
	// before it is decided how to continue: a smaller load makes one file.
	GatherBytes int
	// SortBytes is how many bytes are sorted in memory at a time.
	SortBytes int
	// BatchBytes is how many bytes an output collects for its worker.
	BatchBytes int
	// Outputs bounds the files that are written concurrently.
	Outputs int
	// Runs is how many files are merged at a time.
	Runs int
	// TableBytes is the size in bytes at which a file ends.
	TableBytes uint64
}

// DefaultLimits returns the limits of a load.
func DefaultLimits() Limits {
	return Limits{
		GatherBytes: 256 << 10, SortBytes: 64 << 20, BatchBytes: 32 << 10,
		Outputs: 256, Runs: 64, TableBytes: 64 << 20,
	}
}

// gatherChunk is how many bytes are allocated at a time.
const gatherChunk = 1 << 20

// Builder makes files of cells. Cells that ascend within each key space go straight
// to a file of their own space. Others are sorted in memory, and on disk in runs;
// at the end these runs are merged with the files that they overlap.
type Builder struct {
	limits  Limits
	fs      vfs.FS
	dir     string
	pebble  *pebble.Options
	tables  sstable.WriterOptions
	files   atomic.Int64 // number of files so far
	buffers sync.Pool
	*workers

	buf       cellBuffer
	streaming bool
	unordered bool // buf is not sorted
	lanes     map[keyspace.ID]*lane
	space     keyspace.ID // of lane
	lane      *lane       // the last one
	outputs   []*output
	runs      [][]File // by how often they were merged; newest last
	sorted    bool     // some cells were sorted
	extents   map[keyspace.ID]cellkey.Span
}

// lane is the state of a key space that is being filled.
type lane struct {
	last int // the index in Builder.buf of its last cell while gathering
	out  *output
}

// New returns a Builder of files in the directory, for a database with these options.
func New(fs vfs.FS, dir string, pebble *pebble.Options, l Limits) *Builder {
	f := &Builder{
		limits: l, fs: fs, dir: dir, pebble: pebble, tables: TableOptions(pebble),
		workers: newWorkers(), lanes: map[keyspace.ID]*lane{}, extents: map[keyspace.ID]cellkey.Span{},
	}
	f.buffers.New = func() any { return &cellBuffer{chunk: f.limits.BatchBytes + f.limits.BatchBytes/8} }
	f.buf.chunk = gatherChunk
	return f
}

// Add adds a cell. Without a mark, the value is in stored form. The bytes are copied.
func (f *Builder) Add(key []byte, mark cellkey.StoredMark, value []byte) error {
	if space, _ := cellkey.Space(key); f.lane == nil || space != f.space {
		f.enter(space)
	}
	if f.streaming {
		return f.stream(key, mark, value)
	}
	return f.gather(key, mark, value)
}

// enter makes a key space's lane the current one.
func (f *Builder) enter(space keyspace.ID) {
	l := f.lanes[space]
	if l == nil {
		l = &lane{last: -1}
		f.lanes[space] = l
	}
	f.space, f.lane = space, l
}

func (f *Builder) gather(key []byte, mark cellkey.StoredMark, value []byte) error {
	if last := f.lane.last; last >= 0 && !f.unordered {
		f.unordered = bytes.Compare(key, f.buf.key(last)) < 0
	}
	f.lane.last = f.buf.len()
	f.buf.add(key, mark, value)
	switch {
	case f.buf.size() < f.limits.GatherBytes*len(f.lanes):
		return nil
	case !f.unordered && len(f.lanes) <= f.limits.Outputs:
		return f.startStreaming()
	}
	return f.spillIfMuch()
}

// startStreaming passes what has been gathered to outputs.
func (f *Builder) startStreaming() error {
	f.streaming = true
	gathered := f.buf
	f.buf = cellBuffer{chunk: gatherChunk}
	for i := range gathered.cells {
		if err := f.Add(gathered.key(i), nil, gathered.value(i)); err != nil {
			return err
		}
	}
	return nil
}

// stream writes a cell that is in order, and keeps others for sorting.
func (f *Builder) stream(key []byte, mark cellkey.StoredMark, value []byte) error {
	o := f.lane.out
	switch {
	case o == nil && len(f.outputs) < f.limits.Outputs:
		f.lane.out = f.newOutput()
		return f.lane.out.add(key, mark, value)
	case o != nil && bytes.Compare(key, o.last) >= 0:
		return o.add(key, mark, value)
	}
	f.buf.add(key, mark, value)
	return f.spillIfMuch()
}

func (f *Builder) newOutput() *output {
	o := &output{f: f, batch: f.buffers.Get().(*cellBuffer), jobs: f.hire()}
	f.outputs = append(f.outputs, o)
	return o
}

func (f *Builder) spillIfMuch() error {
	if f.buf.size() < f.limits.SortBytes {
		return nil
	}
	return f.spill()
}

// spill writes what is in memory to a run.
func (f *Builder) spill() error {
	if f.buf.len() == 0 {
		return nil
	}
	f.sortBuffer()
	t, err := f.newTable(runOptions(f.pebble), false)
	if err != nil {
		return err
	}
	if err := t.add(&f.buf); err != nil {
		_ = t.w.Close()
		return err
	}
	if err := t.close(nil); err != nil {
		return err
	}
	f.buf.reset()
	f.unordered = true // later cells may be anywhere in the order
	return f.addRun(t.File, 0)
}

// sortBuffer sorts what is in memory, and extends the extents.
func (f *Builder) sortBuffer() {
	f.sorted = f.sorted || f.streaming || f.unordered
	f.buf.sort()
	for i, from := 0, 0; i < f.buf.len(); i++ {
		if i+1 == f.buf.len() || !cellkey.SameSpace(f.buf.key(i), f.buf.key(i+1)) {
			f.extend(f.buf.key(from), f.buf.key(i))
			from = i + 1
		}
	}
}

// extend notes that cells of one key space reach from the first to the last key.
func (f *Builder) extend(first, last []byte) {
	id, _ := cellkey.Space(first)
	e, ok := f.extents[id]
	if !ok || bytes.Compare(first, e.Lower) < 0 {
		e.Lower = bytes.Clone(first)
	}
	if !ok || bytes.Compare(last, e.Upper) >= 0 {
		e.Upper = cellkey.Behind(last)
	}
	f.extents[id] = e
}

// Finish returns files of all cells, in key order and disjoint. The error is the
// context's or the disk's.
func (f *Builder) Finish(ctx context.Context) ([]File, error) {
	if !f.streaming && len(f.runs) == 0 {
		return f.finishSmall()
	}
	if err := f.spill(); err != nil {
		return nil, err
	}
	for _, o := range f.outputs {
		if err := o.send(true); err != nil {
			return nil, err
		}
	}
	streamed, err := f.settle()
	if err != nil || len(f.runs) == 0 {
		return streamed, err
	}
	return f.merge(ctx, streamed)
}

// settle waits for the outputs and returns their files. New workers handle later cells.
func (f *Builder) settle() ([]File, error) {
	if err := f.End(); err != nil {
		return nil, err
	}
	made := f.made
	slices.SortFunc(made, func(a, b File) int { return bytes.Compare(a.first, b.first) })
	for _, t := range made {
		if cellkey.SameSpace(t.first, t.last) {
			f.extend(t.first, t.last)
		}
	}
	f.outputs = nil
	return made, nil
}

// finishSmall writes what is in memory.
func (f *Builder) finishSmall() ([]File, error) {
	f.sortBuffer()
	o := f.newOutput()
	for i := range f.buf.cells {
		if err := o.add(f.buf.key(i), nil, f.buf.value(i)); err != nil {
			return nil, err
		}
	}
	if err := o.send(true); err != nil {
		return nil, err
	}
	return f.settle()
}

// EachCell calls each with the cells of disjoint files. The error is that of each
// or the disk's.
func (f *Builder) EachCell(files []File, each func(key, value []byte) error) error {
	for group := range slices.Chunk(files, f.limits.Runs) {
		if err := f.read([][]File{group}, cellkey.Span{}, each); err != nil {
			return err
		}
	}
	return nil
}

// Paths returns the paths of files, and the numbers of their cells and bytes.
func Paths(files []File) (out []string, cells, bytes int64) {
	for _, t := range files {
		out = append(out, t.path)
		cells += t.cells
		bytes += int64(t.bytes)
	}
	return out, cells, bytes
}

// Next returns a Builder for the same cells under other keys.
func (f *Builder) Next() *Builder {
	out := New(f.fs, f.dir, f.pebble, f.limits)
	out.files.Store(f.files.Load())
	return out
}

// Remove removes files.
func (f *Builder) Remove(files []File) (err error) {
	for _, t := range files {
		err = errors.Join(err, f.fs.Remove(t.path))
	}
	return err
}

// Written returns the extents of the key spaces that have cells.
func (f *Builder) Written() []cellkey.Span { return slices.Collect(maps.Values(f.extents)) }

// HasSorted reports whether cells came out of order.
func (f *Builder) HasSorted() bool { return f.sorted }
