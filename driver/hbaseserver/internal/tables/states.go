package tables

import (
	"context"
	"time"

	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/partition"
)

// Enable enables a disabled table. The error is TableNotFoundException or TableNotDisabledException.
func (c *Changes) Enable(ctx context.Context, name rowapi.TableName) error {
	return c.setDisabled(ctx, name, false)
}

// Disable disables a table, so that HBase's clients can neither read nor write it. The error is
// TableNotFoundException or TableNotEnabledException.
func (c *Changes) Disable(ctx context.Context, name rowapi.TableName) error {
	return c.setDisabled(ctx, name, true)
}

func (c *Changes) setDisabled(ctx context.Context, name rowapi.TableName, disabled bool) error {
	return c.do(ctx, func(c change) error {
		t, err := c.table(name)
		switch {
		case err != nil:
			return err
		case t.Disabled && disabled:
			return exception("TableNotEnabledException", "%s", name)
		case !t.Disabled && !disabled:
			return exception("TableNotDisabledException", "%s", name)
		}
		t.kept.Disabled = disabled
		return c.keep(t)
	})
}

// disabledTable returns a table, which must be disabled.
func (c change) disabledTable(name rowapi.TableName) (*Table, error) {
	t, err := c.table(name)
	if err == nil && !t.Disabled {
		err = exception("TableNotDisabledException", "%s", name)
	}
	return t, err
}

// Delete deletes a disabled table. The error is TableNotFoundException or TableNotDisabledException.
func (c *Changes) Delete(ctx context.Context, name rowapi.TableName) error {
	return c.do(ctx, func(c change) error {
		t, err := c.disabledTable(name)
		if err != nil {
			return err
		}
		if err := c.dropFamilies(t); err != nil {
			return err
		}
		if g := c.Catalog().Group(t.database, name.Name); g != nil {
			if err := c.DropGroup(t.database, name.Name); err != nil {
				return err
			}
		}
		return c.SetAttribute(keptName(t.database, name.Name), "")
	})
}

func (c change) dropFamilies(t *Table) error {
	for _, f := range t.Families {
		if err := c.DropTable(f.Database, f.Name); err != nil {
			return err
		}
	}
	return nil
}

// Truncate recreates a disabled table without cells, and enables it. Without its splits it becomes
// one region.
func (c *Changes) Truncate(ctx context.Context, name rowapi.TableName, keepSplits bool) error {
	return c.do(ctx, func(c change) error {
		t, err := c.disabledTable(name)
		if err != nil {
			return err
		}
		if err := c.dropFamilies(t); err != nil {
			return err
		}
		for _, f := range t.Families {
			next := *f
			next.Created, next.Generation = max(time.Now().UnixMilli(), f.Created+1), 0
			if !keepSplits && next.Partitioning.Method() == partition.Range && next.Partitioning.Slices() == nil {
				next.Partitioning = nil
			}
			if _, err := c.CreateTable(next); err != nil {
				return err
			}
		}
		t.kept.Disabled = false
		return c.keep(t)
	})
}
