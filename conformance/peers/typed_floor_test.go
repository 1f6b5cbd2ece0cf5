package main

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"
)

// floor lets Pebble read and write the table's cells: those of the family, under plain keys.
func (t *typedBench) floor(b *testing.B) {
	s, err := openPebble(b.TempDir(), false)
	require.NoError(b, err)
	defer s.close()
	db := s.(*rawStore).db
	first := t.loadPebble(b, db)
	b.Run("scan", func(b *testing.B) {
		defer reportProcessor(b)()
		for b.Loop() {
			scanPebbleSpan(b, db, rawPrefix(nil, "p"), append([]byte("p"), 1))
		}
	})
	for _, ids := range append([]int{1}, listLengths...) {
		b.Run(fmt.Sprintf("in%d", ids), func(b *testing.B) {
			defer reportProcessor(b)()
			for i := 0; b.Loop(); i++ {
				readPeople(b, db, idsFrom(1+i*7919%(*typedRows-200), ids))
			}
		})
	}
	people := sql.OpenDB(pebblePeople{db})
	defer func() { require.NoError(b, people.Close()) }()
	behind := &typedBench{db: people}
	behind.ask(b, "scan2", "", *typedRows)
	t.floorOfWrites(b, db, first, behind)
}

// readPeople reads all cells of rows, in the order of their keys.
func readPeople(b *testing.B, db *pebble.DB, ids []any) {
	slices.SortFunc(ids, func(x, y any) int { return cmp.Compare(x.(int), y.(int)) })
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: rawPrefix(nil, "p"), UpperBound: append([]byte("p"), 1)})
	require.NoError(b, err)
	var row []byte
	for _, id := range ids {
		row = append(append(append(row[:0], "p\x00"...), personKey(id.(int))...), 0)
		cells := 0
		for ok := it.SeekGE(row); ok && bytes.HasPrefix(it.Key(), row); ok = it.Next() {
			if _, err := it.ValueAndErr(); err != nil {
				b.Fatal(err)
			}
			cells++
		}
		if cells == 0 {
			b.Fatal("no row ", id)
		}
	}
	if err := it.Close(); err != nil {
		b.Fatal(err)
	}
}

// loadPebble writes the table's cells to Pebble. It returns those of the first 1000 rows.
func (t *typedBench) loadPebble(b *testing.B, db *pebble.DB) (first []cell) {
	rows, err := t.db.QueryContext(context.Background(), "SELECT K, Q, T, V FROM people$d WHERE K <= ?", personKey(*typedRows))
	require.NoError(b, err)
	load := pebbleLoad{b: b, db: db}
	for rows.Next() {
		var c cell
		require.NoError(b, rows.Scan(&c.k, &c.q, &c.t, &c.v))
		load.set(rawKey(nil, "p", c), c.v)
		if bytes.Compare(c.k, personKey(1000)) <= 0 {
			first = append(first, c)
		}
	}
	require.NoError(b, rows.Err())
	load.commit()
	return first
}

// copyCells writes the cells of 1000 rows again, under keys that follow all others, in one batch.
func (t *typedBench) copyCells(b *testing.B, db *pebble.DB, cells []cell) {
	batch, key, row := db.NewBatch(), []byte(nil), personKey(0)
	for i, c := range cells {
		if i == 0 || !bytes.Equal(c.k, cells[i-1].k) {
			row = personKey(t.next)
			t.next++
		}
		c.k = row
		key = rawKey(key[:0], "p", c)
		if err := batch.Set(key, c.v, nil); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, batch.Commit(pebble.NoSync))
}

// pebblePeople is a database/sql driver over the cells of people in Pebble whose every SELECT is the scan of two
// columns: the least that a driver in front of Pebble can do. Pebble skips the cells of other columns.
type pebblePeople struct{ db *pebble.DB }

func (p pebblePeople) Connect(context.Context) (driver.Conn, error) {
	return &pebbleConn{db: p.db}, nil
}
func (pebblePeople) Driver() driver.Driver { return nil }

type pebbleConn struct {
	db    *pebble.DB
	batch *pebble.Batch // of the open transaction, or nil
}

func (c *pebbleConn) Prepare(query string) (driver.Stmt, error) {
	if w, ok := writeOf(c, query); ok {
		return w, nil
	}
	return pebblePeopleQuery{c.db}, nil
}

func (*pebbleConn) Close() error { return nil }

type pebblePeopleQuery struct{ db *pebble.DB }

func (pebblePeopleQuery) Close() error  { return nil }
func (pebblePeopleQuery) NumInput() int { return 0 }
func (pebblePeopleQuery) Exec([]driver.Value) (driver.Result, error) {
	return nil, errors.ErrUnsupported
}

func (q pebblePeopleQuery) Query([]driver.Value) (driver.Rows, error) {
	it, err := q.db.NewIter(&pebble.IterOptions{LowerBound: rawPrefix(nil, "p"), UpperBound: append([]byte("p"), 1),
		SkipPoint: func(key []byte) bool { q := string(peopleColumn(key)); return q != "" && q != "name" && q != "age" }})
	if err != nil {
		return nil, err
	}
	it.First()
	return &pebblePeopleRows{it: it}, nil
}

// The row's key has 8 bytes, between those of the table and a zero; a zero and the time end the key.
const peopleRow, peopleTime = len("p\x00") + 8, len("\x00") + 8

func peopleColumn(key []byte) []byte { return key[peopleRow+1 : len(key)-peopleTime] }

type pebblePeopleRows struct {
	it        *pebble.Iterator
	row, name []byte
}

func (*pebblePeopleRows) Columns() []string { return []string{"name", "age"} }
func (r *pebblePeopleRows) Close() error    { return r.it.Close() }

// Next reads the cells of one row: the marker, the age and the name.
func (r *pebblePeopleRows) Next(to []driver.Value) error {
	if !r.it.Valid() {
		return cmp.Or(r.it.Error(), io.EOF)
	}
	to[0], to[1] = nil, nil
	for r.row = append(r.row[:0], r.it.Key()[:peopleRow]...); r.it.Valid(); r.it.Next() {
		key := r.it.Key()
		if !bytes.Equal(key[:peopleRow], r.row) {
			break
		}
		v, err := r.it.ValueAndErr()
		if err != nil {
			return err
		}
		switch q := string(peopleColumn(key)); { // the newest version comes first
		case q == "name" && to[0] == nil:
			r.name = append(r.name[:0], v...)
			to[0] = r.name
		case q == "age" && to[1] == nil:
			to[1] = int64(int32(binary.BigEndian.Uint32(v)))
		}
	}
	return nil
}
