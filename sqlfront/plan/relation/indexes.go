package relation

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// Index is a secondary index of a typed table, or of a column family, with the table of its entries.
type Index struct {
	Key     *typed.IndexKey
	Entries *kv.Table
	// Forced is true if the index is used whatever a scan of the table costs.
	Forced bool
}

// addIndexes sets the indexes of the table of a family's rows or cells, as far as their entries are complete.
func (r *Relation) addIndexes(c *kv.Catalog, t *kv.Table, face *typed.Table) error {
	for _, index := range t.Indexes {
		at, entries := face.Index(index.Name), c.TableByID(index.Entries)
		if at < 0 || entries == nil || index.Building {
			continue
		}
		key, err := face.IndexKey(at)
		if err != nil {
			return err
		}
		r.Indexes = append(r.Indexes, Index{Key: key, Entries: entries})
	}
	return nil
}

// hint keeps the indexes that hints name. The error is 1176 if one does not exist, on a typed table or a
// family that has indexes.
func (r *Relation) hint(hints []ast.IndexHint) error {
	if len(hints) == 0 {
		return nil
	}
	face := r.Typed
	if t := r.Table(); t != nil && len(t.Indexes) > 0 {
		face = typed.CellsOf(t)
	}
	if face == nil {
		return nil
	}
	used, named := map[string]ast.IndexHint{}, false
	for _, h := range hints {
		named = named || h.Verb != "IGNORE"
		for _, name := range h.Names {
			if face.Index(name) < 0 && !strings.EqualFold(name, "PRIMARY") {
				return mysqlerr.New(mysqlerr.KeyDoesNotExist, "Key '%s' doesn't exist in table '%s'", name, r.Alias)
			}
			used[strings.ToLower(name)] = h
		}
	}
	left := slices.Clone(r.Indexes)
	for i := range left {
		left[i].Forced = used[strings.ToLower(left[i].Key.Name())].Verb == "FORCE"
	}
	r.Indexes = slices.DeleteFunc(left, func(i Index) bool {
		h, ok := used[strings.ToLower(i.Key.Name())]
		return ok && h.Verb == "IGNORE" || !ok && named
	})
	return nil
}
