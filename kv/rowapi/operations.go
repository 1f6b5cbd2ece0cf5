package rowapi

import (
	"context"
	"fmt"

	"github.com/hbasekv/hbasekv/kv"
)

// Put writes cells of a row atomically.
func (c *Client) Put(ctx context.Context, table TableName, p *Put) error {
	_, err := c.mutate(ctx, table, p.Row, nil, []Mutation{p})
	return err
}

// Delete removes cells of a row atomically. It is no error if there are none.
func (c *Client) Delete(ctx context.Context, table TableName, d *Delete) error {
	_, err := c.mutate(ctx, table, d.Row, nil, []Mutation{d})
	return err
}

// Increment adds to columns atomically, and returns the new cells, in the order of families and qualifiers.
func (c *Client) Increment(ctx context.Context, table TableName, i *Increment) (*Result, error) {
	return resultOf(c.mutate(ctx, table, i.Row, nil, []Mutation{i}))
}

// Append appends bytes to values atomically, and returns the new cells, in the order of families and
// qualifiers.
func (c *Client) Append(ctx context.Context, table TableName, a *Append) (*Result, error) {
	return resultOf(c.mutate(ctx, table, a.Row, nil, []Mutation{a}))
}

// MutateRow does mutations of a row atomically, in order. The Result has the new cells of
// Increments and Appends.
func (c *Client) MutateRow(ctx context.Context, table TableName, m *RowMutations) (*Result, error) {
	return resultOf(c.mutate(ctx, table, m.Row, nil, m.Mutations))
}

// CheckAndMutate mutates a row atomically if a condition holds, and reports whether it did. The Result is
// like MutateRow's, and nil if the condition did not hold.
func (c *Client) CheckAndMutate(ctx context.Context, table TableName, m *CheckAndMutate) (bool, *Result, error) {
	o, err := c.mutate(ctx, table, m.Row, &m.Condition, m.Mutations)
	return o.Processed, o.Result, err
}

func resultOf(o Outcome, err error) (*Result, error) { return o.Result, err }

// mutate does mutations of one row atomically if a condition, nil for none, holds.
func (c *Client) mutate(ctx context.Context, table TableName, row []byte, condition *Condition,
	mutations []Mutation) (Outcome, error) {
	o := Outcome{}
	err := c.inTxn(ctx, table, func(w *writer) error {
		o = Outcome{}
		holds, err := w.lockAndLook(ctx, row, condition, mutations)
		if err != nil || !holds {
			return err
		}
		if err := w.all(ctx, mutations); err != nil {
			return err
		}
		o = Outcome{Result: w.result(), Processed: true}
		return nil
	})
	if err != nil {
		return Outcome{}, err
	}
	return o, nil
}

// lockAndLook locks the row, checks whether the condition, nil for none, holds, and if so checks the
// mutations: errors in them are not reported if they are not done.
func (w *writer) lockAndLook(ctx context.Context, row []byte, condition *Condition,
	mutations []Mutation) (bool, error) {
	switch {
	case len(row) == 0:
		return false, errNoRow
	case len(mutations) == 0:
		return false, fmt.Errorf("%w: there are no mutations", ErrInvalid)
	case condition == nil:
		if err := w.checkRow(row, mutations); err != nil {
			return false, err
		}
		return true, w.lock(ctx, w.tableFor(mutations[0]), row, kv.RowLock{})
	}
	if err := w.condition(condition); err != nil {
		return false, err
	}
	by := w.target.tables[0]
	if condition.Filter == nil {
		by = w.tableOf(condition.Family)
	}
	if err := w.lock(ctx, by, row, kv.RowLock{}); err != nil {
		return false, err
	}
	holds, at, err := w.holds(ctx, condition)
	if err != nil || !holds {
		return false, err
	}
	w.since = at // as for HBase's puts, but not its deletes and increments
	return true, w.checkRow(row, mutations)
}

// checkRow checks the mutations of a row.
func (k checker) checkRow(row []byte, mutations []Mutation) error {
	for _, m := range mutations {
		if err := k.mutation(m, row); err != nil {
			return err
		}
	}
	return nil
}

// MutateRows does mutations of any rows of a table atomically, in order. The Result has the new cells of
// Increments and Appends. It fails with ErrUnsupported if the store cannot write several rows atomically.
func (c *Client) MutateRows(ctx context.Context, table TableName, mutations []Mutation) (*Result, error) {
	var result *Result
	err := c.inTxn(ctx, table, func(w *writer) error {
		if len(mutations) == 0 {
			return fmt.Errorf("%w: there are no mutations", ErrInvalid)
		}
		for _, m := range mutations {
			if m == nil {
				return fmt.Errorf("%w: a mutation is missing", ErrInvalid)
			}
			if err := w.mutation(m, m.TheRow()); err != nil {
				return err
			}
		}
		if err := w.several(ctx, mutations, kv.RowLock{}); err != nil {
			return err
		}
		result = w.result()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// several locks the rows of mutations, in row order, so that concurrent calls do not deadlock, and then does
// the mutations.
func (w *writer) several(ctx context.Context, mutations []Mutation, how kv.RowLock) error {
	if err := w.lockAll(ctx, mutations, how); err != nil {
		return err
	}
	for _, m := range mutations {
		w.row = m.TheRow()
		if err := w.do(ctx, m); err != nil {
			return err
		}
	}
	return nil
}
