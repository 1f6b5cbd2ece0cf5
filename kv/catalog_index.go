package kv

import (
	"slices"
	"strconv"
)

// AddIndex adds an index that is being built to a table. entries is the descriptor of the hidden
// table for its entries: what says where the table belongs, what it is called, and what it
// retains is set here, as are its ID and Layout. The error is ErrNoTable, ErrIndexExists, or
// ErrUnsupported where cells may come and go without a write.
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
		return nil, ErrUnsupported{What: "an index of a table whose cells have a TTL of their own: make another table without CELL_TTL and copy the rows into it"}
	}
	entries.Database, entries.Name = database, entriesName(c.catalog.nextID+1)
	entries.Group, entries.Family = "", ""
	entries.Retention = t.entriesRetention()
	made, err := c.CreateTable(entries)
	if err != nil {
		return nil, err
	}
	made.IndexOf = t.ID // which nobody else has seen
	index.Entries, index.Building = made.ID, true
	c.setIndexes(t, append(slices.Clone(t.Indexes), index))
	return made, nil
}

// entriesName is what a table of entries is called: no statement can name it.
func entriesName(id uint64) string { return "\x00" + strconv.FormatUint(id, 10) }

// entriesRetention is what the entries of a table's indexes retain. The newest version of a
// column is what they come from: it goes with its TTL, unless a version is kept always.
func (t *Table) entriesRetention() Retention {
	if t.Retention.MinVersions > 0 {
		return Retention{}
	}
	return Retention{TTLSeconds: t.Retention.TTLSeconds}
}

// ChangeIndex replaces what is said of the table's index of that name: its own name, Unique and
// Building. The error is ErrNoTable, ErrNoIndex or ErrIndexExists.
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

// dropEntries removes the tables of entries of some indexes.
func (c *CatalogChange) dropEntries(of ...Index) {
	for _, each := range of {
		c.catalog.setTable(each.Entries, nil)
	}
}

// moveEntries has the tables of entries follow their table into another database.
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

// truncateEntries empties the tables of entries of some indexes.
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

// RenewIndex has the transactions fail that have begun before and have written to a table: ErrCatalogChanged. An index of it,
// which is Building, loses all entries where it is to be empty. The error is ErrNoTable or ErrNoIndex.
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

// indexesStale has a table that loses cells without writes have its indexes built again.
func (t *Table) indexesStale() {
	t.Indexes = slices.Clone(t.Indexes)
	for i := range t.Indexes {
		t.Indexes[i].Building = true
		t.Indexes[i].Stale++
	}
}

// indexesAllow is ErrUnsupported where the table has indexes: what is to be done to its cells would not be done
// to their entries.
func (t *Table) indexesAllow(what string) error {
	if len(t.Indexes) == 0 {
		return nil
	}
	return ErrUnsupported{What: what + " of a table with indexes: DROP INDEX " + t.Indexes[0].Name + " first, and create it anew"}
}

// indexesRetain is ErrUnsupported where the table has indexes and is to retain cells for another
// time than it does: entries carry the time of their cells only where these expire.
func (t *Table) indexesRetain(r Retention) error {
	if r.TTLSeconds == t.Retention.TTLSeconds && r.MinVersions == t.Retention.MinVersions && r.CellTTL == t.Retention.CellTTL {
		return nil
	}
	return t.indexesAllow("another TTL or MIN_VERSIONS")
}
