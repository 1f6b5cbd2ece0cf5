package hbase

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest"
)

// TestTandemWrites runs random transactions of one row on both stores, and compares
// results, what they see and what is there afterwards.
func TestTandemWrites(t *testing.T) {
	f := newTandem(t, 40)
	n := 150
	if testing.Short() {
		n = 30
	}
	for i := range n {
		f.transaction(i)
		if i%50 == 25 {
			flush(t, f.hbase, f.name)
		}
	}
	compact(t, f.hbase, f.name)
	f.compare(50)
}

// transaction runs one on both.
func (f *tandem) transaction(i int) {
	ctx := context.Background()
	onPebble, onHBase := kvtest.Begin(f.pebble, kv.TxnOptions{}), kvtest.Begin(f.hbase, kv.TxnOptions{})
	defer onPebble.Rollback()
	defer onHBase.Rollback()
	row := f.row()
	if f.r.IntN(3) > 0 {
		row = f.cells[f.r.IntN(len(f.cells))].Row
	}
	var did []string
	both := func(what string, do func(kv.Txn) (any, error)) {
		did = append(did, what)
		want, err := do(onPebble)
		require.NoError(f, err)
		got, err := do(onHBase)
		require.NoError(f, err, "transaction %d of %q: %q", i, row, did)
		require.Equal(f, want, got, "transaction %d of %q: %q", i, row, did)
	}
	var savepoints [2]kv.Savepoint
	for range 1 + f.r.IntN(6) {
		table := f.name + "$" + string(f.pick("a", "b"))
		of := func(txn kv.Txn) *kv.Table { return txn.Catalog().Table("default", table) }
		c := kv.Cell{Row: row, Qualifier: f.qualifier(), Timestamp: f.time(), Value: f.value()}
		if c.Timestamp >= maxTimestamp-1 {
			c.Timestamp = 7 // there is none after the last
		}
		kind := f.r.IntN(9)
		if kind == 4 || kind == 5 {
			c.Qualifier = append([]byte("q"), c.Qualifier...) // an empty name is a case of its own
		}
		what := fmt.Sprintf("%s %q %d", table[len(table)-1:], c.Qualifier, c.Timestamp)
		switch kind {
		case 0, 1:
			both("put "+what, func(txn kv.Txn) (any, error) { return nil, txn.Put(ctx, of(txn), c) })
		case 2:
			both("absent "+what, func(txn kv.Txn) (any, error) { return txn.PutIfAbsent(ctx, of(txn), c) })
		case 3:
			both("next "+what, func(txn kv.Txn) (any, error) { return txn.PutNext(ctx, of(txn), c) })
		case 4:
			both("version "+what, func(txn kv.Txn) (any, error) {
				return nil, txn.DeleteVersion(ctx, of(txn), row, c.Qualifier, c.Timestamp)
			})
		case 5:
			both("column "+what, func(txn kv.Txn) (any, error) { return nil, txn.DeleteColumn(ctx, of(txn), row, c.Qualifier) })
		case 6:
			savepoints = [2]kv.Savepoint{onPebble.Savepoint(), onHBase.Savepoint()}
			did = append(did, "savepoint")
		case 7:
			if savepoints[0] != nil {
				onPebble.RollbackTo(savepoints[0])
				onHBase.RollbackTo(savepoints[1])
				did = append(did, "back")
			}
		default:
			s := f.scan()
			s.Partitions = nil
			both("scan", func(txn kv.Txn) (any, error) {
				return printed(readIn(f, txn, []string{f.name + "$a", f.name + "$b"}, s)), nil
			})
		}
	}
	both("commit", func(txn kv.Txn) (any, error) { return nil, txn.Commit(ctx) })
	tables, all := []string{f.name + "$a", f.name + "$b"}, kv.Scan{Ordered: true, NeedValue: true}
	require.Equal(f, printed(read(f, f.pebble, tables, all)), printed(read(f, f.hbase, tables, all)),
		"transaction %d of %q: %q", i, row, did)
}

// conflictCase is a transaction's reads and writes, and what somebody else does before
// its commit.
type conflictCase struct {
	name      string
	within    func(ctx context.Context, txn kv.Txn, t *kv.Table) error
	meanwhile func(ctx context.Context, txn kv.Txn, t *kv.Table) error
	conflict  bool
}

