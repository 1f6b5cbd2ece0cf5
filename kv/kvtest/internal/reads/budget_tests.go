package reads

import (
	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/kvtest/internal/fixture"
)

// testBudgets requires that a budget pays for the cells that Stats counts, over
// all scans that share it, however the cells are read.
func testBudgets(f *fixture.Fixture) {
	f.Put("s", f.InOrder()...)
	f.Write(func(tx kv.Txn) error {
		for i := range 2000 {
			c := kv.Cell{Row: []byte{'m', byte(i / 200)}, Qualifier: []byte{byte(i % 2)}, Timestamp: int64(i)}
			if err := tx.Put(f.Ctx, f.Table("s"), c); err != nil {
				return err
			}
		}
		return nil
	})
	none := []kv.QualifierRange{{Start: []byte("none"), End: []byte("nonf")}}
	f.Storage(func() {
		for _, s := range []kv.Scan{
			{}, {Ordered: true, NeedValue: true}, {Reverse: true, Ordered: true}, {MaxVersions: 1}, {Qualifiers: none},
			{Ranges: []kv.Range{{Start: fixture.AtRow("m\x02"), End: fixture.AtRow("m\x05")}}},
		} {
			for name, read := range readers {
				testBudget(f, name, s, read)
			}
		}
	})
}

// readers are ways to read a cursor to its end.
var readers = map[string]func(kv.Cursor){
	"cells": func(c kv.Cursor) {
		for c.Next() {
			_ = c.Cell()
		}
	},
	"batches": func(c kv.Cursor) {
		b, ok := c.(kv.Batcher)
		for batch := (kv.Batch{}); ok && b.NextBatch(&batch, 64); {
		}
	},
	"tallies": func(c kv.Cursor) {
		t, ok := c.(kv.RunCounter)
		for cells := int64(1); ok && cells > 0; {
			_, cells = t.CountRun(1)
		}
	},
}

func testBudget(f *fixture.Fixture, name string, s kv.Scan, read func(kv.Cursor)) {
	tx := f.Begin()
	defer tx.Rollback()
	run := func(budget *kv.Budget) (int64, error) {
		s.Budget = budget
		c, err := tx.Scan(f.Ctx, f.Tables(tx, []string{"s"}), &s)
		require.NoError(f, err)
		defer c.Close()
		read(c)
		return c.Stats().Cells, c.Err()
	}
	cells, err := run(nil)
	require.NoError(f, err, name)
	if cells == 0 {
		return // the store cannot read this way
	}
	var enough, shared, few kv.Budget
	enough.Set(cells)
	_, err = run(&enough)
	require.NoError(f, err, "%s: %d cells, %+v", name, cells, s)
	few.Set(cells - 1)
	_, err = run(&few)
	require.ErrorIs(f, err, kv.ErrBudget, "%s: %d cells, %+v", name, cells, s)
	shared.Set(2*cells - 1)
	_, err = run(&shared)
	require.NoError(f, err, name)
	_, err = run(&shared)
	require.ErrorIs(f, err, kv.ErrBudget, "%s: %d cells, %+v", name, cells, s)
}
