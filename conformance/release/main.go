package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, ".", os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// request is what the command line asks for.
type request struct {
	version  string
	proxy    string // the directory of the proxy; empty for a temporary one
	archives string // the directory of the archives; empty for none
	targets  []target
	tag      bool
}

func parseRequest(args []string) (*request, error) {
	r := &request{}
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&r.proxy, "proxy", "", "the directory to write a module proxy to")
	flags.StringVar(&r.archives, "archives", "", "the directory to write archives of the command to")
	flags.BoolVar(&r.tag, "tag", false, "tag the modules")
	targets := flags.String("targets", allTargets, "the systems to build archives for")
	err := flags.Parse(args)
	if err == nil && flags.NArg() != 1 {
		err = errors.New("give one version, such as v0.1.0, after the flags")
	}
	if err != nil {
		return nil, fmt.Errorf("%w\nusage: release [-proxy DIR] [-archives DIR] [-targets %s] [-tag] VERSION", err, allTargets)
	}
	r.version = flags.Arg(0)
	if r.targets, err = parseTargets(*targets); err != nil {
		return nil, err
	}
	for _, dir := range []*string{&r.proxy, &r.archives} {
		if err := absent(dir); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// absent makes the name of a directory absolute. It must be missing or empty, because files of
// another version would be taken for part of this one.
func absent(dir *string) (err error) {
	if *dir == "" {
		return nil
	}
	if *dir, err = filepath.Abs(*dir); err != nil {
		return err
	}
	entries, err := os.ReadDir(*dir)
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty", *dir)
	}
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return err
}

// run makes a release of the repository that contains dir.
func run(ctx context.Context, dir string, args []string, out io.Writer) error {
	asked, err := parseRequest(args)
	if err != nil {
		return err
	}
	from, err := openRepository(ctx, dir)
	if err != nil {
		return err
	}
	if err := from.check(ctx, asked.version); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "hbasekv-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	made := &release{version: asked.version, from: from, out: out,
		tree: filepath.Join(scratch, "tree"), proxy: asked.proxy, scratch: scratch}
	if made.proxy == "" {
		made.proxy = filepath.Join(scratch, "proxy")
	}
	if made.proxies, err = proxies(ctx, made.proxy); err != nil {
		return err
	}
	return made.make(ctx, asked)
}

// release is a release in the making.
type release struct {
	version string
	from    *repository
	tree    string // a copy of the commit
	proxy   string
	proxies string // GOPROXY: this one, and those for other modules
	scratch string // a directory that is removed after the run
	out     io.Writer
}

func (r *release) make(ctx context.Context, asked *request) error {
	if err := r.from.copyTo(ctx, r.tree); err != nil {
		return err
	}
	if err := r.publish(); err != nil {
		return err
	}
	if err := r.verify(ctx); err != nil {
		return err
	}
	if asked.archives != "" {
		if err := r.archive(ctx, asked.archives, asked.targets); err != nil {
			return err
		}
	}
	if asked.tag {
		return r.tag(ctx)
	}
	return nil
}

// proxies is a GOPROXY with the proxy, the module cache, and the user's own GOPROXY.
func proxies(ctx context.Context, proxy string) (string, error) {
	said, err := output(ctx, "", nil, "go", "env", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return "", err
	}
	cache, others, _ := strings.Cut(said, "\n")
	all := fmt.Sprintf("file://%s,file://%s/cache/download", filepath.ToSlash(proxy), filepath.ToSlash(cache))
	if others != "off" {
		all += "," + others
	}
	return all, nil
}

// number is the version without its v, as it is written outside of Go.
func (r *release) number() string { return strings.TrimPrefix(r.version, "v") }
