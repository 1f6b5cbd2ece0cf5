//go:build !unix

package pebblekv

import "io"

func lockShared(string) (io.Closer, error) { return nothing{}, nil }

func lockedBy(string) (pid int) { return 0 }
