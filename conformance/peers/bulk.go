package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"path/filepath"
	"strings"

	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/hbasekv/hbasekv/driver"
)

// A bulk load writes many cells at once in the contender's fastest way: it
// builds and ingests table files, or runs one transaction of statements with
// many rows.

// bulkLoader is a store that loads rows from..to of a table, which come in
// order. The number of partitions is for bare Pebble, where the caller builds
// the files by partition.
type bulkLoader interface {
	bulkLoad(t table, from, to, partitions int) error
	// loaded returns the store from which they can be read.
	loaded(t table) (store, error)
}

// loads is the table that is bulk loaded. It is empty at first.
func (d dataset) loads() table {
	return table{name: "b", columns: columns, versions: 1, value: d.value}
}

// bulkLoads load a quarter of the main table's cells at a time.
func bulkLoads(d dataset) []workload {
	rows := max(d.cells/4/columns, 40)
	one := func(name string, partitions int) workload {
		return workload{
			name: name, table: d.loads().name, workers: 1, per: rows * columns, unit: "cell", verify: checkLoaded,
			operations: func(b *bench) operation {
				return func(session, int) error {
					from := int(b.loaded.Add(int64(rows))) - rows
					t := d.loads()
					t.rows = math.MaxInt
					return b.store.(bulkLoader).bulkLoad(t, from, from+rows, partitions)
				}
			},
		}
	}
	return []workload{one("bulk load", 1), one("bulk load, 97 partitions", 97)}
}

// checkLoaded compares everything that was loaded with the model.
func checkLoaded(b *bench) error {
	if b.name == "floor" {
		return nil
	}
	t := b.data.loads()
	t.rows = int(b.loaded.Load())
	from, err := b.store.(bulkLoader).loaded(t)
	if err != nil {
		return err
	}
	s := from.connect()
	defer s.close()
	what := scan{rows: t.cells()}
	got, err := b.ask(s, &reading{name: "scan", table: t.name, args: noArgs}, what)
	if err == nil && got != t.expected(what, false) {
		err = fmt.Errorf("%s does not hold the %d cells that were loaded", t.name, t.cells())
	}
	return err
}

// bulkLoad builds a file for each partition with Pebble's writer.
func (s *rawStore) bulkLoad(t table, from, to, partitions int) (err error) {
	paths, writers, err := s.newFiles(partitions)
	if err != nil {
		return err
	}
	names := rawNames(t.name, partitions)
	var key []byte
	t.each(from, to, func(c cell) bool {
		i := rawPartition(c.k, partitions)
		key = rawKey(key[:0], names[i], c)
		err = writers[i].Set(key, c.v)
		return err == nil
	})
	for _, w := range writers {
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		return err
	}
	return s.db.Ingest(context.Background(), paths)
}

// rawNames are the prefixes of each partition's keys.
func rawNames(table string, partitions int) (names []string) {
	if partitions == 1 {
		return []string{table}
	}
	for i := range partitions {
		names = append(names, fmt.Sprintf("%s.%02d", table, i))
	}
	return names
}

func rawPartition(k []byte, partitions int) int {
	h := fnv.New64a()
	h.Write(k)
	return int(h.Sum64() % uint64(partitions))
}

func (s *rawStore) newFiles(n int) (paths []string, writers []*sstable.Writer, err error) {
	o := s.opts.MakeWriterOptions(len(s.opts.Levels)-1, s.opts.FormatMajorVersion.MaxTableFormat())
	for range n {
		s.files++
		path := filepath.Join(s.dir, fmt.Sprintf("bulk%d.sst", s.files))
		f, err := vfs.Default.Create(path, vfs.WriteCategoryUnspecified)
		if err != nil {
			return nil, nil, err
		}
		paths, writers = append(paths, path), append(writers, sstable.NewWriter(objstorageprovider.NewFileWritable(f), o))
	}
	return paths, writers, nil
}

func (s *rawStore) loaded(t table) (store, error) {
	return &rawParts{s, append(rawNames(t.name, 1), rawNames(t.name, 97)...)}, nil
}

// rawParts reads a table in its partitions.
type rawParts struct {
	*rawStore
	names []string
}

func (s *rawParts) connect() session {
	return &rawPartsSession{&rawSession{store: s.rawStore}, s.names}
}

type rawPartsSession struct {
	*rawSession
	names []string
}

func (s *rawPartsSession) read(_ context.Context, r *reading, what scan, to *sink) error {
	f := what.folder(to)
	defer f.finish()
	for _, name := range s.names {
		part := *r
		part.table = name
		if err := s.readInto(f, &part, what); err != nil {
			return err
		}
	}
	return nil
}

// bulkLoad runs the dialect's own load, or one transaction.
func (s *sqlStore) bulkLoad(t table, from, to, _ int) error {
	if s.dialect.bulkLoad != nil {
		return s.dialect.bulkLoad(s, t, from, to)
	}
	st, err := s.loaded(t)
	if err != nil {
		return err
	}
	return st.(*sqlStore).loadAtOnce(t, from, to)
}

// loaded returns the store itself or, if a database loads faster into a file
// with other settings, a second store with such a file.
func (s *sqlStore) loaded(t table) (store, error) {
	if s.dialect.bulkDSN == nil {
		return s, nil
	}
	if s.beside == nil {
		db, err := sql.Open(s.dialect.driver, s.dialect.bulkDSN(filepath.Join(s.dir, "bulk.db")))
		if err != nil {
			return nil, err
		}
		db.SetMaxOpenConns(1) // it locks the file exclusively
		s.beside = &sqlStore{dialect: s.dialect, db: db, chosen: map[string]string{}}
		if err := s.beside.create(t); err != nil {
			return nil, err
		}
	}
	return s.beside, nil
}

// loadAtOnce inserts fifty cells per statement.
func (s *sqlStore) loadAtOnce(t table, from, to int) (err error) {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	const many = 10 * columns
	var args []any
	var insert *sql.Stmt
	t.each(from, to, func(c cell) bool {
		args = append(args, c.k, append([]byte(nil), c.q...), c.t, append([]byte(nil), c.v...))
		if len(args) < 4*many {
			return true
		}
		if insert == nil {
			insert, err = tx.Prepare(s.manyRows(t, many))
		}
		if err == nil {
			_, err = insert.Exec(args...)
		}
		args = args[:0]
		return err == nil
	})
	if err == nil && len(args) > 0 {
		_, err = tx.Exec(s.manyRows(t, len(args)/4), args...)
	}
	return errors.Join(err, tx.Commit())
}

// manyRows returns the INSERT of n cells.
func (s *sqlStore) manyRows(t table, n int) string {
	statement := inTable(s.writes["insert"], t.name) + strings.Repeat(", (?, ?, ?, ?)", n-1)
	if s.numbered {
		statement = numberPlaceholders(statement)
	}
	return statement
}

// loadCells loads with the driver's BulkLoad.
func loadCells(s *sqlStore, t table, from, to int) error {
	_, err := driver.BulkLoad(background, s.db, []string{t.name}, func(yield func(driver.Cell, error) bool) {
		t.each(from, to, func(c cell) bool { return yield(driver.Cell{K: c.k, Q: c.q, T: c.t, V: c.v}, nil) })
	})
	return err
}
