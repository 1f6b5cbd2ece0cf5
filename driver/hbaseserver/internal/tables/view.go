package tables

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// Table is a table as HBase shows it.
type Table struct {
	Name rowapi.TableName
	// Families are in the order of their names, at least one.
	Families []*kv.Table
	// Disabled tables are not read or written by HBase's clients.
	Disabled bool
	Regions  []*Region

	database string
	kept     *kept
}

// FamilyNames returns the names of the families.
func (t *Table) FamilyNames() (out []string) {
	for _, f := range t.Families {
		out = append(out, rowapi.FamilyOf(f))
	}
	return out
}

// View is the tables of a catalog. It is immutable.
type View struct {
	names   Names
	catalog *kv.Catalog
	tables  map[rowapi.TableName]*Table
	ordered []*Table                   // by namespace and name
	regions map[string]*Region         // by name and by encoded name
	unnamed []*Table                   // some of their regions have no ID yet
	lists   func(database string) bool // nil allows all

	meta func() []*metaRow
}

// Views returns the View of a store's newest catalog.
type Views struct {
	store kv.Store
	names Names
	last  atomic.Pointer[View]
}

// NewViews makes the Views of a store.
func NewViews(store kv.Store, names Names) *Views { return &Views{store: store, names: names} }

// View returns the View of the newest catalog, in which all regions have names.
func (v *Views) View(ctx context.Context) (*View, error) {
	for range 3 {
		c, err := v.store.Catalog(ctx)
		if err != nil {
			return nil, err
		}
		if last := v.last.Load(); last != nil && last.catalog == c {
			return last, nil
		}
		next := newView(c, v.names)
		if len(next.unnamed) == 0 && len(orphans(c)) == 0 {
			v.last.Store(next)
			return next, nil
		}
		err = v.store.ChangeCatalog(ctx, v.nameRegions)
		if ctx.Err() != nil || errors.Is(err, kv.ErrClosed) {
			return nil, err
		}
		if err != nil { // the store is read-only, or keeps no attributes
			next.nameForNow()
			v.last.Store(next)
			return next, nil
		}
	}
	return nil, retried("PleaseHoldException", "regions are split, merged or made faster than they can be named")
}

// nameRegions assigns IDs to the regions that have none, keeps them in the catalog, and deletes what it keeps
// of tables and namespaces that no longer exist.
func (v *Views) nameRegions(c *kv.CatalogChange) error {
	for _, t := range newView(c.Catalog(), v.names).unnamed {
		if err := (change{c, v.names}).keep(t); err != nil {
			return err
		}
	}
	for _, name := range orphans(c.Catalog()) {
		if err := c.SetAttribute(name, ""); err != nil {
			return err
		}
	}
	return nil
}

// nameForNow assigns IDs without keeping them.
func (v *View) nameForNow() {
	unnamed := v.unnamed
	v.unnamed = nil
	for _, t := range unnamed {
		t.nameRegions(0)
		v.setRegions(t)
	}
}

func newView(c *kv.Catalog, names Names) *View {
	v := &View{names: names, catalog: c, tables: map[rowapi.TableName]*Table{}, regions: map[string]*Region{}}
	for _, d := range c.Databases() {
		namespace, ok := names.Namespace(d.Name)
		if !ok {
			continue
		}
		for _, t := range c.Tables(d.Name) {
			name := rowapi.TableName{Namespace: namespace, Name: tableOf(t)}
			if v.tables[name] == nil {
				v.add(name, d.Name)
			}
		}
	}
	slices.SortFunc(v.ordered, func(a, b *Table) int { return strings.Compare(a.Name.String(), b.Name.String()) })
	v.meta = sync.OnceValue(v.metaRows)
	return v
}

// tableOf is the name of the table to which a family belongs.
func tableOf(t *kv.Table) string {
	if t.Group == "" {
		return t.Name
	}
	return t.Group
}

func (v *View) add(name rowapi.TableName, database string) {
	families := rowapi.FamiliesOf(v.catalog, database, name.Name)
	k := keptOf(v.catalog, database, name.Name, families)
	t := &Table{Name: name, Families: families, Disabled: k.Disabled, database: database, kept: k}
	v.tables[name], v.ordered = t, append(v.ordered, t)
	v.setRegions(t)
}

func (v *View) setRegions(t *Table) {
	named := true
	if t.Regions, named = regionsOf(t); !named {
		v.unnamed = append(v.unnamed, t)
		return
	}
	for _, r := range t.Regions {
		v.regions[r.Name], v.regions[r.Encoded] = r, r
	}
}

// Table returns the table of a name, or TableNotFoundException.
func (v *View) Table(name rowapi.TableName) (*Table, error) {
	if t := v.tables[name]; t != nil {
		return t, nil
	}
	return nil, notFound(name)
}

// Tables returns all tables, by name.
func (v *View) Tables() []*Table { return v.ordered }

// Namespaces returns the names of all namespaces, sorted.
func (v *View) Namespaces() []string {
	out := []string{SystemNamespace}
	for _, d := range v.catalog.Databases() {
		if name, ok := v.names.Namespace(d.Name); ok && v.shows(d.Name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// HasNamespace reports whether a namespace exists.
func (v *View) HasNamespace(name string) bool {
	database := v.names.Database(name)
	return name == SystemNamespace || v.catalog.Database(database) != nil && v.shows(database)
}

// Disabled reports whether the families belong to a disabled table. It is for rowapi's Options.
func (v *Views) Disabled(families []*kv.Table) bool {
	if len(families) == 0 {
		return false
	}
	c, err := v.store.Catalog(context.Background())
	if err != nil {
		return false // the operation reads the catalog, too, and reports the error
	}
	return keptOf(c, families[0].Database, tableOf(families[0]), families).Disabled
}
