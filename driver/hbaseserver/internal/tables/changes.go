package tables

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/partition"
)

// Changes are a master's changes of tables and namespaces. Each is durable and visible to all when its
// method returns. Their errors are HBase's exceptions, or those of the store.
type Changes struct {
	store kv.Store
	names Names
}

// NewChanges makes the Changes of a store.
func NewChanges(store kv.Store, names Names) *Changes { return &Changes{store, names} }

// change is one change of the catalog.
type change struct {
	*kv.CatalogChange
	names Names
}

func (c *Changes) do(ctx context.Context, fn func(change) error) error {
	return c.store.ChangeCatalog(ctx, func(cc *kv.CatalogChange) error { return fn(change{cc, c.names}) })
}

// table returns a table with the changes made so far.
func (c change) table(name rowapi.TableName) (*Table, error) {
	if name == Meta {
		return nil, exception("DoNotRetryIOException", "hbase:meta cannot be changed")
	}
	database := c.names.Database(name.Namespace)
	families := rowapi.FamiliesOf(c.Catalog(), database, name.Name)
	if len(families) == 0 {
		return nil, notFound(name)
	}
	k := keptOf(c.Catalog(), database, name.Name, families)
	return &Table{Name: name, Families: families, Disabled: k.Disabled, database: database, kept: k}, nil
}

// keep saves what is kept of a table whose families and regions may have changed.
func (c change) keep(t *Table) error {
	families := map[string]keptFamily{}
	for _, f := range rowapi.FamiliesOf(c.Catalog(), t.database, t.Name.Name) {
		k := t.kept.Families[rowapi.FamilyOf(f)]
		families[rowapi.FamilyOf(f)] = keptFamily{f.ID, k.Attributes}
	}
	t.kept.Families = families
	if after := rowapi.FamiliesOf(c.Catalog(), t.database, t.Name.Name); len(after) > 0 {
		(&Table{Families: after, kept: t.kept}).nameRegions(time.Now().UnixMilli())
	}
	return t.kept.keep(c.CatalogChange, t.database, t.Name.Name)
}

// Create creates a table, split at the given rows. The error is TableExistsException if it exists.
func (c *Changes) Create(ctx context.Context, m *pb.TableSchema, splits [][]byte) error {
	name := NameOf(m.GetTableName())
	if err := checkName(name); err != nil {
		return err
	}
	if len(m.GetColumnFamilies()) == 0 {
		return exception("DoNotRetryIOException", "Table should have at least one column family.")
	}
	scheme, err := schemeOf(splits)
	if err != nil {
		return err
	}
	return c.do(ctx, func(c change) error {
		t := &Table{Name: name, database: c.names.Database(name.Namespace)}
		if err := c.checkAbsent(t); err != nil {
			return err
		}
		t.kept = &kept{Attributes: extraOf(m.GetAttributes(), nil, m.GetConfiguration()), Families: map[string]keptFamily{}}
		for _, f := range m.GetColumnFamilies() {
			if err := c.addFamily(t, f, scheme); err != nil {
				return err
			}
		}
		return c.keep(t)
	})
}

func schemeOf(splits [][]byte) (*partition.Scheme, error) {
	if len(splits) == 0 {
		return nil, nil
	}
	scheme, err := partition.NewSplit(splits)
	if err != nil {
		return nil, illegal("the split keys: %s", err)
	}
	return scheme, nil
}

func (c change) checkAbsent(t *Table) error {
	switch {
	case t.Name.Namespace == SystemNamespace:
		return exception("DoNotRetryIOException", "no table can be made in the namespace %s", SystemNamespace)
	case c.Catalog().Database(t.database) == nil:
		return noNamespace(t.Name.Namespace)
	case len(rowapi.FamiliesOf(c.Catalog(), t.database, t.Name.Name)) > 0, c.Catalog().View(t.database, t.Name.Name) != nil:
		return exception("TableExistsException", "%s", t.Name)
	}
	return nil
}

func noNamespace(name string) error { return exception("NamespaceNotFoundException", "%s", name) }

// addFamily creates a family.
func (c change) addFamily(t *Table, m *pb.ColumnFamilySchema, scheme *partition.Scheme) error {
	name := string(m.GetName())
	if err := checkFamily(name); err != nil {
		return err
	}
	r, err := retention(m)
	if err != nil {
		return err
	}
	_, err = c.CreateTable(kv.Table{Database: t.database, Name: t.Name.Name + "$" + name, Group: t.Name.Name, Family: name,
		MaxRow: maxRow, MaxQualifier: maxQualifier, Value: kv.ValueType{Max: maxValue}, Created: time.Now().UnixMilli(),
		Retention: r, Partitioning: scheme})
	switch {
	case errors.Is(err, kv.ErrTableExists), errors.Is(err, kv.ErrViewExists), errors.Is(err, kv.ErrGroupExists):
		return exception("TableExistsException", "%s, or a table of SQL's that has the name of its family %q", t.Name, name)
	case err != nil:
		return err
	}
	t.kept.Families = withFamily(t.kept.Families, name, extraOf(m.GetAttributes(), knownOfFamily, m.GetConfiguration()))
	return nil
}

