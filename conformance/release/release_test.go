package main

import (
	"archive/zip"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }

const version = "v0.1.0"

// releasable is a clone of this repository whose changelog has a section for the version.
func releasable(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "clone")
	shell(t, "../..", nil, "git", "clone", "-q", ".", dir)
	name := filepath.Join(dir, "CHANGELOG.md")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	if checkChangelog(string(text), "0.1.0") != nil {
		changed := strings.Replace(string(text), "\n## [Unreleased]\n", "\n## [0.1.0] - 2026-11-28\n", 1)
		require.NoError(t, os.WriteFile(name, []byte(changed), 0o644))
		shell(t, dir, nil, "git", "-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "-qam", "Date the section")
	}
	shell(t, dir, nil, "git", "config", "user.name", "test")
	shell(t, dir, nil, "git", "config", "user.email", "test@localhost")
	return dir
}

// shell is what a program prints; the program must succeed.
func shell(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %v: %s", name, args, out)
	return string(out)
}

func makeRelease(t *testing.T, dir string, args ...string) {
	t.Helper()
	require.NoError(t, run(context.Background(), dir, args, io.Discard))
}

// TestRefuses: what must not be released is refused.
func TestRefuses(t *testing.T) {
	dir := releasable(t)
	full := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(full, "older"), nil, 0o600))
	for args, want := range map[string]string{
		"":                              "usage",
		"-none v0.1.0":                  "usage",
		"v0.1.0 v0.1.1":                 "usage",
		"0.1.0":                         "not a version of a Go module",
		"v0.1":                          "not a version of a Go module",
		"v0.1.0+more":                   "not a version of a Go module",
		"v2.0.0":                        "/v2",
		"v9.9.9":                        "/v9",
		"v0.9.9":                        `no section for the version: rename [Unreleased] "## [0.9.9] - `,
		"-proxy " + full + " v0.1.0":    "is not empty",
		"-archives " + full + " v0.1.0": "is not empty",
		"-targets plan9/386 v0.1.0":     `"plan9/386" is not one of linux/amd64`,
	} {
		require.ErrorContains(t, run(context.Background(), dir, strings.Fields(args), io.Discard), want, args)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "new.go"), nil, 0o600))
	require.ErrorContains(t, run(context.Background(), dir, []string{version}, io.Discard), "new.go")
	require.Error(t, run(context.Background(), full, []string{version}, io.Discard), "it is no repository")
}

func TestChangelog(t *testing.T) {
	for text, want := range map[string]string{
		"# C\n\n## [0.1.0] - 2026-11-28\n\n### Added\n\n- a\n":                        "",
		"# C\n\n## [0.1.0] - 2026-11-28\n\n### Added\n\n## [0.0.1] - 2026-1-1\n- a\n": "is empty",
		"# C\n\n## [0.1.0]\n\n- a\n":                                                  "needs its date",
		"# C\n\n## [0.1.0] - soon\n\n- a\n":                                           "needs its date",
		"# C\n\n## [0.1.00] - 2026-11-28\n\n- a\n":                                    "no section",
		"": "no section",
	} {
		err := checkChangelog(text, "0.1.0")
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want, text)
	}
}

// TestPublish checks the modules in the proxy: their content, their requirements, and that what the
// go command makes of the tags has the same checksums.
func TestPublish(t *testing.T) {
	if !*install {
		t.Skip("it asks the go command about every module: -install")
	}
	dir, proxy := releasable(t), filepath.Join(t.TempDir(), "proxy")
	makeRelease(t, dir, "-proxy", proxy, "-tag", version)
	require.Empty(t, shell(t, dir, nil, "git", "status", "--porcelain"))
	require.ErrorContains(t, run(context.Background(), dir, []string{"-tag", version}, io.Discard), "already exists")
	require.Len(t, strings.Fields(shell(t, dir, nil, "git", "tag")), len(published))
	for _, folder := range published {
		versions := filepath.Join(proxy, modulePath(folder), "@v")
		mod, err := os.ReadFile(filepath.Join(versions, version+".mod"))
		require.NoError(t, err)
		require.NotContains(t, string(mod), "replace")
		require.NotContains(t, string(mod), root+" v0.0.0")
		requireModule(t, modulePath(folder), filepath.Join(versions, version+".zip"))
	}
	requireTags(t, dir, proxy)
}

// requireModule checks that a module has no files that are not its own.
func requireModule(t *testing.T, module, name string) {
	archive, err := zip.OpenReader(name)
	require.NoError(t, err)
	defer archive.Close()
	license := false
	for _, f := range archive.File {
		inside, ok := strings.CutPrefix(f.Name, module+"@"+version+"/")
		require.True(t, ok, f.Name)
		license = license || inside == "LICENSE"
		if module == root {
			for _, folder := range append([]string{"conformance", "docs/examples"}, published[1:]...) {
				require.False(t, strings.HasPrefix(inside, folder+"/"), f.Name)
			}
		}
	}
	require.True(t, license, module)
}

// requireTags makes the go command build the modules from the tags.
func requireTags(t *testing.T, dir, proxy string) {
	home := t.TempDir()
	config := "[url \"file://" + dir + "\"]\n\tinsteadOf = https://" + root + "\n[safe]\n\tdirectory = *\n"
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600))
	env := []string{"HOME=" + home, "GOPATH=" + home + "/go", "GOMODCACHE=", "GOFLAGS=-modcacherw", "GOWORK=off", "GOSUMDB=off"}
	sumOf := func(folder, proxy string) string {
		var made struct{ Sum, GoModSum string }
		said := shell(t, home, append(env, "GOPROXY="+proxy, "GOMODCACHE="+t.TempDir()), "go", "mod", "download", "-json",
			modulePath(folder)+"@"+version)
		require.NoError(t, json.Unmarshal([]byte(said), &made), said)
		require.NotEmpty(t, made.Sum)
		return made.Sum + " " + made.GoModSum
	}
	for _, folder := range published {
		require.Equal(t, sumOf(folder, "file://"+proxy), sumOf(folder, "direct"), folder)
	}
}
