package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

// root is the path of the library's module.
const root = "github.com/hbasekv/hbasekv"

// command is the folder of the command, which is a module.
const command = "driver/cmd/hbasekv"

// published are the folders of the released modules, each after those that it requires.
var published = []string{".", "kv/hbase", "driver/mysqlserver", "driver/hbaseserver", command}

func modulePath(folder string) string { return path.Join(root, folder) }

// publish writes the modules to the proxy, and their mutual requirements to the copy.
func (r *release) publish() error {
	var done []sums
	for _, folder := range published {
		at := module.Version{Path: modulePath(folder), Version: r.version}
		if err := r.rewrite(folder, done, true); err != nil {
			return err
		}
		made, err := r.write(at, filepath.Join(r.tree, folder))
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		fmt.Fprintln(r.out, "module", at)
		done = append(done, made)
	}
	others, err := otherModules(r.tree)
	if err != nil {
		return err
	}
	for _, folder := range others {
		if err := r.rewrite(folder, nil, false); err != nil {
			return err
		}
	}
	return nil
}

// otherModules are the folders of the modules that are not published. They keep their replace
// directives.
func otherModules(tree string) (folders []string, err error) {
	err = filepath.WalkDir(tree, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() != "go.mod" {
			return err
		}
		folder, err := filepath.Rel(tree, filepath.Dir(name))
		if folder = filepath.ToSlash(folder); !slices.Contains(published, folder) {
			folders = append(folders, folder)
		}
		return err
	})
	return folders, err
}

// rewrite makes a module of the copy require the others at the version: a published one those in
// the proxy, with their checksums, another one those in the copy.
func (r *release) rewrite(folder string, done []sums, publish bool) error {
	name := filepath.Join(r.tree, folder, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	mod, err := modfile.Parse(name, text, nil)
	if err != nil {
		return err
	}
	if publish {
		if err := dropReplace(mod); err != nil {
			return err
		}
	}
	needs, err := r.require(mod, done, publish)
	if err != nil {
		return err
	}
	mod.Cleanup()
	if text, err = mod.Format(); err != nil {
		return err
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return err
	}
	if !publish {
		return nil
	}
	if err := addSums(filepath.Join(r.tree, folder, "go.sum"), needs); err != nil {
		return err
	}
	return r.copyLicense(folder)
}

// dropReplace removes the replace directives for this repository's modules; there must be no others.
func dropReplace(mod *modfile.File) error {
	for _, each := range mod.Replace {
		if !ours(each.Old.Path) {
			return fmt.Errorf("%s has a replace of %s, which does not apply when the module is installed", mod.Module.Mod.Path, each.Old.Path)
		}
		if err := mod.DropReplace(each.Old.Path, each.Old.Version); err != nil {
			return err
		}
	}
	return nil
}

func ours(modulePath string) bool {
	return modulePath == root || strings.HasPrefix(modulePath, root+"/")
}

// require makes a module require the others at the version, and returns their checksums.
func (r *release) require(mod *modfile.File, done []sums, publish bool) (needs []sums, err error) {
	made := map[string]sums{}
	for _, each := range done {
		made[each.module.Path] = each
	}
	for _, each := range mod.Require {
		if !ours(each.Mod.Path) {
			continue
		}
		sums, ok := made[each.Mod.Path]
		if publish && !ok {
			return nil, fmt.Errorf("%s requires %s, which comes after it in the list of what is published",
				mod.Module.Mod.Path, each.Mod.Path)
		}
		needs = append(needs, sums)
		if err := mod.AddRequire(each.Mod.Path, r.version); err != nil {
			return nil, err
		}
	}
	return needs, nil
}

// copyLicense copies the licence to a module that is not the root, because for one without a
// licence the go command adds the repository's to what it makes of a tag.
func (r *release) copyLicense(folder string) error {
	text, err := os.ReadFile(filepath.Join(r.tree, "LICENSE"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.tree, folder, "LICENSE"), text, 0o644)
}

// write writes a module to the proxy, and returns its checksums.
func (r *release) write(at module.Version, dir string) (s sums, err error) {
	escaped, err := module.EscapePath(at.Path)
	if err != nil {
		return s, err
	}
	versions := filepath.Join(r.proxy, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(versions, 0o755); err != nil {
		return s, err
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return s, err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{at.Version, r.from.time})
	if err != nil {
		return s, err
	}
	for name, text := range map[string][]byte{"list": []byte(at.Version + "\n"), at.Version + ".info": info, at.Version + ".mod": mod} {
		if err := os.WriteFile(filepath.Join(versions, name), text, 0o644); err != nil {
			return s, err
		}
	}
	archive := filepath.Join(versions, at.Version+".zip")
	if err := zipModule(archive, at, dir); err != nil {
		return s, err
	}
	return sumsOf(at, archive, mod)
}

func zipModule(name string, at module.Version, dir string) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := zip.CreateFromDir(file, at, dir); err != nil {
		return err
	}
	return file.Close()
}

// verify lets the go command check that the modules in the proxy are complete.
func (r *release) verify(ctx context.Context) error {
	for _, folder := range published {
		if _, err := output(ctx, filepath.Join(r.tree, folder), r.goEnv(), "go", "mod", "tidy", "-diff"); err != nil {
			return fmt.Errorf("%s: %w", modulePath(folder), err)
		}
	}
	return nil
}

// goEnv makes the go command take our modules from the proxy, and others as usual, but into a
// directory of this run: what is not released yet must not stay in the module cache.
func (r *release) goEnv() []string {
	return []string{"GOWORK=off", "GOFLAGS=-trimpath -modcacherw -buildvcs=false", "GOTOOLCHAIN=local",
		"GOPATH=" + filepath.Join(r.scratch, "go"), "GOMODCACHE=" + filepath.Join(r.scratch, "go", "pkg", "mod"), "GOBIN=",
		"GOPROXY=" + r.proxies, "GONOSUMDB=" + root + "," + root + "/*", "GONOPROXY=none", "GOPRIVATE="}
}

// sums are the checksums of a module in go.sum.
type sums struct {
	module   module.Version
	zip, mod string
}

func sumsOf(at module.Version, archive string, mod []byte) (sums, error) {
	zipSum, err := dirhash.HashZip(archive, dirhash.Hash1)
	if err != nil {
		return sums{}, err
	}
	modSum, err := dirhash.Hash1([]string{"go.mod"}, opener(mod))
	return sums{at, zipSum, modSum}, err
}
