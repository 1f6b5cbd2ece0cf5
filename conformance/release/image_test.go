package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireImage builds an image in the directory of an unpacked archive, if buildah is installed, and runs the
// command in it: buildah needs no daemon.
func requireImage(t *testing.T, dir, version string) {
	t.Helper()
	if _, err := exec.LookPath("buildah"); err != nil {
		t.Log("no image is built: buildah is not installed")
		return
	}
	storage := []string{"--storage-driver", "vfs", "--root", t.TempDir(), "--runroot", t.TempDir()}
	buildah := func(args ...string) string {
		return shell(t, dir, nil, "buildah", append(storage, args...)...)
	}
	buildah("build", "-q", "--isolation", "chroot", "--format", "docker", "-t", "hbasekv", "-f", "container/Containerfile", ".")
	name := strings.TrimSpace(buildah("from", "localhost/hbasekv"))
	run := func(args ...string) string {
		return buildah(append([]string{"run", "--isolation", "chroot", name, "--", "/usr/bin/hbasekv"}, args...)...)
	}
	require.Contains(t, run("version"), version)
	require.Contains(t, run("sql", "/data/store", "-e", "CREATE TABLE t (n int PRIMARY KEY); INSERT INTO t VALUES (7); SELECT n + 1 FROM t"), "8")
}
