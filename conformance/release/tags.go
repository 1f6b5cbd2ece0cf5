package main

import (
	"context"
	"fmt"
	"os/exec"
	"path"
	"strings"
)

// tag records the copy as a commit, and tags it for each module: it creates all tags, or none if
// one of them exists.
func (r *release) tag(ctx context.Context) error {
	env := []string{"GIT_INDEX_FILE=" + r.tree + ".index", "GIT_WORK_TREE=" + r.tree}
	at := func(args ...string) (string, error) { return output(ctx, r.from.dir, env, "git", args...) }
	gitDir, err := r.from.git(ctx, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return err
	}
	env = append(env, "GIT_DIR="+gitDir)
	if _, err := at("add", "--all", "--force", "."); err != nil {
		return err
	}
	tree, err := at("write-tree")
	if err != nil {
		return err
	}
	commit, err := at("commit-tree", tree, "-p", r.from.commit, "-m", "Release "+r.number())
	if err != nil {
		return err
	}
	if err := r.createTags(ctx, commit); err != nil {
		return err
	}
	fmt.Fprintf(r.out, "tagged %s: git push origin %s\n", commit, strings.Join(r.tagNames(), " "))
	return nil
}

func (r *release) tagNames() (names []string) {
	for _, dir := range published {
		names = append(names, path.Join(dir, r.version))
	}
	return names
}

func (r *release) createTags(ctx context.Context, commit string) error {
	var all strings.Builder
	for _, name := range r.tagNames() {
		fmt.Fprintf(&all, "create refs/tags/%s %s\n", name, commit)
	}
	cmd := exec.CommandContext(ctx, "git", "update-ref", "--stdin")
	cmd.Dir, cmd.Stdin = r.from.dir, strings.NewReader(all.String())
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("tags: %w: %s", err, strings.TrimSpace(string(said)))
	}
	return nil
}
