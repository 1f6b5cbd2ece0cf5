package rowapi

import (
	"errors"
	"fmt"
	"sync"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// target is a table in one catalog.
type target struct {
	name     TableName
	tables   []*kv.Table // in the order of families
	families []string
	disabled bool
}

// resolved caches the targets of one catalog.
type resolved struct {
	catalog *kv.Catalog
	targets sync.Map // of TableName to *target
}

// lookUp finds a table in a catalog, even if it is disabled.
func (c *Client) lookUp(catalog *kv.Catalog, name TableName) (*target, error) {
	r := c.known.Load()
	if r == nil || r.catalog != catalog {
		r = &resolved{catalog: catalog}
		c.known.Store(r)
	}
	if t, ok := r.targets.Load(name); ok {
		return t.(*target), nil
	}
	t := c.find(catalog, name)
	if t == nil {
		return nil, fmt.Errorf("%w: %s", ErrTableNotFound, name)
	}
	r.targets.Store(name, t)
	return t, nil
}

// enabled is lookUp, and fails with ErrTableDisabled for a disabled table.
func (c *Client) enabled(catalog *kv.Catalog, name TableName) (*target, error) {
	t, err := c.lookUp(catalog, name)
	if err == nil && t.disabled {
		return nil, fmt.Errorf("%w: %s", ErrTableDisabled, name)
	}
	return t, err
}

func (c *Client) find(catalog *kv.Catalog, name TableName) *target {
	database := DatabaseOf(name.Namespace, c.options.Database)
	t := &target{name: name, tables: FamiliesOf(catalog, database, name.Name)}
	if len(t.tables) == 0 && catalog.Group(database, name.Name) == nil {
		return nil
	}
	for _, table := range t.tables {
		t.families = append(t.families, FamilyOf(table))
	}
	t.disabled = c.options.Disabled != nil && c.options.Disabled(t.tables)
	return t
}

// family returns the index of a family, or ErrNoSuchFamily.
func (t *target) family(name string) (int, error) {
	for i, f := range t.families { // there are only few
		if f == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%w: %s in table %s", ErrNoSuchFamily, name, t.name)
}

// mapError translates a store's error to this package's.
func mapError(err error) error {
	if err == nil {
		return nil
	}
	for _, m := range meanings {
		if errors.Is(err, m.store) {
			return fmt.Errorf("%w: %w", m.here, err)
		}
	}
	var unsupported kv.ErrUnsupported
	if errors.As(err, &unsupported) {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	return err
}

var meanings = []struct{ store, here error }{
	{kv.ErrLockTimeout, ErrBusy}, {kv.ErrConflict, ErrBusy}, {kv.ErrDeadlock, ErrBusy}, {kv.ErrNoPartition, ErrWrongRow},
	{kv.ErrLength, ErrCellTooLarge}, {kv.ErrTooLarge, ErrTooLarge}, {kv.ErrTimestampExhausted, ErrTimestampExhausted},
}

// openFilter opens a filter for one scan.
func openFilter(f filter.Filter, reversed bool) (filter.Evaluator, error) {
	if f == nil {
		return nil, nil
	}
	return f.Open(reversed)
}
