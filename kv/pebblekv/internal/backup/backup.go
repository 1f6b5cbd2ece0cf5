// Package backup copies a store, while it is in use, to another directory.
package backup

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// backup is one copy being made.
type backup struct {
	from   Source
	fs     vfs.FS // of the target
	target string
	part   string // the copy until it is renamed
	stage  string // the checkpoint until it is moved
	made   []string
}

// Source is the store that is copied.
type Source struct {
	FS  vfs.FS
	Dir string
	// Stage is the prefix of the names of directories in Dir in which backups
	// are made; Skip reports the names that are not part of the store.
	Stage              string
	Skip               func(name string) bool
	InMemory, ReadOnly bool
	// Checkpoint makes a copy in a new directory of the same file system.
	Checkpoint func(ctx context.Context, dir string) error
}

// Make copies a store to a directory, which must be missing or empty. The error
// is kv.ErrBackupTarget, the context's or the disk's.
func Make(ctx context.Context, from Source, dir string) error {
	b, err := newBackup(from, dir)
	if err != nil {
		return err
	}
	if err := b.run(ctx); err != nil {
		return faultfs.DiskError(fmt.Errorf("the backup to %s: %w", dir, err))
	}
	return nil
}

func newBackup(from Source, dir string) (*backup, error) {
	b := &backup{from: from, fs: from.FS, target: dir}
	if from.InMemory {
		b.fs = faultfs.Private
	}
	if dir == "" {
		return nil, fmt.Errorf("%w: a backup needs a directory", kv.ErrBackupTarget)
	}
	if vfs.Root(b.fs) == vfs.Default {
		var err error
		if b.target, err = filepath.Abs(dir); err != nil {
			return nil, fmt.Errorf("the directory %s: %w", dir, err)
		}
	}
	suffix := "-" + rand.Text()[:8]
	b.part = b.target + ".partial" + suffix
	b.stage = from.FS.PathJoin(from.Dir, from.Stage+suffix[1:])
	return b, b.checkTarget()
}

// checkTarget refuses a directory that is not empty.
func (b *backup) checkTarget() error {
	own := b.from.Dir
	if !b.from.InMemory && (b.target == own || strings.HasPrefix(b.target, own+string(filepath.Separator))) {
		return fmt.Errorf("%w: %s is the store's own directory", kv.ErrBackupTarget, b.target)
	}
	info, err := b.fs.Stat(b.target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return faultfs.DiskError(err)
	case !info.IsDir():
		return fmt.Errorf("%w: %s is a file", kv.ErrBackupTarget, b.target)
	}
	names, err := b.fs.List(b.target)
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("%w: %s contains %s", kv.ErrBackupTarget, b.target, names[0])
	}
	return faultfs.DiskError(err)
}

// run makes the copy. If it fails, it removes what it has made.
func (b *backup) run(ctx context.Context) (err error) {
	defer func() {
		err = errors.Join(err, b.from.FS.RemoveAll(b.stage))
		if err != nil {
			b.undo()
		}
	}()
	if err := b.makeParents(); err != nil {
		return err
	}
	if err := b.copy(ctx); err != nil {
		return err
	}
	return b.publish()
}

// undo removes what was made. Its errors are ignored, since an earlier one is
// reported.
func (b *backup) undo() {
	_ = b.fs.RemoveAll(b.part)
	for i := len(b.made) - 1; i >= 0; i-- {
		_ = b.fs.Remove(b.made[i])
	}
}

// makeParents creates the directories above the target, and remembers which.
func (b *backup) makeParents() error {
	var missing []string
	for dir := b.fs.PathDir(b.target); ; dir = b.fs.PathDir(dir) {
		if _, err := b.fs.Stat(dir); err == nil || dir == b.fs.PathDir(dir) {
			break
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		missing = append(missing, dir)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := b.fs.MkdirAll(missing[i], faultfs.DirMode); err != nil {
			return err
		}
		b.made = append(b.made, missing[i])
		if err := syncDir(b.fs, b.fs.PathDir(missing[i])); err != nil {
			return err
		}
	}
	return nil
}

// copy makes the part: a checkpoint that is moved there or, if it cannot be
// moved, copied. A read-only store is copied from its own directory.
func (b *backup) copy(ctx context.Context) error {
	from := &b.from
	if from.ReadOnly {
		return b.copyFiles(ctx, from.Dir)
	}
	if err := from.Checkpoint(ctx, b.stage); err != nil {
		return err
	}
	if !from.InMemory && from.FS.Rename(b.stage, b.part) == nil {
		return syncDir(from.FS, from.Dir)
	}
	return b.copyFiles(ctx, b.stage)
}

// publish gives the copy its name.
func (b *backup) publish() error {
	if err := b.checkTarget(); err != nil {
		return err
	}
	if err := b.fs.Remove(b.target); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := b.fs.Rename(b.part, b.target); err != nil {
		return err
	}
	return syncDir(b.fs, b.fs.PathDir(b.target))
}
