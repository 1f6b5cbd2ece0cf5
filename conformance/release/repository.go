package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// repository is the repository to release, at the commit that is checked out.
type repository struct {
	dir    string
	commit string
	time   time.Time // of the commit, in UTC
}

func openRepository(ctx context.Context, dir string) (*repository, error) {
	top, err := output(ctx, dir, nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	r := &repository{dir: top}
	if r.commit, err = r.git(ctx, "rev-parse", "HEAD"); err != nil {
		return nil, err
	}
	text, err := r.git(ctx, "show", "-s", "--format=%cI", "HEAD")
	if err != nil {
		return nil, err
	}
	at, err := time.Parse(time.RFC3339, text)
	r.time = at.UTC()
	return r, err
}

func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	return output(ctx, r.dir, nil, "git", args...)
}

// check refuses what must not be released.
func (r *repository) check(ctx context.Context, version string) error {
	switch {
	case !semver.IsValid(version) || semver.Canonical(version) != version:
		return fmt.Errorf("%q is not a version of a Go module: write it as v0.1.0 or v0.2.0-rc.1", version)
	case semver.Compare(semver.Major(version), "v1") > 0:
		return fmt.Errorf("%s: the module paths must end with /%s", version, semver.Major(version))
	}
	changes, err := r.git(ctx, "status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" {
		return fmt.Errorf("the working tree differs from the commit: commit or remove\n%s", changes)
	}
	log, err := os.ReadFile(filepath.Join(r.dir, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	return checkChangelog(string(log), strings.TrimPrefix(version, "v"))
}

// checkChangelog looks for the version's section, with a date and with entries.
func checkChangelog(text, number string) error {
	heading := regexp.MustCompile(`(?m)^## \[` + regexp.QuoteMeta(number) + `\](.*)$`)
	at := heading.FindStringSubmatchIndex(text)
	if at == nil {
		return fmt.Errorf("CHANGELOG.md has no section for the version: rename [Unreleased] "+
			"\"## [%s] - %s\"", number, time.Now().Format(time.DateOnly))
	}
	date := strings.TrimPrefix(strings.TrimSpace(text[at[2]:at[3]]), "- ")
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return fmt.Errorf("CHANGELOG.md: the section [%s] needs its date, as in \"## [%s] - %s\"",
			number, number, time.Now().Format(time.DateOnly))
	}
	section, _, _ := strings.Cut(text[at[1]:], "\n## ")
	if !strings.Contains(section, "\n- ") {
		return fmt.Errorf("CHANGELOG.md: the section [%s] is empty", number)
	}
	return nil
}

// copyTo writes the files of the commit to a directory.
func (r *repository) copyTo(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	index := []string{"GIT_INDEX_FILE=" + dir + ".index"}
	if _, err := output(ctx, r.dir, index, "git", "read-tree", r.commit); err != nil {
		return err
	}
	_, err := output(ctx, r.dir, index, "git", "checkout-index", "--all", "--prefix="+dir+"/")
	return err
}

// output is what a program prints, without trailing white space.
func output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		said := errors.New(strings.TrimSpace(string(out) + stderr.String()))
		return "", fmt.Errorf("%s %s: %w: %w", name, strings.Join(args, " "), err, said)
	}
	return strings.TrimSpace(string(out)), nil
}
