//go:build !unix

package dirlock

import "io"

func lockShared(string) (io.Closer, error) { return nothing{}, nil }

func lockedBy(string) (pid int) { return 0 }
