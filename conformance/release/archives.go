package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// archive builds the command for each target from the modules in the proxy, and writes an archive
// for each, and the checksums of all, to a directory.
func (r *release) archive(ctx context.Context, dir string, targets []target) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	common, err := r.commonFiles(ctx)
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, t := range targets {
		binary, err := r.build(ctx, t)
		if err != nil {
			return err
		}
		name, packed, err := r.pack(t, binary, common)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), packed, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&list, "%x  %s\n", sha256.Sum256(packed), name)
		fmt.Fprintf(r.out, "archive %s (%d MiB)\n", name, len(packed)>>20)
	}
	return os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(list.String()), 0o644)
}

// build returns the path of the command built for a target. It is built as go install of the
// version builds it, so that it knows its version and anyone can build the same bytes.
func (r *release) build(ctx context.Context, t target) (string, error) {
	env := append(r.goEnv(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
	_, err := output(ctx, r.scratch, env, "go", "install", "-ldflags=-s -w", modulePath(command)+"@"+r.version)
	if err != nil {
		return "", fmt.Errorf("%s: %w", t, err)
	}
	dir := filepath.Join(r.scratch, "go", "bin")
	if t != host() {
		dir = filepath.Join(dir, t.os+"_"+t.arch)
	}
	return filepath.Join(dir, t.binary()), nil
}

// host is the system on which this runs.
func host() target { return target{runtime.GOOS, runtime.GOARCH} }

// file is a file of an archive, or a directory if its mode says so.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

// commonFiles are the files in every archive.
func (r *release) commonFiles(ctx context.Context) (files []file, err error) {
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(filepath.Join(r.tree, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, 0o644, data})
	}
	binary, err := r.build(ctx, host())
	if err != nil {
		return nil, err
	}
	for shell, name := range map[string]string{"bash": "hbasekv.bash", "zsh": "_hbasekv", "fish": "hbasekv.fish", "powershell": "hbasekv.ps1"} {
		script, err := output(ctx, r.scratch, nil, binary, "completion", shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{path.Join("completions", name), 0o644, []byte(script + "\n")})
	}
	return files, nil
}

// containerFiles are the files from which an image for Linux is built.
func (r *release) containerFiles() (files []file, err error) {
	const from = "docs/container"
	entries, err := os.ReadDir(filepath.Join(r.tree, from))
	if err != nil {
		return nil, err
	}
	for _, each := range entries {
		data, err := os.ReadFile(filepath.Join(r.tree, from, each.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, file{path.Join("container", each.Name()), 0o644, data})
	}
	for _, empty := range []string{"data", "tmp"} {
		files = append(files, file{path.Join("container/rootfs", empty), fs.ModeDir | 0o755, nil})
	}
	return files, nil
}
