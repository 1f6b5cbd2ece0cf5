package backup

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hbasekv/hbasekv/kv/pebblekv/internal/faultfs"
)

// copyChunk is how many bytes are copied between two checks of the context.
const copyChunk = 1 << 20

// copyFiles copies the files of a directory that nobody writes to. Table files are
// linked if possible.
func (b *backup) copyFiles(ctx context.Context, dir string) error {
	from, to, target := b.from.FS, b.fs, b.part
	names, err := from.List(dir)
	if err != nil {
		return err
	}
	slices.Sort(names)
	if err := to.MkdirAll(target, faultfs.DirMode); err != nil {
		return err
	}
	for _, name := range names {
		if name == "LOCK" || b.from.Skip(name) {
			continue
		}
		src, dst := from.PathJoin(dir, name), to.PathJoin(target, name)
		if strings.HasSuffix(name, ".sst") && from == to && from.Link(src, dst) == nil {
			continue
		}
		if err := copyFile(ctx, from, src, to, dst); err != nil {
			return err
		}
	}
	return syncDir(to, target)
}

func copyFile(ctx context.Context, from vfs.FS, src string, to vfs.FS, dst string) error {
	in, err := from.Open(src, vfs.SequentialReadsOption)
	if err != nil {
		return err
	}
	out, err := to.Create(dst, vfs.WriteCategoryUnspecified)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	for err == nil {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(out, in, copyChunk)
		}
	}
	if err == io.EOF {
		err = out.Sync()
	}
	return errors.Join(err, out.Close(), in.Close())
}

func syncDir(fs vfs.FS, dir string) error {
	d, err := fs.OpenDir(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
