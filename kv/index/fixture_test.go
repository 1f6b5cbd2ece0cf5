package index_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/index"
	"github.com/hbasekv/hbasekv/kv/pebblekv"
	"github.com/hbasekv/hbasekv/partition"
)

const rowLen = 2 // bytes of each row in these tests

// columns is an index on two columns of rows that have a marker.
type columns struct{ unique bool }

func (columns) Qualifiers() [][]byte { return [][]byte{{}, []byte("a"), []byte("b")} }

func (c columns) Append(to []index.Entry, row []byte, cells []kv.Cell) ([]index.Entry, error) {
	var marker *kv.Cell
	var parts [2][]byte
	for i := range cells {
		switch q := string(cells[i].Qualifier); q {
		case "":
			marker = &cells[i]
		case "a", "b":
			parts[q[0]-'a'] = cells[i].Value
		default:
			return nil, fmt.Errorf("the index is given the column %q", q)
		}
	}
	if marker == nil {
		return to, nil
	}
	e := index.Entry{Timestamp: marker.Timestamp}
	null := false
	for _, p := range parts {
		null = null || p == nil
		e.Row = append(append(append(e.Row, byte(min(len(p), 1))), p...), 0)
	}
	if c.unique && !null {
		e.Qualifier, e.Unique = slices.Clone(row), true
	} else {
		e.Row = append(e.Row, row...)
	}
	return append(to, e), nil
}

func (columns) BaseRow(row, qualifier []byte) ([]byte, error) { return baseRow(row, qualifier) }

func baseRow(row, qualifier []byte) ([]byte, error) {
	switch {
	case len(qualifier) > 0:
		return qualifier, nil
	case len(row) < rowLen:
		return nil, errors.New("it is too short")
	}
	return row[len(row)-rowLen:], nil
}

// cells is an index with an entry for each cell of a row.
type cells struct{}

func (cells) Qualifiers() [][]byte { return nil }

func (cells) Append(to []index.Entry, row []byte, of []kv.Cell) ([]index.Entry, error) {
	if len(of) > 1 {
		return nil, errors.New("the index is given several columns")
	}
	for i := range of {
		e := index.Entry{Timestamp: of[i].Timestamp, Value: of[i].Value}
		e.Row = slices.Concat(of[i].Qualifier, []byte{0}, of[i].Value[:min(len(of[i].Value), 2)], []byte{0}, row)
		to = append(to, e)
	}
	return to, nil
}

func (cells) BaseRow(row, qualifier []byte) ([]byte, error) { return baseRow(row, qualifier) }

var errNoDefinition = errors.New("the index has no definition")

// maker knows the indexes of these tests by their names.
func maker(t *kv.Table, i int) (index.Entries, error) {
	switch t.Indexes[i].Name {
	case "plain", "second":
		return columns{}, nil
	case "unique":
		return columns{unique: true}, nil
	case "cells":
		return cells{}, nil
	}
	return nil, errNoDefinition
}

// fixture is a store with a table, and its clock.
type fixture struct {
	testing.TB
	store *index.Store
	now   atomic.Int64 // ms
}

const start = 1_700_000_000_000

func open(t testing.TB, o pebblekv.Options) *fixture {
	f := &fixture{TB: t}
	f.now.Store(start)
	o.InMemory = o.Dir == ""
	o.CollectEvery, o.MaxRegionBytes = -1, -1
	o.Now = func() time.Time { return time.UnixMilli(f.now.Load()) }
	s, err := pebblekv.OpenReopener(o)
	require.NoError(t, err)
	f.store = index.Wrap(s, maker)
	t.Cleanup(func() { require.NoError(t, f.store.Close()) })
	return f
}

// withTable makes the empty table d.t with complete indexes.
func (f *fixture) withTable(layout *partition.Scheme, r kv.Retention, indexes ...string) {
	f.Helper()
	f.change(func(c *kv.CatalogChange) error {
		if err := c.CreateDatabase(kv.Database{Name: "d"}); err != nil {
			return err
		}
		_, err := c.CreateTable(kv.Table{Database: "d", Name: "t", MaxRow: 64, MaxQualifier: 64,
			Value: kv.ValueType{Nullable: true}, Partitioning: layout, Retention: r})
		return err
	})
	for _, name := range indexes {
		require.NoError(f, index.Build(f.Context(), f.store, f.addIndex(name), index.BuildOptions{}))
	}
}

func (f *fixture) change(fn func(*kv.CatalogChange) error) {
	f.Helper()
	require.NoError(f, f.store.ChangeCatalog(f.Context(), fn))
}

// addIndex adds an index that is being built, and returns the ID of its table of entries.
func (f *fixture) addIndex(name string) (entries uint64) {
	f.Helper()
	f.change(func(c *kv.CatalogChange) error {
		t, err := c.AddIndex("d", "t", kv.Index{Name: name, Unique: name == "unique"},
			kv.Table{MaxRow: 128, MaxQualifier: 64, Partitioning: &partition.Scheme{}})
		if err == nil {
			entries = t.ID
		}
		return err
	})
	return entries
}

