package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// fileCheck reads the checksums of every block of the table files, each file
// once.
type fileCheck struct {
	db    *pebble.DB
	where Files
	files []tableFile // the files at the beginning of the check
	done  map[uint64]error
}

// tableFile is a file with cells, and their bounds.
type tableFile struct {
	number            uint64
	smallest, largest []byte
}

func newFileCheck(db *pebble.DB, where Files) (*fileCheck, error) {
	f := &fileCheck{db: db, where: where, done: map[uint64]error{}}
	var err error
	f.files, err = f.tableFiles()
	return f, err
}

// tableFiles returns the files of the newest version.
func (f *fileCheck) tableFiles() ([]tableFile, error) {
	levels, err := f.db.SSTables()
	if err != nil {
		return nil, faultfs.DiskError(err)
	}
	var out []tableFile
	for _, level := range levels {
		for _, t := range level {
			out = append(out, tableFile{uint64(t.BackingSSTNum), t.Smallest.UserKey, t.Largest.UserKey})
		}
	}
	slices.SortFunc(out, byNumber)
	return out, nil
}

// span checks the files with keys in [lower, upper); nil is open. Damage found
// by an earlier call is reported again.
func (f *fileCheck) span(
	ctx context.Context, lower, upper []byte, report *kv.CheckReport, p *kv.CheckProgress, tell func(kv.CheckProgress),
) error {
	var mine []tableFile
	for _, file := range f.files {
		if (upper == nil || string(file.smallest) < string(upper)) && string(file.largest) >= string(lower) {
			mine = append(mine, file)
		}
	}
	p.AllFiles += len(mine)
	for _, file := range mine {
		if err := ctx.Err(); err != nil {
			return err
		}
		tell(*p)
		found, seen := f.done[file.number]
		if !seen {
			found = f.verify(ctx, file.number)
			f.done[file.number] = found
		}
		if found != nil && (!seen || upper != nil) {
			report.Add(found)
		}
		p.Files++
	}
	return nil
}

// verify reads one file. A file that has been compacted away since no longer
// belongs to the store.
func (f *fileCheck) verify(ctx context.Context, number uint64) error {
	name := fmt.Sprintf("%06d.sst", number)
	err := f.read(ctx, name)
	if err == nil || errors.Is(err, fs.ErrNotExist) && !f.inUse(number) {
		return nil
	}
	return fmt.Errorf("%w: %s: %w", kv.ErrCorrupt, name, err)
}

func (f *fileCheck) inUse(number uint64) bool {
	now, err := f.tableFiles()
	if err != nil {
		return true
	}
	return slices.ContainsFunc(now, func(t tableFile) bool { return t.number == number })
}

func (f *fileCheck) read(ctx context.Context, name string) error {
	file, err := f.where.FS.Open(f.where.FS.PathJoin(f.where.Dir, name))
	if err != nil {
		return err
	}
	readable, err := sstable.NewSimpleReadable(file)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	r, err := sstable.NewReader(ctx, readable, f.where.Reader)
	if err != nil {
		return errors.Join(err, readable.Close())
	}
	return errors.Join(r.ValidateBlockChecksums(), r.Close())
}
