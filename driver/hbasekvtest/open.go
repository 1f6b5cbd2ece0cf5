package hbasekvtest

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/hbasekv/hbasekv/driver"
)

// Option is an option of Open and of a Template.
type Option func(*options)

type options struct {
	parameters string
	onDisk     bool
	clock      driver.Clock
	faults     *Faults
	scripts    []func() (string, error)
}

// Schema runs a script of statements, separated by semicolons, when the store is
// opened.
func Schema(text string) Option {
	return func(o *options) {
		o.scripts = append(o.scripts, func() (string, error) { return text, nil })
	}
}

// SchemaFS is Schema with the files of fsys that match a pattern of fs.Glob, in
// the order of their names.
func SchemaFS(fsys fs.FS, pattern string) Option {
	return func(o *options) {
		o.scripts = append(o.scripts, func() (string, error) { return readAll(fsys, pattern) })
	}
}

func readAll(fsys fs.FS, pattern string) (string, error) {
	names, err := fs.Glob(fsys, pattern)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("no file matches %s", pattern)
	}
	text := ""
	for _, name := range names {
		b, readErr := fs.ReadFile(fsys, name)
		if readErr != nil {
			return "", readErr
		}
		text += string(b) + ";\n"
	}
	return text, err
}

// Parameters are DSN parameters, as in "versions=all&parseTime=true". Commits are
// not synced to disk unless it has "sync=true".
func Parameters(text string) Option { return func(o *options) { o.parameters = text } }

// OnDisk keeps the store in a directory of the test instead of memory.
func OnDisk() Option { return func(o *options) { o.onDisk = true } }

// WithClock sets the store's clock.
func WithClock(c driver.Clock) Option { return func(o *options) { o.clock = c } }

// Open opens an in-memory store for the test alone, and closes it at the test's end.
// It fails the test if the store cannot be opened, or if the test leaves rows,
// transactions or connections open, or goroutines running that it started since (not
// in benchmarks). Goroutines are identified by a label of runtime/pprof, which Open
// sets on the goroutine that calls it.
func Open(t testing.TB, opts ...Option) *sql.DB {
	t.Helper()
	o := apply(opts)
	path := driver.MemoryPath
	if o.onDisk {
		path = t.TempDir()
	}
	return openAt(t, path, o)
}

func apply(opts []Option) *options {
	o := &options{}
	for _, option := range opts {
		option(o)
	}
	return o
}

func openAt(t testing.TB, path string, o *options) *sql.DB {
	t.Helper()
	label := watch()
	db, err := connect(path, o)
	if err != nil {
		t.Fatalf("hbasekvtest: %v", err)
	}
	t.Cleanup(func() { finish(t, db, label) })
	if err := errors.Join(db.Ping(), o.run(db)); err != nil { // now, so that its goroutines get the label
		t.Fatalf("hbasekvtest: %v", err)
	}
	return db
}

func connect(path string, o *options) (*sql.DB, error) {
	cfg, err := driver.ParseDSN("directory?" + o.parameters)
	if err != nil {
		return nil, err
	}
	cfg.Path = path
	cfg.NoSync = cfg.NoSync || !slices.ContainsFunc(strings.Split(o.parameters, "&"), isSync)
	if o.clock != nil {
		cfg.Clock = o.clock
	}
	if o.faults != nil {
		cfg.Faults = o.faults
	}
	connector, err := driver.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

func isSync(parameter string) bool { return strings.HasPrefix(parameter, "sync=") }

// run executes the scripts.
func (o *options) run(db *sql.DB) error {
	for _, script := range o.scripts {
		text, err := script()
		if err != nil {
			return err
		}
		if err := runScript(db, text); err != nil {
			return err
		}
	}
	return nil
}

// runScript runs the statements of a script.
func runScript(db *sql.DB, text string) error {
	statements, err := driver.SplitScript(text)
	if err != nil {
		return err
	}
	for _, s := range statements {
		if _, err := db.Exec(s.Text); err != nil {
			return fmt.Errorf("line %d: %.1000s: %w", s.Line, s.Text, err)
		}
	}
	return nil
}
