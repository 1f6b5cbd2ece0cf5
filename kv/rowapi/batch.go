package rowapi

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/hbasekv/hbasekv/kv"
)

// The most actions and bytes that Batch writes in one transaction.
const (
	mostTogether  = 1000
	bytesTogether = 8 << 20
)

// lockAll locks the rows of mutations in row order.
func (w *writer) lockAll(ctx context.Context, mutations []Mutation, how kv.RowLock) error {
	inOrder := slices.Clone(mutations)
	slices.SortStableFunc(inOrder, func(a, b Mutation) int { return bytes.Compare(a.TheRow(), b.TheRow()) })
	for i, m := range inOrder {
		if i > 0 && bytes.Equal(m.TheRow(), w.row) {
			continue
		}
		if err := w.lock(ctx, w.tableFor(m), m.TheRow(), how); err != nil {
			return err
		}
	}
	return nil
}

// Batch does actions, each by itself, and returns an Outcome for each. Those of one row are done in their
// order; others in any order, or together. The error, which comes without outcomes, is one that applies to
// all actions, such as ErrTableNotFound.
func (c *Client) Batch(ctx context.Context, table TableName, actions []Action) ([]Outcome, error) {
	catalog, err := c.store.Catalog(ctx)
	if err != nil {
		return nil, mapError(err)
	}
	t, err := c.enabled(catalog, table)
	if err != nil {
		return nil, err
	}
	b := &batch{client: c, table: table, actions: actions, outcomes: make([]Outcome, len(actions)), checker: checker{c, t}}
	for i, a := range actions {
		b.add(ctx, i, a)
	}
	b.flush(ctx)
	return b.outcomes, nil
}

// batch is a running Batch. Consecutive Puts and Deletes are written together.
type batch struct {
	checker
	client   *Client
	table    TableName
	actions  []Action
	outcomes []Outcome
	together []int // indexes of actions
	bytes    int   // of these
}

// add does an action, or keeps it to be done with later ones.
func (b *batch) add(ctx context.Context, i int, a Action) {
	size := 0
	switch m := a.(type) {
	case *Put:
		for j := range m.Cells {
			size += len(m.Row) + len(m.Cells[j].Qualifier) + len(m.Cells[j].Value)
		}
	case *Delete:
		size = len(m.Row)
	default:
		b.flush(ctx)
		b.outcomes[i] = b.client.act(ctx, b.table, a)
		return
	}
	if err := b.mutation(a.(Mutation), a.TheRow()); err != nil {
		b.outcomes[i] = Outcome{Err: err}
		return
	}
	b.together, b.bytes = append(b.together, i), b.bytes+size
	if len(b.together) >= mostTogether || b.bytes >= bytesTogether {
		b.flush(ctx)
	}
}

// flush writes the kept actions together if the store can, and otherwise each by itself, so that one that is
// blocked does not block others.
func (b *batch) flush(ctx context.Context) {
	if len(b.together) > 1 && !b.client.limits.OneRow && b.client.limits.RowLocks && b.atOnce(ctx) {
		for _, i := range b.together {
			b.outcomes[i] = Outcome{Result: &Result{}, Processed: true}
		}
	} else {
		for _, i := range b.together {
			b.outcomes[i] = b.client.act(ctx, b.table, b.actions[i])
		}
	}
	b.together, b.bytes = b.together[:0], 0
}

// atOnce writes the kept actions in one transaction if nobody else has locked any of the rows, and reports
// whether it did. Writing them again would have the same result.
func (b *batch) atOnce(ctx context.Context) bool {
	mutations := make([]Mutation, 0, len(b.together))
	for _, i := range b.together {
		mutations = append(mutations, b.actions[i].(Mutation))
	}
	err := b.client.once(ctx, b.table, false, func(w *writer) error {
		for _, m := range mutations {
			if err := w.mutation(m, m.TheRow()); err != nil {
				return err
			}
		}
		return w.several(ctx, mutations, kv.RowLock{NoWait: true})
	})
	return err == nil
}

// act does one action.
func (c *Client) act(ctx context.Context, table TableName, a Action) (o Outcome) {
	var err error
	switch a := a.(type) {
	case *Get:
		o.Processed = true
		o.Result, err = c.Get(ctx, table, a)
	case *RowMutations:
		o, err = c.mutate(ctx, table, a.Row, nil, a.Mutations)
	case *CheckAndMutate:
		o, err = c.mutate(ctx, table, a.Row, &a.Condition, a.Mutations)
		if o.Result == nil {
			o.Result = &Result{}
		}
	case Mutation:
		o, err = c.mutate(ctx, table, a.TheRow(), nil, []Mutation{a})
	default:
		err = fmt.Errorf("%w: unknown action type %T", ErrInvalid, a)
	}
	if err != nil {
		return Outcome{Err: err}
	}
	return o
}
