package pebblekv

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"iter"
	"strings"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/backup"
	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/bulk"
)

// Prefixes of the names of directories for backups under way, and for files of bulk loads and of transactions
// larger than their memory. The next Open removes those that a crash has left.
const (
	stagePrefix = "hbasekv.backup-"
	loadPrefix  = "hbasekv.load-"
)

// Backup implements kv.Backuper. On the store's own file system the copy shares the table files, which are
// never rewritten, by hard links. The copy gets its name as the last step, so that a crash never leaves an
// incomplete one under that name. A store in memory is copied to the operating system's files.
func (s *Store) Backup(ctx context.Context, dir string) error {
	return s.during(ctx, func(ctx context.Context) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := s.failed.Err(); err != nil {
			return err
		}
		return backup.Make(ctx, backup.Source{
			FS: s.opts.FS, Dir: s.opts.Dir, Stage: stagePrefix, Skip: isStage,
			InMemory: s.opts.InMemory, ReadOnly: s.opts.ReadOnly, Checkpoint: s.checkpoint,
		}, dir)
	})
}

// checkpoint makes a Pebble checkpoint, which links the tables and copies the log. Pebble copies the log
// without a lock, so nothing may be written meanwhile; the flush before makes that short.
func (s *Store) checkpoint(ctx context.Context, dir string) error {
	if err := s.flush(ctx); err != nil {
		return err
	}
	s.txns.Commits.Lock()
	defer s.txns.Commits.Unlock()
	err := s.db.Checkpoint(dir, pebble.WithFlushedWAL())
	if s.guard != nil {
		err = errors.Join(err, s.guard.StageError(dir))
	}
	return errors.Join(err, s.failed.Err())
}

// dropStages removes what interrupted backups, bulk loads and transactions have left.
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

// isStage reports whether the name is that of a directory for work under way.
func isStage(name string) bool {
	return strings.HasPrefix(name, stagePrefix) || strings.HasPrefix(name, loadPrefix)
}

// newStage returns the name of a new directory for files that the store will ingest.
func (s *Store) newStage() string { return s.opts.FS.PathJoin(s.opts.Dir, loadPrefix+rand.Text()[:8]) }

// BulkLoad implements kv.BulkLoader.
func (s *Store) BulkLoad(
	ctx context.Context, tables []*kv.Table, cells iter.Seq2[kv.Cell, error], o kv.BulkOptions,
) (stats kv.BulkStats, err error) {
	err = s.during(ctx, func(ctx context.Context) error {
		if err := s.writable(ctx); err != nil {
			return err
		}
		o.LockTimeout = cmp.Or(max(o.LockTimeout, 0), s.opts.LockTimeout)
		to := bulk.Target{Engine: &s.engine, Txns: &s.txns, Host: door{s}, Limits: bulk.StoreLimits}
		stats, err = bulk.Load(ctx, to, tables, cells, o)
		return err
	})
	if err == nil {
		go s.filesChanged()
	}
	return stats, err
}
