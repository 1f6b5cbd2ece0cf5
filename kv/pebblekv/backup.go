package pebblekv

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// stagePrefix begins the names of directories in which a backup is put
// together. One that a crash has left behind is removed by the next Open.
const stagePrefix = "hbasekv.backup-"

// Backup implements kv.Backuper. On the store's own file system the table files,
// which are never written again, are shared with the copy by hard links. The
// copy gets its name as the last step, so that a crash never leaves half of one
// under it. A store in memory is copied to the operating system's files.
func (s *Store) Backup(ctx context.Context, dir string) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.exit()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.failed.Err(); err != nil {
		return err
	}
	ctx, cancel := s.untilClose(ctx)
	defer cancel()
	b, err := s.newBackup(dir)
	if err != nil {
		return err
	}
	if err := b.run(ctx); err != nil {
		return s.orClosed(faultfs.DiskError(fmt.Errorf("the backup to %s: %w", dir, err)))
	}
	return nil
}

// backup is one copy being made.
type backup struct {
	store  *Store
	fs     vfs.FS // of the target
	target string
	part   string // the copy before it has its name
	stage  string // the checkpoint before it is there
	made   []string
}

func (s *Store) newBackup(dir string) (*backup, error) {
	b := &backup{store: s, fs: s.opts.FS, target: dir}
	if s.opts.InMemory {
		b.fs = vfs.Default
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
	b.stage = s.opts.FS.PathJoin(s.opts.Dir, stagePrefix+suffix[1:])
	return b, b.checkTarget()
}

// checkTarget refuses a directory with something in it.
func (b *backup) checkTarget() error {
	if own := b.store.opts.Dir; !b.store.opts.InMemory && (b.target == own || strings.HasPrefix(b.target, own+string(filepath.Separator))) {
		return fmt.Errorf("%w: %s is the store's own", kv.ErrBackupTarget, b.target)
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
		err = fmt.Errorf("%w: %s holds %s", kv.ErrBackupTarget, b.target, names[0])
	}
	return faultfs.DiskError(err)
}

// run makes the copy; where it fails, what it has made is removed.
func (b *backup) run(ctx context.Context) (err error) {
	defer func() {
		err = errors.Join(err, b.store.opts.FS.RemoveAll(b.stage))
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

// undo cannot do more than try: the error that is told is the one before.
func (b *backup) undo() {
	_ = b.fs.RemoveAll(b.part)
	for i := len(b.made) - 1; i >= 0; i-- {
		_ = b.fs.Remove(b.made[i])
	}
}

// makeParents makes the directories above the target, and remembers which.
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
		if err := b.fs.MkdirAll(missing[i], 0o755); err != nil {
			return err
		}
		b.made = append(b.made, missing[i])
		if err := syncDir(b.fs, b.fs.PathDir(missing[i])); err != nil {
			return err
		}
	}
	return nil
}

// copy makes the part: a checkpoint moved there or, where it cannot be moved,
// copied. What is read-only is copied from its place.
func (b *backup) copy(ctx context.Context) error {
	o := &b.store.opts
	if o.ReadOnly {
		return copyStore(ctx, o.FS, o.Dir, b.fs, b.part)
	}
	if err := b.store.checkpoint(ctx, b.stage); err != nil {
		return err
	}
	if !o.InMemory && o.FS.Rename(b.stage, b.part) == nil {
		return syncDir(o.FS, o.Dir)
	}
	return copyStore(ctx, o.FS, b.stage, b.fs, b.part)
}

// checkpoint is Pebble's, which links the tables and copies the log. It copies
// the log without regard to who writes to it, so that nobody may; the flush
// before makes that short.
func (s *Store) checkpoint(ctx context.Context, dir string) error {
	if err := s.flush(ctx); err != nil {
		return err
	}
	s.commits.Lock()
	defer s.commits.Unlock()
	err := s.db.Checkpoint(dir, pebble.WithFlushedWAL())
	if s.guard != nil {
		err = errors.Join(err, s.guard.StageError(dir))
	}
	return errors.Join(err, s.failed.Err())
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

// dropStages removes what backups and bulk loads that a crash cut short have
// left behind.
func (o *Options) dropStages() error {
	names, err := o.FS.List(o.Dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if isStage(name) {
			err = errors.Join(err, o.FS.RemoveAll(o.FS.PathJoin(o.Dir, name)))
		}
	}
	return err
}

// isStage reports whether the name is that of a directory for something that is
// under way.
func isStage(name string) bool {
	return strings.HasPrefix(name, stagePrefix) || strings.HasPrefix(name, bulkPrefix)
}
