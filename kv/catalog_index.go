package kv

import (
	"slices"
	"strconv"
)

// AddIndex adds an index that is being built to a table. entries is the descriptor of the hidden table for
// its entries; AddIndex sets its database, group, name, Retention, ID and Layout. The error is ErrNoTable,
// ErrIndexExists, or ErrUnsupported if cells of the table may come and go without a write.
func (c *CatalogChange) AddIndex(database, name string, index Index, entries Table) (*Table, error) {
	t := c.catalog.Table(database, name)
	switch {
	case t == nil:
		return nil, ErrNoTable
	case t.IndexNamed(index.Name) >= 0:
		return nil, ErrIndexExists
	}
	if err := c.limits.Allows(ChangeIndexes); err != nil {
		return nil, err
	}
	if t.Retention.CellTTL {
		return nil, ErrUnsupported{What: "an index of a table with CELL_TTL: create another table without CELL_TTL and copy the rows"}
	}
	entries.Database, entries.Name = database, entriesName(c.catalog.nextID+1)
	entries.Group, entries.Family, entries.Temporary = "", "", t.Temporary
	entries.Retention = t.entriesRetention()
	made, err := c.CreateTable(entries)
	if err != nil {
		return nil, err
	}
	made.IndexOf = t.ID // nobody else has seen it
	index.Entries, index.Building = made.ID, true
	c.setIndexes(t, append(slices.Clone(t.Indexes), index))
	return made, nil
}

// entriesName returns the name of a table of entries, which no statement can use.
func entriesName(id uint64) string { return "\x00" + strconv.FormatUint(id, 10) }

// entriesRetention returns the retention of the entries of a table's indexes. They come from the newest
// version of a column, and expire with its TTL, unless a version is always kept.
func (t *Table) entriesRetention() Retention {
	if t.Retention.MinVersions > 0 {
		return Retention{}
	}
	return Retention{TTLSeconds: t.Retention.TTLSeconds}
}

// ChangeIndex changes the Name, Unique and Building of the table's index of that name. The error is
// ErrNoTable, ErrNoIndex or ErrIndexExists.
func (c *CatalogChange) ChangeIndex(database, name, index string, to Index) error {
	t, i, err := c.index(database, name, index)
	if err != nil {
		return err
	}
	if at := t.IndexNamed(to.Name); at >= 0 && at != i {
		return ErrIndexExists
	}
	to.Entries = t.Indexes[i].Entries
	next := slices.Clone(t.Indexes)
	next[i] = to
	c.setIndexes(t, next)
	return nil
}

// DropIndex removes an index of a table with its entries. The error is ErrNoTable or ErrNoIndex.
func (c *CatalogChange) DropIndex(database, name, index string) error {
	t, i, err := c.index(database, name, index)
	if err != nil {
		return err
	}
	c.dropEntries(t.Indexes[i])
	c.setIndexes(t, slices.Delete(slices.Clone(t.Indexes), i, i+1))
	return nil
}

func (c *CatalogChange) index(database, name, index string) (*Table, int, error) {
	t := c.catalog.Table(database, name)
	if t == nil {
		return nil, 0, ErrNoTable
	}
	i := t.IndexNamed(index)
	if i < 0 {
		return nil, 0, ErrNoIndex
	}
	return t, i, nil
}

func (c *CatalogChange) setIndexes(t *Table, indexes []Index) {
	next := *t
	if next.Indexes = indexes; len(indexes) == 0 {
		next.Indexes = nil
	}
	c.catalog.setTable(next.ID, &next)
}

// dropEntries removes the tables with the entries of some indexes.
func (c *CatalogChange) dropEntries(of ...Index) {
	for _, each := range of {
		c.catalog.setTable(each.Entries, nil)
	}
}

// moveEntries moves the tables of entries with their table into another database.
func (c *CatalogChange) moveEntries(t *Table) {
	for _, each := range t.Indexes {
		entries := c.catalog.TableByID(each.Entries)
		if entries == nil || entries.Database == t.Database {
			continue
		}
		next := *entries
		next.Database = t.Database
		c.catalog.setTable(next.ID, &next)
	}
}

// truncateEntries empties the tables with the entries of some indexes.
func (c *CatalogChange) truncateEntries(of ...Index) error {
	for _, each := range of {
		if entries := c.catalog.TableByID(each.Entries); entries != nil {
			if err := c.truncate(entries.Database, entries.Name, func(_, _ int) bool { return true }); err != nil {
				return err
			}
		}
	}
	return nil
}

// RenewIndex makes transactions that began before and have written to a table fail with ErrCatalogChanged. If
// empty is set, the index of it, which must be Building, loses all entries. The error is ErrNoTable or
// ErrNoIndex.
func (c *CatalogChange) RenewIndex(database, name, index string, empty bool) error {
	t, i, err := c.index(database, name, index)
	if err != nil {
		return err
	}
	next := slices.Clone(t.Indexes)
	next[i].Step++
	c.setIndexes(t, next)
	if !empty {
		return nil
	}
	return c.truncateEntries(next[i])
}

// indexesStale marks the indexes of a table that loses or gets cells without writes for rebuilding.
func (t *Table) indexesStale() {
	t.Indexes = slices.Clone(t.Indexes)
	for i := range t.Indexes {
		t.Indexes[i].Building = true
		t.Indexes[i].Stale++
	}
}

// indexesAllow returns ErrUnsupported if the table has indexes: what would be done to its cells would not be
// done to their entries.
func (t *Table) indexesAllow(what string) error {
	if len(t.Indexes) == 0 {
		return nil
	}
	return ErrUnsupported{What: what + " of a table with indexes: DROP INDEX " + t.Indexes[0].Name + " first, and create it again afterwards"}
}

// indexesRetain returns ErrUnsupported if the table has indexes and would retain cells for another time than
// before: entries carry the time of their cells only if these expire.
func (t *Table) indexesRetain(r Retention) error {
	if r.TTLSeconds == t.Retention.TTLSeconds && r.MinVersions == t.Retention.MinVersions && r.CellTTL == t.Retention.CellTTL {
		return nil
	}
	return t.indexesAllow("another TTL or MIN_VERSIONS")
}
