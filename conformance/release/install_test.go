package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"debug/elf"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
)

var (
	install  = flag.Bool("install", false, "install a release in an empty home, and run what it installs")
	archived = flag.String("install.archives", "", "the archives to build too, such as linux/amd64,windows/arm64")
)

// home is the home of a new user, who has Go and a directory of modules.
type home struct {
	t   *testing.T
	dir string
	env []string
}

// newHome is an empty home. Compilation uses the cache of this machine, because it would
// otherwise take minutes.
func newHome(t *testing.T, proxy string) *home {
	dir := t.TempDir()
	cache := strings.TrimSpace(shell(t, "", nil, "go", "env", "GOCACHE"))
	all, err := proxies(context.Background(), proxy)
	require.NoError(t, err)
	return &home{t, dir, []string{"HOME=" + dir, "GOPATH=" + dir + "/go", "GOMODCACHE=", "GOBIN=", "GOENV=off", "GOWORK=off",
		"GOTOOLCHAIN=local", "GOFLAGS=-trimpath -modcacherw", "GOCACHE=" + cache, "GOPROXY=" + all, "GOSUMDB=off", "CGO_ENABLED=0"}}
}

func (h *home) run(name string, args ...string) string {
	h.t.Helper()
	if name == "hbasekv" {
		name = filepath.Join(h.dir, "go", "bin", name)
	}
	return shell(h.t, h.dir, h.env, name, args...)
}

// lowestGo puts the oldest Go that the modules support first in the path. It is downloaded unless
// the go command has it.
func lowestGo(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	require.NoError(t, err)
	mod, err := modfile.Parse("go.mod", text, nil)
	require.NoError(t, err)
	root, err := output(context.Background(), "", []string{"GOROOT=", "GOTOOLCHAIN=go" + mod.Go.Version}, "go", "env", "GOROOT")
	require.NoError(t, err)
	t.Setenv("PATH", filepath.Join(root, "bin")+":"+os.Getenv("PATH"))
	t.Setenv("GOROOT", root)
	t.Setenv("GOTOOLCHAIN", "local")
	require.Contains(t, shell(t, "", nil, "go", "version"), " go"+strings.TrimSuffix(mod.Go.Version, ".0"))
}

// TestInstall makes a release with the oldest Go, and does what a new user would: gets the driver
// and runs the program on the first page, installs the command, runs the demo, and opens a store
// of an earlier format.
func TestInstall(t *testing.T) {
	if !*install {
		t.Skip("it compiles everything: -install")
	}
	clone, proxy := releasable(t), filepath.Join(t.TempDir(), "proxy")
	lowestGo(t)
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOPROXY", "off") // modules come from the cache
	args := []string{"-proxy", proxy, version}
	dist := filepath.Join(t.TempDir(), "dist")
	if *archived != "" {
		args = append([]string{"-archives", dist, "-targets", *archived}, args...)
	}
	makeRelease(t, clone, args...)
	h := newHome(t, proxy)
	t.Run("driver", func(t *testing.T) { h.driver(t) })
	t.Run("command", func(t *testing.T) { h.command(t) })
	if *archived != "" {
		t.Run("archives", func(t *testing.T) { requireArchives(t, clone, dist) })
	}
}

// driver runs the README's program.
func (h *home) driver(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	program := regexp.MustCompile("(?s)```go\n(package main\n.*?)```").FindSubmatch(page)
	require.NotNil(t, program)
	require.NoError(t, os.WriteFile(filepath.Join(h.dir, "main.go"), program[1], 0o600))
	h.run("go", "mod", "init", "try")
	h.run("go", "get", root+"/driver")
	require.NotEmpty(t, h.run("go", "run", "."))
}

// command installs the command, and runs it outside of any clone.
func (h *home) command(t *testing.T) {
	h.run("go", "install", modulePath(command)+"@"+version)
	require.Regexp(t, `^hbasekv v0\.1\.0 go`, h.run("hbasekv", "version"))
	require.Contains(t, h.run("hbasekv", "demo"), "hbasekv sql ./demo")
	older := filepath.Join(h.dir, "older")
	require.NoError(t, os.CopyFS(older, os.DirFS("../stores/testdata/format1")))
	for range 2 { // as it is, and after the first opening for writing
		require.NotContains(t, h.run("hbasekv", "check", older), "error")
		require.Contains(t, h.run("hbasekv", "sql", older, "-e", "SELECT name FROM other.people WHERE id = 1"), "Ada")
	}
	h.run("hbasekv", "sql", older, "-e", "INSERT INTO other.people (name) VALUES ('Emmy')")
}

// requireArchives compares the archives with their checksums and with those of a second build, and
// runs the command in the one for this system.
func requireArchives(t *testing.T, clone, dist string) {
	list, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
	require.NoError(t, err)
	for line := range strings.Lines(string(list)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		packed, err := os.ReadFile(filepath.Join(dist, name))
		require.NoError(t, err)
		require.Equal(t, sum, fmt.Sprintf("%x", sha256.Sum256(packed)), name)
	}
	name := fmt.Sprintf("hbasekv_0.1.0_%s_%s", runtime.GOOS, runtime.GOARCH)
	again := filepath.Join(t.TempDir(), "again")
	makeRelease(t, clone, "-archives", again, "-targets", host().String(), version)
	second, err := os.ReadFile(filepath.Join(again, "SHA256SUMS"))
	require.NoError(t, err)
	require.Contains(t, string(list), string(second), "it is not built as the same bytes twice")

	dir := t.TempDir()
	unpack(t, filepath.Join(dist, name+".tar.gz"), dir)
	for _, want := range []string{"LICENSE", "README.md", "completions/_hbasekv", "completions/hbasekv.bash",
		"completions/hbasekv.fish", "completions/hbasekv.ps1", "container/Containerfile", "container/compose.yaml",
		"container/prometheus.yml", "container/rootfs/data", "container/rootfs/tmp"} {
		_, err := os.Stat(filepath.Join(dir, name, want))
		require.NoError(t, err)
	}
	binary := filepath.Join(dir, name, "hbasekv")
	require.Regexp(t, `^hbasekv v0\.1\.0 go`, shell(t, dir, nil, binary, "version"))
	require.Contains(t, shell(t, dir, nil, binary, "sql", ":memory:", "-e", "SET time_zone = 'Europe/Oslo'; SELECT 1 + 1"), "2")
	program, err := elf.Open(binary)
	require.NoError(t, err)
	defer program.Close()
	libraries, err := program.ImportedLibraries()
	require.NoError(t, err)
	require.Empty(t, libraries, "it is not static")
	requireImage(t, filepath.Join(dir, name), "hbasekv "+version)
}

func unpack(t *testing.T, name, dir string) {
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	plain, err := gzip.NewReader(file)
	require.NoError(t, err)
	for archive := tar.NewReader(plain); ; {
		f, err := archive.Next()
		if err == io.EOF {
			return
		}
		require.NoError(t, err)
		into := filepath.Join(dir, filepath.FromSlash(f.Name))
		if f.Typeflag == tar.TypeDir {
			require.NoError(t, os.MkdirAll(into, 0o755))
			continue
		}
		data, err := io.ReadAll(archive)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(into), 0o755))
		require.NoError(t, os.WriteFile(into, data, f.FileInfo().Mode()))
	}
}
