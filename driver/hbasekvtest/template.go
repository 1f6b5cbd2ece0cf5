package hbasekvtest

import (
	"database/sql"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Template builds a store once, and returns a function that opens private
// writable clones of it. A clone shares the table files of the template, which
// are never rewritten, by hard links; only small files are copied. The template
// lives until t ends: clones are for its subtests, parallel ones too. The options
// are those of the template; each clone may have its own.
func Template(t testing.TB, build func(db *sql.DB) error, opts ...Option) func(t testing.TB, opts ...Option) *sql.DB {
	t.Helper()
	dir := t.TempDir()
	if err := buildTemplate(dir, build, apply(opts)); err != nil {
		t.Fatalf("hbasekvtest: building the template: %v", err)
	}
	return func(t testing.TB, opts ...Option) *sql.DB {
		t.Helper()
		clone := t.TempDir()
		if err := cloneDir(dir, clone); err != nil {
			t.Fatalf("hbasekvtest: cloning the template: %v", err)
		}
		return openAt(t, clone, apply(opts))
	}
}

func buildTemplate(dir string, build func(db *sql.DB) error, o *options) error {
	db, err := connect(dir, o)
	if err != nil {
		return err
	}
	if err = o.run(db); err == nil && build != nil {
		err = build(db)
	}
	if err == nil { // else every clone would copy and read the log
		_, err = db.Exec("FLUSH TABLES")
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	// Reopening removes the logs that the store no longer needs.
	if db, err = connect(dir, o); err != nil {
		return err
	}
	return errors.Join(db.Ping(), db.Close())
}

// cloneDir copies a store into a directory. Files that the store never rewrites, all
// but its manifest, are linked if the file system supports it. The lock, which each
// store has for itself, and the logs, whose content is in tables, are left out.
func cloneDir(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		source, target := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		written := strings.HasPrefix(e.Name(), "MANIFEST-")
		if e.Name() == "LOCK" || filepath.Ext(source) == ".log" || !written && os.Link(source, target) == nil {
			continue
		}
		if err := copyFile(source, target); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}
