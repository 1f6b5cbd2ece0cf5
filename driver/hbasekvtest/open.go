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

// Schema runs a text of statements, divided by semicolons, once the store is open.
func Schema(text string) Option {
	return func(o *options) {
		o.scripts = append(o.scripts, func() (string, error) { return text, nil })
	}
}

// SchemaFS is Schema of the files of fsys that the pattern of fs.Glob matches, by
// their names' order.
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

// Parameters are those of a DSN, as in "versions=all&parseTime=true". Commits are
// not synced to the disk but with "sync=true".
func Parameters(text string) Option { return func(o *options) { o.parameters = text } }

// OnDisk puts the store into a directory of the test's instead of memory.
func OnDisk() Option { return func(o *options) { o.onDisk = true } }

// WithClock gives the store a clock.
func WithClock(c driver.Clock) Option { return func(o *options) { o.clock = c } }

// Open opens a store of the test's own, in memory, and closes it at the test's
// end. It fails the test where that cannot be, and where the test leaves rows,
// transactions or connections open, or goroutines running that it has started
// since (not in benchmarks): those are known by a label of runtime/pprof, which Open
// gives to the goroutine that calls it.
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
	if err := errors.Join(db.Ping(), o.run(db)); err != nil { // at once: its goroutines get the label
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

// runScript runs the statements of a text.
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
