package faultfs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"github.com/cockroachdb/pebble/v2"

	"github.com/hbasekv/hbasekv/kv"
)

// DiskError wraps an error of Pebble's with its kind (kv.ErrDiskFull,
// kv.ErrCorrupt, kv.ErrStorage), and names the damaged file. The kv package's
// own errors and a context's are returned as they are.
func DiskError(err error) error {
	switch {
	case err == nil, known(err):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: %w", kv.ErrDiskFull, err)
	case pebble.IsCorruptionError(err):
		return corruption(err)
	}
	return fmt.Errorf("%w: %w", kv.ErrStorage, err)
}

// known reports whether the error already has a kind.
func known(err error) bool {
	for _, own := range []error{
		kv.ErrClosed, kv.ErrReopened, kv.ErrReadOnly, kv.ErrFormat, kv.ErrCorrupt, kv.ErrDiskFull, kv.ErrStorage,
		kv.ErrFailed, kv.ErrOutcomeUnknown, kv.ErrBackupTarget, kv.ErrNoPartition, context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, own) {
			return true
		}
	}
	return false
}

func corruption(err error) error {
	if info := pebble.ExtractDataCorruptionInfo(err); info != nil {
		return fmt.Errorf("%w: %s: %w", kv.ErrCorrupt, filepath.Base(info.Path), info.Details)
	}
	return fmt.Errorf("%w: %w", kv.ErrCorrupt, err)
}
