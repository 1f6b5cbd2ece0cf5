package rowapi

import (
	"bytes"
	"context"
	"fmt"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// checker refuses mutations before anything of them is done.
type checker struct {
	client *Client
	target *target
}

// mutation checks one mutation of a row.
func (k checker) mutation(m Mutation, row []byte) error {
	if m == nil {
		return fmt.Errorf("%w: a mutation is missing", ErrInvalid)
	}
	switch a := m.mutation(); {
	case a.Visibility != "":
		return fmt.Errorf("%w: visibility labels", ErrUnsupported)
	case len(a.ACL) > 0:
		return fmt.Errorf("%w: access control of cells", ErrUnsupported)
	case len(m.TheRow()) == 0:
		return errNoRow
	case len(k.target.tables) == 0:
		return fmt.Errorf("%w: table %s has no families", ErrNoSuchFamily, k.target.name)
	case !bytes.Equal(m.TheRow(), row):
		return fmt.Errorf("%w: all mutations must be of the same row, not of %q and %q", ErrInvalid, row, m.TheRow())
	}
	if err := checkTTL(m, m.mutation().TTL); err != nil {
		return err
	}
	switch m := m.(type) {
	case *Put:
		return k.cells("put", m.Row, m.Cells)
	case *Append:
		return k.cells("append", m.Row, m.Cells)
	case *Increment:
		return k.increment(m)
	case *Delete:
		return k.delete(m)
	}
	return fmt.Errorf("%w: unknown mutation type %T", ErrInvalid, m)
}

// cells checks what is written.
func (k checker) cells(what string, row []byte, cells []Cell) error {
	if len(cells) == 0 {
		return fmt.Errorf("%w: no columns to %s", ErrInvalid, what)
	}
	for i := range cells {
		c := &cells[i]
		table, err := k.table(c.Family)
		if err != nil {
			return err
		}
		if err := k.sizes(table, row, c.Qualifier, c.Value); err != nil {
			return err
		}
		if c.Timestamp < 0 {
			return fmt.Errorf("%w: the timestamp %d is negative", ErrInvalid, c.Timestamp)
		}
	}
	return nil
}

func (k checker) table(family string) (*kv.Table, error) {
	i, err := k.target.family(family)
	if err != nil {
		return nil, err
	}
	return k.target.tables[i], nil
}

// sizes checks lengths against the table's declaration.
func (k checker) sizes(t *kv.Table, row, qualifier, value []byte) error {
	for _, part := range []struct {
		what       string
		have, most int
	}{
		{"row", len(row), t.MaxRow}, {"qualifier", len(qualifier), t.MaxQualifier}, {"value", len(value), t.Value.Max},
		{"cell", len(row) + len(qualifier) + len(value), k.client.options.MaxCellBytes},
	} {
		if part.most > 0 && part.have > part.most {
			return fmt.Errorf("%w: the %s has %d bytes, at most %d are allowed in %s", ErrCellTooLarge, part.what, part.have,
				part.most, t.Name)
		}
	}
	return nil
}

func (k checker) increment(m *Increment) error {
	if len(m.Deltas) == 0 {
		return fmt.Errorf("%w: no columns to increment", ErrInvalid)
	}
	for i := range m.Deltas {
		table, err := k.table(m.Deltas[i].Family)
		if err != nil {
			return err
		}
		if err := k.sizes(table, m.Row, m.Deltas[i].Qualifier, nil); err != nil {
			return err
		}
	}
	_, _, err := timeRange(m.Time)
	return err
}

func (k checker) delete(m *Delete) error {
	timestamps := m.Timestamp
	for i := range m.Parts {
		p := &m.Parts[i]
		if _, err := k.target.family(p.Family); err != nil {
			return err
		}
		if p.Kind > DeleteFamilyVersion {
			return fmt.Errorf("%w: unknown kind of delete: %d", ErrInvalid, p.Kind)
		}
		timestamps = min(timestamps, p.Timestamp)
	}
	if timestamps < 0 {
		return fmt.Errorf("%w: the timestamp %d is negative", ErrInvalid, timestamps)
	}
	return nil
}

// condition checks the condition of a CheckAndMutate.
func (k checker) condition(c *Condition) error {
	if c.Filter == nil {
		if _, err := k.target.family(c.Family); err != nil {
			return err
		}
		if c.Op > filter.NoOp {
			return fmt.Errorf("%w: unknown operator %d", ErrInvalid, c.Op)
		}
	}
	_, _, err := timeRange(c.Time)
	return err
}

// holds reports whether a condition holds for the row, and returns the timestamp of the cell that it has
// checked, for a filter the first one that passes, as in HBase; 0 if there is none.
func (w *writer) holds(ctx context.Context, c *Condition) (bool, int64, error) {
	g := &Get{Row: w.row, Columns: Columns{Time: c.Time, Filter: c.Filter}}
	if c.Filter == nil {
		g.Families = []FamilyColumns{{Family: c.Family, Qualifiers: [][]byte{notNil(c.Qualifier)}}}
	}
	r, err := new(Memory).getRow(ctx, w.tx, w.target, g)
	if err != nil {
		return false, 0, err
	}
	if len(r.Cells) == 0 {
		return c.holds(r), 0, nil
	}
	return c.holds(r), r.Cells[0].Timestamp, nil
}

// holds reports whether the condition holds for what has been read.
func (c *Condition) holds(r *Result) bool {
	if c.Filter != nil {
		return r.Exists
	}
	nothing := c.Comparator == nil || len(c.Comparator.Operand()) == 0
	switch {
	case !nothing && !r.Exists:
		return false
	case !nothing:
		return c.Op.Holds(c.Comparator.Compare(r.Cells[0].Value))
	}
	absent := !r.Exists || len(r.Cells[0].Value) == 0
	return absent == (c.Op != filter.NotEqual)
}
