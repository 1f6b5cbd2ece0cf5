package tablebuild

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/cellkey"
)

// addRun adds a run, and merges the runs that have been merged equally often if
// there are many of them.
func (f *Builder) addRun(t File, age int) error {
	if age == len(f.runs) {
		f.runs = append(f.runs, nil)
	}
	if f.runs[age] = append(f.runs[age], t); len(f.runs[age]) < f.limits.Runs {
		return nil
	}
	merged, err := f.mergeRuns(f.runs[age])
	if err != nil {
		return err
	}
	for _, each := range f.runs[age] {
		if err := f.fs.Remove(each.path); err != nil {
			return err
		}
	}
	f.runs[age] = nil
	return f.addRun(merged, age+1)
}

// mergeRuns merges runs into one; cells of later ones win.
func (f *Builder) mergeRuns(runs []File) (File, error) {
	t, err := f.newTable(runOptions(f.pebble), false)
	if err != nil {
		return File{}, err
	}
	b := cellBuffer{chunk: f.limits.BatchBytes}
	err = f.read(newestFirst(runs), cellkey.Span{}, func(key, value []byte) error {
		if b.add(key, nil, value); b.bytes < f.limits.BatchBytes {
			return nil
		}
		err := t.add(&b)
		b.reset()
		return err
	})
	if err == nil {
		err = t.add(&b)
	}
	if err != nil {
		return File{}, errors.Join(err, t.w.Close())
	}
	return t.File, t.close(nil)
}

func newestFirst(runs []File) (levels [][]File) {
	for _, t := range slices.Backward(runs) {
		levels = append(levels, []File{t})
	}
	return levels
}

// allRuns returns the runs, newest first: merged ones are older.
func (f *Builder) allRuns() (levels [][]File) {
	for _, runs := range f.runs {
		levels = append(levels, newestFirst(runs)...)
	}
	return levels
}

// read calls each with the cells of the files in the span; cells of earlier
// levels win. A span without bounds is everything.
func (f *Builder) read(levels [][]File, in cellkey.Span, each func(key, value []byte) error) error {
	it, err := f.open(levels, in)
	if err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err == nil {
			err = each(it.Key(), value)
		}
		if err != nil {
			return errors.Join(err, it.Close())
		}
	}
	return errors.Join(it.Error(), it.Close())
}

func (f *Builder) open(levels [][]File, in cellkey.Span) (it *pebble.Iterator, err error) {
	var files [][]sstable.ReadableFile
	for _, level := range levels {
		var opened []sstable.ReadableFile
		for _, t := range level {
			file, err := f.fs.Open(t.path)
			if err != nil {
				return nil, errors.Join(err, closeFiles(append(files, opened)))
			}
			opened = append(opened, file)
		}
		files = append(files, opened)
	}
	return pebble.NewExternalIter(f.pebble, &pebble.IterOptions{LowerBound: in.Lower, UpperBound: in.Upper}, files)
}

func closeFiles(files [][]sstable.ReadableFile) (err error) {
	for _, file := range slices.Concat(files...) {
		err = errors.Join(err, file.Close())
	}
	return err
}

// merge makes new files from the runs and the written files that overlap them.
// The others stay as they are.
func (f *Builder) merge(ctx context.Context, streamed []File) ([]File, error) {
	overlap, stay, err := f.overlapping(streamed)
	if err != nil {
		return nil, err
	}
	f.workers = newWorkers()
	m := &merger{Builder: f, out: f.newOutput(), stay: stay}
	groups := slices.Collect(slices.Chunk(overlap, f.limits.Runs))
	if len(groups) == 0 {
		groups = [][]File{nil}
	}
	for i, group := range groups {
		var in cellkey.Span
		if i > 0 {
			in.Lower = group[0].first
		}
		if i+1 < len(groups) {
			in.Upper = groups[i+1][0].first
		}
		levels := f.allRuns()
		if len(group) > 0 {
			levels = append(levels, group)
		}
		if err := f.read(levels, in, func(key, value []byte) error { return m.add(ctx, key, value) }); err != nil {
			return nil, err
		}
	}
	if err := m.out.send(true); err != nil {
		return nil, err
	}
	made, err := f.settle()
	made = append(made, stay...)
	slices.SortFunc(made, func(a, b File) int { return bytes.Compare(a.first, b.first) })
	return made, err
}

// overlapping splits the files by whether the runs have a key between their
// first and their last.
func (f *Builder) overlapping(files []File) (overlap, stay []File, err error) {
	if len(files) == 0 {
		return nil, nil, nil
	}
	it, err := f.open(f.allRuns(), cellkey.Span{})
	if err != nil {
		return nil, nil, err
	}
	for _, t := range files {
		if it.SeekGE(t.first) && bytes.Compare(it.Key(), t.last) <= 0 {
			overlap = append(overlap, t)
		} else {
			stay = append(stay, t)
		}
	}
	return overlap, stay, errors.Join(it.Error(), it.Close())
}

// merger writes merged cells, to files that end before the next file that stays.
type merger struct {
	*Builder
	out  *output
	stay []File
	n    int
}

func (m *merger) add(ctx context.Context, key, value []byte) error {
	if m.n++; m.n%checkEvery == 0 && ctx.Err() != nil {
		return ctx.Err()
	}
	cut := false
	for len(m.stay) > 0 && bytes.Compare(key, m.stay[0].first) > 0 {
		m.stay, cut = m.stay[1:], true
	}
	if cut {
		if err := m.out.send(true); err != nil {
			return err
		}
	}
	return m.out.add(key, nil, value)
}

// checkEvery is the number of cells between two checks of the context.
const checkEvery = 512