func withFamily(families map[string]keptFamily, name string, e extra) map[string]keptFamily {
	out := map[string]keptFamily{}
	for n, f := range families {
		out[n] = f
	}
	out[name] = keptFamily{Attributes: e} // keep adds the ID
	return out
}

// Modify changes a table's families and attributes to those of a descriptor.
func (c *Changes) Modify(ctx context.Context, m *pb.TableSchema) error {
	if len(m.GetColumnFamilies()) == 0 {
		return exception("DoNotRetryIOException", "Table should have at least one column family.")
	}
	return c.do(ctx, func(c change) error {
		t, err := c.table(NameOf(m.GetTableName()))
		if err != nil {
			return err
		}
		t.kept.Attributes = extraOf(m.GetAttributes(), nil, m.GetConfiguration())
		wanted := map[string]bool{}
		for _, f := range m.GetColumnFamilies() {
			wanted[string(f.GetName())] = true
			if t.find(string(f.GetName())) == nil {
				err = c.newFamily(t, f)
			} else {
				err = c.alterFamily(t, f)
			}
			if err != nil {
				return err
			}
		}
		for _, f := range t.Families {
			if !wanted[rowapi.FamilyOf(f)] {
				if err := c.DropTable(f.Database, f.Name); err != nil {
					return err
				}
			}
		}
		return c.keep(t)
	})
}

func (t *Table) find(family string) *kv.Table {
	i := slices.IndexFunc(t.Families, func(f *kv.Table) bool { return rowapi.FamilyOf(f) == family })
	if i < 0 {
		return nil
	}
	return t.Families[i]
}

// newFamily adds a family to an existing table.
func (c change) newFamily(t *Table, m *pb.ColumnFamilySchema) error {
	if t.Families[0].Group == "" {
		return exception("DoNotRetryIOException", "%s is a table of SQL's that is in no group: it has one family", t.Name)
	}
	return c.addFamily(t, m, t.Families[0].Partitioning)
}

func (c change) alterFamily(t *Table, m *pb.ColumnFamilySchema) error {
	r, err := retention(m)
	if err != nil {
		return err
	}
	next := *t.find(string(m.GetName()))
	r.DropExpired = next.Retention.DropExpired && r.TTLSeconds > 0
	next.Retention = r
	t.kept.Families = withFamily(t.kept.Families, string(m.GetName()),
		extraOf(m.GetAttributes(), knownOfFamily, m.GetConfiguration()))
	return c.AlterTable(next)
}

// AddFamily adds a family to a table. The error is InvalidFamilyOperationException if the table has it.
func (c *Changes) AddFamily(ctx context.Context, name rowapi.TableName, m *pb.ColumnFamilySchema) error {
	return c.do(ctx, func(c change) error {
		t, err := c.table(name)
		if err != nil {
			return err
		}
		if t.find(string(m.GetName())) != nil {
			return exception("InvalidFamilyOperationException", "Column family '%s' in table '%s' already exists so cannot be added",
				m.GetName(), name)
		}
		if err := c.newFamily(t, m); err != nil {
			return err
		}
		return c.keep(t)
	})
}

// ModifyFamily changes a family's attributes to those of a descriptor. The error is
// InvalidFamilyOperationException if the table does not have it.
func (c *Changes) ModifyFamily(ctx context.Context, name rowapi.TableName, m *pb.ColumnFamilySchema) error {
	return c.do(ctx, func(c change) error {
		t, err := c.family(name, string(m.GetName()))
		if err != nil {
			return err
		}
		if err := c.alterFamily(t, m); err != nil {
			return err
		}
		return c.keep(t)
	})
}

// family returns the table with that family.
func (c change) family(name rowapi.TableName, family string) (*Table, error) {
	t, err := c.table(name)
	if err == nil && t.find(family) == nil {
		err = exception("InvalidFamilyOperationException", "Family '%s' does not exist in table '%s'", family, name)
	}
	return t, err
}

// DeleteFamily deletes a family with its cells. The error is InvalidFamilyOperationException if the table
// does not have it, or has no other.
func (c *Changes) DeleteFamily(ctx context.Context, name rowapi.TableName, family string) error {
	return c.do(ctx, func(c change) error {
		t, err := c.family(name, family)
		if err != nil {
			return err
		}
		if len(t.Families) == 1 {
			return exception("InvalidFamilyOperationException",
				"Family '%s' is the only column family in the table, so it cannot be deleted", family)
		}
		if err := c.DropTable(t.database, t.find(family).Name); err != nil {
			return err
		}
		return c.keep(t)
	})
}
