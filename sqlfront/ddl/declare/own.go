package declare

import (
	"slices"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/attribute"
)

// Own turns a new table into a temporary one, which has no indexes: those that are not unique do not affect
// results and are left out, with a note for each. Unique ones are error 1235.
func (d *Declaration) Own(t *kv.Table) error {
	face, err := typed.Declared(t)
	if err != nil || len(face.Indexes) == 0 {
		return err
	}
	if i := slices.IndexFunc(face.Indexes, func(i typed.Index) bool { return i.Unique }); i >= 0 {
		return mysqlerr.Unsupported("UNIQUE INDEX " + face.Indexes[i].Name + " of a temporary table")
	}
	for _, index := range face.Indexes {
		d.Note(mysqlerr.NotSupportedYet, "INDEX "+index.Name+" is left out: temporary tables have no indexes")
	}
	without := *face
	without.Indexes = nil
	schema.Edit(t).Typed = attribute.New(&without)
	return nil
}

// CheckParted is error 1562 if a temporary table is to have partitions.
func CheckParted(t *kv.Table, by *ast.PartitionBy) error {
	if t.Temporary && by != nil {
		return mysqlerr.New(mysqlerr.PartitionNoTemporary, "Cannot create temporary table with partitions")
	}
	return nil
}