// Commits fail if what was read of the row has changed, and only then.
func TestConflicts(t *testing.T) {
	s := openTest(t)
	at := func(q string, ts int64, v string) kv.Cell {
		return kv.Cell{Row: []byte("r"), Qualifier: []byte(q), Timestamp: ts, Value: []byte(v)}
	}
	put := func(q string, ts int64, v string) func(context.Context, kv.Txn, *kv.Table) error {
		return func(ctx context.Context, txn kv.Txn, t *kv.Table) error { return txn.Put(ctx, t, at(q, ts, v)) }
	}
	absent := func(q string, ts int64) func(context.Context, kv.Txn, *kv.Table) error {
		return func(ctx context.Context, txn kv.Txn, t *kv.Table) error {
			_, err := txn.PutIfAbsent(ctx, t, at(q, ts, "new"))
			return err
		}
	}
	// reading reads the row or one column, the newest versions or all, and writes.
	reading := func(q string, versions int, values bool) func(context.Context, kv.Txn, *kv.Table) error {
		return func(ctx context.Context, txn kv.Txn, t *kv.Table) error {
			p := kv.Position{Row: []byte("r"), Depth: kv.DepthRow}
			if q != "" {
				p = kv.Position{Row: []byte("r"), Qualifier: []byte(q), Depth: kv.DepthColumn}
			}
			c, err := txn.Scan(ctx, []*kv.Table{t}, &kv.Scan{Ranges: []kv.Range{{Start: p, End: behind(p)}}, MaxVersions: versions, NeedValue: values, Ordered: true})
			if err != nil {
				return err
			}
			defer c.Close()
			for c.Next() {
			}
			if c.Err() != nil {
				return c.Err()
			}
			return txn.Put(ctx, t, at("w", 100, "written"))
		}
	}
	remove := func(q string) func(context.Context, kv.Txn, *kv.Table) error {
		return func(ctx context.Context, txn kv.Txn, t *kv.Table) error {
			return txn.DeleteColumn(ctx, t, []byte("r"), []byte(q))
		}
	}
	// There are q at 5 and 6, p at 9.
	for _, c := range []conflictCase{
		{"a write without reading", put("q", 6, "x"), put("q", 6, "y"), false},
		{"the version inserted", absent("n", 5), put("n", 5, "y"), true},
		{"the version inserted with an empty value, of a row of others", absent("n", 5), put("n", 5, "x"), true},
		{"another version", absent("n", 5), put("n", 6, "y"), false},
		{"the newest version changed", reading("q", 1, true), put("q", 6, "y"), true},
		{"a newer version", reading("q", 1, true), put("q", 7, "six"), true},
		{"an older version", reading("q", 1, true), put("q", 5, "y"), false},
		{"the version gone", reading("q", 1, true), remove("q"), true},
		{"another column", reading("q", 1, true), put("p", 9, "y"), false},
		{"a newer version, read without values", reading("q", 1, false), put("q", 8, "y"), true},
		{"an older version of all", reading("q", 0, true), put("q", 5, "y"), true},
		{"a version between all", reading("q", 0, true), put("q", 4, "y"), true},
		{"a column of the row", reading("", 1, true), put("p", 9, "y"), true},
		{"a new column of the row", reading("", 1, true), put("z", 1, "y"), true},
		{"nothing of the row", reading("", 1, true), func(context.Context, kv.Txn, *kv.Table) error { return nil }, false},
		{"nothing of a column", reading("q", 2, true), func(context.Context, kv.Txn, *kv.Table) error { return nil }, false},
		{"a column that was not there", reading("n", 1, true), put("n", 1, "y"), true},
		{"a column that is still not there", reading("n", 1, true), put("q", 7, "y"), false},
	} {
		for kind, attributes := range behaviours {
			t.Run(kind+"/"+c.name, func(t *testing.T) {
				name := newName()
				makeTable(t, s, name, nil, familySchema("a", attributes...), familySchema("b", attributes...))
				ctx := context.Background()
				run := func(txn kv.Txn, do func(context.Context, kv.Txn, *kv.Table) error) {
					require.NoError(t, do(ctx, txn, txn.Catalog().Table("default", name+"$a")))
				}
				for _, p := range []func(context.Context, kv.Txn, *kv.Table) error{put("q", 5, "five"), put("q", 6, "six"), put("p", 9, "nine")} {
					txn := kvtest.Begin(s, kv.TxnOptions{})
					run(txn, p)
					require.NoError(t, txn.Commit(ctx))
				}
				txn, other := kvtest.Begin(s, kv.TxnOptions{}), kvtest.Begin(s, kv.TxnOptions{})
				run(txn, c.within)
				run(other, c.meanwhile)
				require.NoError(t, other.Commit(ctx))
				before := printed(read(t, s, []string{name + "$a"}, kv.Scan{Ordered: true, NeedValue: true}))
				err := txn.Commit(ctx)
				if !c.conflict {
					require.NoError(t, err)
					return
				}
				require.ErrorIs(t, err, kv.ErrConflict)
				require.Equal(t, before, printed(read(t, s, []string{name + "$a"}, kv.Scan{Ordered: true, NeedValue: true})))
			})
		}
	}
}

// A column with an empty name loses all of its versions or none: the row stays readable.
func TestNamelessColumn(t *testing.T) {
	s := openTest(t)
	name := newName()
	makeTable(t, s, name, nil, familySchema("a", behaviours["Ours"]...))
	ctx := context.Background()
	do := func(fn func(kv.Txn, *kv.Table) error) error {
		txn := kvtest.Begin(s, kv.TxnOptions{})
		require.NoError(t, fn(txn, txn.Catalog().Table("default", name+"$a")))
		return txn.Commit(ctx)
	}
	remove := func(at int64) error {
		return do(func(txn kv.Txn, t *kv.Table) error { return txn.DeleteVersion(ctx, t, []byte("r"), nil, at) })
	}
	for at := int64(1); at <= 4; at++ {
		require.NoError(t, do(func(txn kv.Txn, t *kv.Table) error {
			return txn.Put(ctx, t, kv.Cell{Row: []byte("r"), Timestamp: at, Value: []byte("v")})
		}))
	}
	all := func() (out []int64) {
		for _, c := range read(t, s, []string{name + "$a"}, kv.Scan{Ordered: true}) {
			out = append(out, c.Timestamp)
		}
		return out
	}
	for range 2 {
		require.ErrorAs(t, remove(1), &kv.ErrUnsupported{})
		require.NoError(t, remove(9))
		require.Equal(t, []int64{4, 3, 2, 1}, all())
		flush(t, s, name)
	}
	require.NoError(t, do(func(txn kv.Txn, t *kv.Table) error { return txn.DeleteColumn(ctx, t, []byte("r"), nil) }))
	require.Empty(t, all())
	for range 2 {
		require.NoError(t, do(func(txn kv.Txn, t *kv.Table) error {
			return txn.Put(ctx, t, kv.Cell{Row: []byte("r"), Timestamp: 3, Value: []byte("v")})
		}))
		require.Equal(t, []int64{3}, all())
		require.NoError(t, remove(3))
		require.Empty(t, all())
		flush(t, s, name)
	}
}
