package exec

import (
	"bytes"
	"context"
	"math/bits"
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/spill"
	"github.com/hbasekv/hbasekv/sqlfront/steps"
)

// groupRef is a group of one of several tables.
type groupRef struct{ table, group int32 }

// groupUnion puts together the groups of tables that have the same keys. Of those of one key
// the one whose first row is the first stays, and takes the rows of the others. Tables are
// divided by the hashes of keys, so that several goroutines do so, and none waits for another.
type groupUnion struct {
	tables []*groupTable
	gone   [][]bool // the groups of each table that another one has taken
}

func newGroupUnion(tables []*groupTable) *groupUnion {
	u := &groupUnion{tables: tables}
	for _, t := range tables {
		u.gone = append(u.gone, make([]bool, len(t.parts)))
	}
	return u
}

// unite does it on several goroutines. Groups of later tables are combined later, where
// each table is of one part.
func (u *groupUnion) unite(ctx context.Context, workers int) error {
	if len(u.tables) < 2 {
		return nil
	}
	shares := 1 << bits.Len(uint(workers-1))
	return steps.Share(ctx, workers, shares, func(m *steps.Meter, share int) error { return u.uniteShare(m, share, shares) })
}

// uniteUnits is about what it costs to look for a group, and to combine two.
const uniteUnits = 64

// uniteShare unites the groups of a share of the keys.
func (u *groupUnion) uniteShare(m *steps.Meter, share, shares int) error {
	var known spill.HashTable[groupRef]
	for at, t := range u.tables {
		for group := range int32(len(t.parts)) {
			hash := t.keys.Hash(int(group))
			if int(uint64(hash)*uint64(shares)>>32) != share {
				continue
			}
			if err := firstError(u.take(&known, hash, groupRef{int32(at), group}), m.Step(uniteUnits)); err != nil {
				return err
			}
		}
	}
	return nil
}

// take takes one more group.
func (u *groupUnion) take(known *spill.HashTable[groupRef], hash uint32, g groupRef) error {
	key := u.keyOf(g)
	before, isNew := known.Add(hash, g, func(r groupRef) bool { return bytes.Equal(u.keyOf(r), key) })
	if isNew {
		return nil
	}
	first, later := *before, g
	if u.partOf(later) < u.partOf(first) {
		first, later = later, first
		*before = first
	}
	u.gone[later.table][later.group] = true
	return u.tables[first.table].combine(first.group, u.tables[later.table], later.group)
}

func (u *groupUnion) keyOf(g groupRef) []byte { return u.tables[g.table].keys.Key(int(g.group)) }

func (u *groupUnion) partOf(g groupRef) int32 { return u.tables[g.table].parts[g.group] }

// tablesOf are the tables of parts, each once, and which are whose.
func tablesOf(parts []partReader) (tables []*groupTable, of []int32) {
	for _, each := range parts {
		t := each.(*part).table
		at := slices.Index(tables, t)
		if at < 0 {
			at = len(tables)
			tables = append(tables, t)
		}
		of = append(of, int32(at))
	}
	return tables, of
}