func (f *fixture) begin(o kv.TxnOptions) kv.Txn {
	f.Helper()
	txn, err := f.store.Begin(f.Context(), o)
	require.NoError(f, err)
	return txn
}

func (f *fixture) catalog() *kv.Catalog {
	f.Helper()
	c, err := f.store.Catalog(f.Context())
	require.NoError(f, err)
	return c
}

// write runs writes in a transaction of their own, and returns its error.
func (f *fixture) write(fn func(txn kv.Txn, t *kv.Table) error) error {
	f.Helper()
	txn := f.begin(kv.TxnOptions{})
	defer txn.Rollback()
	if err := fn(txn, txn.Catalog().Table("d", "t")); err != nil {
		return err
	}
	return txn.Commit(f.Context())
}

// put writes a row with the values of its columns, without the column if its value is nil.
func put(ctx context.Context, txn kv.Txn, t *kv.Table, row string, ts int64, a, b []byte) error {
	err := txn.Put(ctx, t, kv.Cell{Row: []byte(row), Qualifier: []byte{}, Timestamp: ts, Value: []byte{}})
	if err == nil && a != nil {
		err = txn.Put(ctx, t, kv.Cell{Row: []byte(row), Qualifier: []byte("a"), Timestamp: ts, Value: a})
	}
	if err == nil && b != nil {
		err = txn.Put(ctx, t, kv.Cell{Row: []byte(row), Qualifier: []byte("b"), Timestamp: ts, Value: b})
	}
	return err
}

// read returns copies of the cells of a scan of a table.
func read(ctx context.Context, txn kv.Txn, t *kv.Table, s *kv.Scan) (out []kv.Cell, err error) {
	s.NeedValue, s.Ordered = true, true
	cursor, err := txn.Scan(ctx, []*kv.Table{t}, s)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, cursor.Close()) }()
	for cursor.Next() {
		v, err := cursor.Value()
		if err != nil {
			return nil, err
		}
		c := cursor.Cell()
		out = append(out, kv.Cell{Row: bytes.Clone(c.Row), Qualifier: bytes.Clone(c.Qualifier), Timestamp: c.Timestamp, Value: bytes.Clone(v)})
	}
	return out, cursor.Err()
}

// scratch computes the entries of an index, a line each, from the rows that a
// transaction sees.
func (f *fixture) scratch(txn kv.Txn, t *kv.Table, at kv.Savepoint, i int) (lines []string) {
	f.Helper()
	maker, err := maker(t, i)
	require.NoError(f, err)
	all, err := read(f.Context(), txn, t, &kv.Scan{MaxVersions: 1, At: at})
	require.NoError(f, err)
	for len(all) > 0 {
		n := 1
		for ; maker.Qualifiers() != nil && n < len(all) && bytes.Equal(all[n].Row, all[0].Row); n++ {
		}
		of := all[:n]
		if q := maker.Qualifiers(); q != nil {
			of = slices.DeleteFunc(slices.Clone(of), func(c kv.Cell) bool {
				return !slices.ContainsFunc(q, func(q []byte) bool { return bytes.Equal(q, c.Qualifier) })
			})
		}
		entries, err := maker.Append(nil, all[0].Row, of)
		require.NoError(f, err)
		for _, e := range entries {
			lines = append(lines, line(e.Row, e.Qualifier, e.Value))
		}
		all = all[n:]
	}
	slices.Sort(lines)
	return lines
}

func line(row, qualifier, value []byte) string { return fmt.Sprintf("%q %q %q", row, qualifier, value) }

// kept returns the entries that an index has. Reading them first settles the transaction.
func (f *fixture) kept(txn kv.Txn, t *kv.Table, at kv.Savepoint, i int) (lines []string, err error) {
	f.Helper()
	all, err := read(f.Context(), txn, txn.Catalog().TableByID(t.Indexes[i].Entries), &kv.Scan{At: at})
	for _, c := range all {
		lines = append(lines, line(c.Row, c.Qualifier, c.Value))
	}
	slices.Sort(lines)
	return lines, err
}

// requireExact compares the entries of all indexes with those of the rows.
func (f *fixture) requireExact(txn kv.Txn) error {
	f.Helper()
	t := txn.Catalog().Table("d", "t")
	for i := range t.Indexes {
		kept, err := f.kept(txn, t, nil, i)
		if err != nil {
			return err
		}
		require.Equal(f, f.scratch(txn, t, nil, i), kept, t.Indexes[i].Name)
	}
	return nil
}

// requireSound compares the committed state, in a transaction and with Check.
func (f *fixture) requireSound() {
	f.Helper()
	txn := f.begin(kv.TxnOptions{ReadOnly: true})
	defer txn.Rollback()
	require.NoError(f, f.requireExact(txn))
	for _, each := range txn.Catalog().Table("d", "t").Indexes {
		report, err := index.Check(f.Context(), f.store, each.Entries)
		require.NoError(f, err)
		require.Empty(f, report.Damage)
	}
}
