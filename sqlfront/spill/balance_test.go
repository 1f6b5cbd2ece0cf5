package spill

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/sqlfront/clause"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// balanceModel computes set operations one after the other over all rows.
type balanceModel struct {
	first map[string]string // the first row of each key
	order []string
	left  map[string]int64
}

func newBalanceModel() *balanceModel {
	return &balanceModel{first: map[string]string{}, left: map[string]int64{}}
}

func (m *balanceModel) apply(o clause.SetOperation, part [][]value.Value) {
	had := map[string]int64{}
	for _, row := range part {
		key := string(row[0].Raw())
		had[key]++
		if _, known := m.first[key]; !known && (o == clause.Union || o == clause.UnionAll) {
			m.first[key] = show(row)
			m.order = append(m.order, key)
		}
	}
	for key := range m.first {
		a, b := m.left[key], had[key]
		switch o {
		case clause.UnionAll:
			a += b
		case clause.Union:
			a = min(a+b, 1)
		case clause.IntersectAll:
			a = min(a, b)
		case clause.Intersect:
			a = min(a, b, 1)
		case clause.ExceptAll:
			a = max(a-b, 0)
		case clause.Except:
			if a = min(a, 1); b > 0 {
				a = 0
			}
		}
		m.left[key] = a
	}
}

func (m *balanceModel) rows() (out []string) {
	for _, key := range m.order {
		for range m.left[key] {
			out = append(out, m.first[key])
		}
	}
	return out
}

func TestBalance(t *testing.T) {
	r := seeded(t)
	spilled := 0
	for range 12 {
		model := newBalanceModel()
		var parts [][][]value.Value
		operations := []clause.SetOperation{clause.UnionAll}
		for i := range 2 + r.IntN(5) {
			if i > 0 {
				operations = append(operations, clause.SetOperation(r.IntN(6)))
			}
			rows := randomRows(r, 1+r.IntN(3000))
			parts = append(parts, rows)
			model.apply(operations[i], rows)
		}
		for _, memory := range limits {
			for _, workers := range []int{1, 3} {
				s := newSpace(t, memory)
				s.opts.Workers = workers
				b := s.NewBalance(operations)
				for i, part := range parts {
					for _, row := range part {
						require.NoError(t, b.Add(i, row[0].Raw(), row))
					}
				}
				var got []string
				require.NoError(t, Each(b.Next, func(row []value.Value) error {
					got = append(got, show(row))
					return nil
				}))
				require.Equal(t, model.rows(), got, "%v in %d bytes", operations, memory)
				row, err := b.Next()
				require.NoError(t, err)
				require.Nil(t, row)
				if b.Spilled() {
					spilled++
				}
				require.NoError(t, b.Close())
				require.NoError(t, b.Close())
			}
		}
	}
	require.Greater(t, spilled, 24)
}

// TestBalanceKeepsTheLeftSide checks that rows that only the right side has take no memory.
func TestBalanceKeepsTheLeftSide(t *testing.T) {
	s := newSpace(t, 64<<10)
	b := s.NewBalance([]clause.SetOperation{clause.UnionAll, clause.Except, clause.IntersectAll})
	for part := range 3 {
		for _, row := range randomRows(rand.New(rand.NewPCG(1, uint64(part))), 100+part*20_000) {
			require.NoError(t, b.Add(part, row[1].AsBytes(), row))
		}
	}
	require.False(t, b.Spilled())
	require.Less(t, b.Peak(), int64(40<<10))
	require.NoError(t, b.Close())
}

func TestBalanceCancelled(t *testing.T) {
	for _, memory := range limits {
		s := newSpace(t, memory)
		ctx, cancel := context.WithCancel(context.Background())
		s.ctx = ctx
		b := s.NewBalance([]clause.SetOperation{clause.UnionAll, clause.ExceptAll})
		for i := range 10_000 {
			row := []value.Value{value.NewInt(int64(i))}
			require.NoError(t, b.Add(0, value.AppendKeys(nil, row), row))
		}
		row, err := b.Next()
		require.NoError(t, err)
		require.NotNil(t, row)
		cancel()
		for row != nil && err == nil {
			row, err = b.Next()
		}
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t, b.Close())
	}
}
