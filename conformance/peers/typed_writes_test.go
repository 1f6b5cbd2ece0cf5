package main

import (
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"
)

// floorOfWrites lets Pebble write the table's rows: the cells of the first rows again under new keys, and one cell
// of a row that it reads before; and by its driver those of people.
func (t *typedBench) floorOfWrites(b *testing.B, db *pebble.DB, first []cell, behind *typedBench) {
	perRow := len(first) / 1000
	for name, cells := range map[string][]cell{"insert1000": first, "insert": first[:perRow]} {
		b.Run(name, func(b *testing.B) {
			defer reportProcessor(b)()
			for b.Loop() {
				t.copyCells(b, db, cells)
			}
		})
	}
	b.Run("update", func(b *testing.B) {
		defer reportProcessor(b)()
		for i := 0; b.Loop(); i++ {
			updateAge(b, db, personKey(1+i*7919%*typedRows), i)
		}
	})
	b.Run("behind", func(b *testing.B) {
		behind.next = t.next
		behind.writes(b)
	})
}

// updateAge reads all cells of a row and writes one, in a batch of its own.
func updateAge(b *testing.B, db *pebble.DB, row []byte, age int) {
	if err := setAge(db, row, int64(age)); err != nil {
		b.Fatal(err)
	}
}

func setAge(db *pebble.DB, row []byte, age int64) error {
	lower := append(append(rawPrefix(nil, "p"), row...), 0)
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: lower, UpperBound: append(lower[:len(lower)-1:len(lower)-1], 1)})
	if err != nil {
		return err
	}
	newest := int64(0)
	for ok := it.First(); ok; ok = it.Next() {
		newest = max(newest, rawCell(it.Key(), len("p\x00")).t)
	}
	if err := it.Close(); err != nil {
		return err
	}
	c := cell{k: row, q: []byte("age"), t: newest + 1}
	return db.Set(rawKey(nil, "p", c), binary.BigEndian.AppendUint32(nil, uint32(age)), pebble.NoSync)
}

// Begin starts a batch for the rows of a transaction.
func (c *pebbleConn) Begin() (driver.Tx, error) {
	c.batch = c.db.NewBatch()
	return c, nil
}

// Commit implements driver.Tx.
func (c *pebbleConn) Commit() error {
	batch := c.batch
	c.batch = nil
	return batch.Commit(pebble.NoSync)
}

// Rollback implements driver.Tx.
func (c *pebbleConn) Rollback() error {
	batch := c.batch
	c.batch = nil
	return batch.Close()
}

// pebblePeopleWrite is the INSERT of a person, or the UPDATE of the age: the least that a driver in front of Pebble
// can do.
type pebblePeopleWrite struct {
	pebblePeopleQuery
	conn    *pebbleConn
	inserts bool
}

func writeOf(c *pebbleConn, query string) (driver.Stmt, bool) {
	w := pebblePeopleWrite{conn: c, inserts: strings.HasPrefix(query, "INSERT")}
	return w, w.inserts || strings.HasPrefix(query, "UPDATE")
}

func (w pebblePeopleWrite) NumInput() int { return -1 }

func (w pebblePeopleWrite) Exec(args []driver.Value) (driver.Result, error) {
	if !w.inserts {
		return driver.RowsAffected(1), setAge(w.conn.db, personKey(int(args[1].(int64))), args[0].(int64))
	}
	if w.conn.batch != nil {
		return driver.RowsAffected(1), putPerson(w.conn.batch, args)
	}
	if _, err := w.conn.Begin(); err != nil {
		return nil, err
	}
	if err := putPerson(w.conn.batch, args); err != nil {
		return nil, err
	}
	return driver.RowsAffected(1), w.conn.Commit()
}

// peopleCells are the columns of the cells of people in the order of their keys, by their arguments; the marker has
// none.
var peopleCells = []struct {
	name string
	arg  int
}{{"", -1}, {"active", 8}, {"age", 3}, {"balance", 6}, {"bio", 9}, {"city", 4}, {"email", 2}, {"joined", 7}, {"name", 1}, {"score", 5}}

func putPerson(to *pebble.Batch, args []driver.Value) error {
	var key, value [256]byte
	row := personKey(int(args[0].(int64)))
	for _, c := range peopleCells {
		v := append(value[:0], 1)
		if c.arg >= 0 {
			v = appendArg(value[:0], args[c.arg])
		}
		if err := to.Set(rawKey(key[:0], "p", cell{k: row, q: []byte(c.name), t: 1}), v, nil); err != nil {
			return err
		}
	}
	return nil
}

func appendArg(dst []byte, v driver.Value) []byte {
	switch v := v.(type) {
	case int64:
		return binary.BigEndian.AppendUint32(dst, uint32(v))
	case float64:
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(v))
	}
	return append(dst, v.(string)...)
}

// TestPebblePeople writes rows by the floor's driver and reads them again.
func TestPebblePeople(t *testing.T) {
	s, err := openPebble(t.TempDir(), false)
	require.NoError(t, err)
	defer s.close()
	db := sql.OpenDB(pebblePeople{s.(*rawStore).db})
	defer db.Close()
	run := func(query string, args ...any) {
		_, err = db.Exec(query, args...)
		require.NoError(t, err)
	}
	run(insertPerson, 7, "Ada", "ada@example.com", 36, "London", 1.5, "2.50", "1815-12-10", 1, "a life")
	run("UPDATE people SET age = ? WHERE id = ?", 37, 7)
	var name string
	var age int
	require.NoError(t, db.QueryRow("SELECT name, age FROM people").Scan(&name, &age))
	require.Equal(t, "Ada", name)
	require.Equal(t, 37, age)
}
