package rowapi_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// group runs goroutines and joins their errors.
type group struct {
	sync.WaitGroup
	mu  sync.Mutex
	err error
}

func (g *group) Go(fn func() error) {
	g.WaitGroup.Go(func() {
		if err := fn(); err != nil {
			g.mu.Lock()
			g.err = errors.Join(g.err, err)
			g.mu.Unlock()
		}
	})
}

func (g *group) Wait() error {
	g.WaitGroup.Wait()
	return g.err
}

// TestCounters requires that sixteen writers of one counter lose nothing, and that no result comes twice.
func TestCounters(t *testing.T) {
	everywhere(t, func(t *testing.T, p *place) {
		const writers, each = 16, 20
		answers := make(chan uint64, writers*each)
		var g group
		for range writers {
			g.Go(func() error {
				for range each {
					r, err := p.client.Increment(p.ctx, p.table, rowapi.NewIncrement([]byte("r")).Add("a", []byte("n"), 1))
					if err != nil {
						return err
					}
					answers <- binary.BigEndian.Uint64(r.Cells[0].Value)
				}
				return nil
			})
		}
		require.NoError(t, g.Wait())
		close(answers)
		seen := map[uint64]bool{}
		for a := range answers {
			require.False(t, seen[a])
			seen[a] = true
		}
		require.Len(t, seen, writers*each)
		require.True(t, seen[writers*each])
	})
}

// TestRowsAreWhole requires that readers see rows as one writer has left them, during checks, batches and
// row mutations of many writers.
func TestRowsAreWhole(t *testing.T) {
	everywhere(t, func(t *testing.T, p *place) {
		const writers, rounds = 6, 30
		var g group
		for w := range writers {
			g.Go(func() error {
				for i := range rounds {
					value := fmt.Appendf(nil, "%d-%d", w, i)
					var actions []rowapi.Action
					for _, row := range []string{"z", "a", "m"} {
						put := rowapi.NewPut([]byte(row)).Add("a", []byte("q"), value).Add("b", []byte("q"), value)
						if i%3 == 0 {
							actions = append(actions, &rowapi.RowMutations{Row: put.Row, Mutations: []rowapi.Mutation{
								rowapi.NewDelete(put.Row), put}})
							continue
						}
						actions = append(actions, put)
					}
					outcomes, err := p.client.Batch(p.ctx, p.table, actions)
					if err != nil {
						return err
					}
					for _, o := range outcomes {
						if o.Err != nil {
							return o.Err
						}
					}
				}
				return nil
			})
		}
		for range 2 {
			g.Go(func() error {
				for range rounds {
					for _, row := range []string{"a", "m", "z"} {
						r, err := p.client.Get(p.ctx, p.table, &rowapi.Get{Row: []byte(row)})
						if err != nil {
							return err
						}
						if n := len(r.Cells); n != 0 && (n != 2 || string(r.Cells[0].Value) != string(r.Cells[1].Value)) {
							return fmt.Errorf("a torn row: %s", text(r.Cells))
						}
					}
				}
				return nil
			})
		}
		require.NoError(t, g.Wait())
	})
}
