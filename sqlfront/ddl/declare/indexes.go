package declare

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// The kinds of keys that are indexes.
const (
	plainIndex  = "INDEX"
	uniqueIndex = "UNIQUE"
)

const (
	maxIndexes      = 63 // besides the primary key
	maxIndexComment = 1024
	primary         = "PRIMARY"
)

// isIndex reports whether a key is a secondary index.
func isIndex(k *ast.KeyDef) bool { return k.Kind == plainIndex || k.Kind == uniqueIndex }

// unsupportedKey is error 1235 for a key or constraint that typed tables do not have.
func unsupportedKey(kind string) error {
	hint := ""
	if kind == "FULLTEXT" || kind == "SPATIAL" {
		hint = ": an ordinary INDEX serves =, ranges and LIKE 'prefix%'"
	}
	return mysqlerr.Unsupported(kind + " of tables other than column families" + hint)
}

// indexesOf are the indexes of UNIQUE columns and of the table. names are the columns of the primary key:
// among them, a numbered one such as SERIAL needs no index of its own.
func indexesOf(columns []ast.ColumnDef, keys []ast.KeyDef, names []string) (out []ast.KeyDef) {
	for i := range columns {
		c := &columns[i]
		if c.Unique && !(c.AutoIncrement && len(names) == 1 && strings.EqualFold(names[0], c.Name)) {
			out = append(out, ast.KeyDef{Kind: uniqueIndex, Parts: []ast.KeyPart{{Column: c.Name, Length: -1}}})
		}
	}
	for i := range keys {
		if isIndex(&keys[i]) {
			out = append(out, keys[i])
		}
	}
	return out
}

// addIndexes adds indexes to a table, and names those without a name.
func addIndexes(face *typed.Table, keys []ast.KeyDef) error {
	for i := range keys {
		if err := addIndex(face, &keys[i]); err != nil {
			return err
		}
	}
	return finishIndexes(face)
}

// finishIndexes completes the indexes of a table; the error is 1069 if there are too many.
func finishIndexes(face *typed.Table) error {
	if len(face.Indexes) > maxIndexes {
		return mysqlerr.New(mysqlerr.TooManyKeys, "Too many keys specified; max %d keys allowed", maxIndexes+1)
	}
	face.SortIndexes()
	return nil
}

func addIndex(face *typed.Table, k *ast.KeyDef) error {
	index := typed.Index{Name: k.Name, Unique: k.Kind == uniqueIndex, Using: k.Using, Comment: k.Comment, Texts: true, UTF8: true}
	if utf8.RuneCountInString(k.Comment) > maxIndexComment {
		return mysqlerr.New(mysqlerr.TooLongIndexComment, "Comment for index '%s' is too long (max = %d)", k.Name, maxIndexComment)
	}
	for _, p := range k.Parts {
		at := face.Column(p.Column)
		switch {
		case at < 0:
			return mysqlerr.New(mysqlerr.KeyColumnDoesNotExist, "Key column '%s' doesn't exist in table", p.Column)
		case slices.ContainsFunc(index.Parts, func(other typed.IndexPart) bool { return other.Column == at }):
			return DuplicateColumn(p.Column)
		}
		index.Parts = append(index.Parts, typed.IndexPart{Column: at, Length: p.Length})
	}
	if index.Name == "" {
		index.Name = freeIndexName(face, face.Columns[index.Parts[0].Column].Name)
	}
	if err := checkIndexName(face, index.Name); err != nil {
		return err
	}
	if err := setPrefixes(face, &index); err != nil {
		return err
	}
	face.Indexes = append(face.Indexes, index)
	return nil
}

// checkIndexName refuses an invalid name of an index (1280), and one that is taken (1061).
func checkIndexName(face *typed.Table, name string) error {
	switch {
	case strings.EqualFold(name, primary) || name == "" || strings.HasSuffix(name, " ") || utf8.RuneCountInString(name) > MaxName:
		return mysqlerr.New(mysqlerr.WrongNameForIndex, "Incorrect index name '%s'", name)
	case face.Index(name) >= 0:
		return mysqlerr.New(mysqlerr.DupKeyName, "Duplicate key name '%s'", name)
	}
	return nil
}

// freeIndexName is the name of an index without one: that of its first column, if need be with a number.
func freeIndexName(face *typed.Table, column string) string {
	name := column
	for n := 2; face.Index(name) >= 0 || strings.EqualFold(name, primary); n++ {
		name = fmt.Sprintf("%s_%d", column, n)
	}
	return name
}

// setPrefixes checks the declared lengths of an index's columns; -1 is none.
func setPrefixes(face *typed.Table, index *typed.Index) error {
	parts := make([]coltype.KeyPart, len(index.Parts))
	for i, p := range index.Parts {
		c := &face.Columns[p.Column]
		parts[i] = coltype.KeyPart{Name: c.Name, Type: c.Type, Prefix: p.Length}
	}
	lengths, err := coltype.CheckIndex(parts)
	for i := range lengths {
		index.Parts[i].Length = lengths[i]
	}
	return err
}

// checkVirtualIndexes refuses indexes over virtual columns whose values depend on the reading session: on its
// time zone, or on its date.
func checkVirtualIndexes(face *typed.Table, bound []typed.BoundColumn) (err error) {
	depends := map[int]string{}
	for _, b := range bound {
		expr.Columns(b.Node, func(c *expr.Column) {
			switch base := face.Columns[c.Index].Type.Base; {
			case base == coltype.Timestamp || base == coltype.Time:
				depends[b.Column] = face.Columns[c.Index].Name
			case depends[c.Index] != "":
				depends[b.Column] = depends[c.Index]
			}
		})
	}
	for i := range face.Indexes {
		for _, p := range face.Indexes[i].Parts {
			if of := depends[p.Column]; of != "" && face.IsVirtual(p.Column) {
				return mysqlerr.Unsupported("an index on the VIRTUAL column '" + face.Columns[p.Column].Name + "', which reads the TIMESTAMP or TIME '" +
					of + "', that sessions see in their own ways: make it STORED")
			}
		}
	}
	return nil
}

// isUnique reports whether the name is a unique index's.
func (a *alteration) isUnique(name string) bool {
	at := a.from.Index(name)
	return at >= 0 && a.from.Indexes[at].Unique
}

// dropIndex is DROP INDEX, and DROP CONSTRAINT for a unique index.
func (a *alteration) dropIndex(name string) error {
	at := a.from.Index(name)
	if at < 0 || a.goneIndexes[at] {
		return mysqlerr.New(mysqlerr.CantDropFieldOrKey, "Can't DROP '%s'; check that column/key exists", name)
	}
	a.goneIndexes[at] = true
	return nil
}

// renameIndex is RENAME INDEX.
func (a *alteration) renameIndex(action *ast.AlterRenameIndex) error {
	at := a.from.Index(action.Old)
	if at < 0 || a.goneIndexes[at] {
		return mysqlerr.New(mysqlerr.KeyDoesNotExist, "Key '%s' doesn't exist in table '%s'", action.Old, a.name)
	}
	a.indexNames[at] = action.New
	return nil
}

// keepIndexes keeps the indexes that are not dropped, under their new names and without dropped columns, and
// adds the new ones.
func (a *alteration) keepIndexes() error {
	to := a.to
	to.Indexes = nil
	for at, index := range a.from.Indexes {
		old := &a.from.Indexes[at]
		if name, ok := a.indexNames[at]; ok {
			index.Name = name
		}
		if index.Parts = a.keptParts(&index); a.goneIndexes[at] || len(index.Parts) == 0 {
			a.entries.note(a, old, nil)
			continue
		}
		if err := checkIndexName(to, index.Name); err != nil {
			return err
		}
		if err := setPrefixes(to, &index); err != nil {
			return err
		}
		a.entries.note(a, old, &index)
		to.Indexes = append(to.Indexes, index)
	}
	if err := a.addNewIndexes(a.indexes); err != nil {
		return err
	}
	if !a.temporary {
		if err := a.addNewIndexes(a.foreignIndexes(to, a.foreign)); err != nil {
			return err
		}
	}
	return finishIndexes(to)
}

func (a *alteration) addNewIndexes(keys []ast.KeyDef) error {
	for i := range keys {
		if err := addIndex(a.to, &keys[i]); err != nil {
			return err
		}
		a.entries.added = append(a.entries.added, a.to.Indexes[len(a.to.Indexes)-1].Name)
	}
	return nil
}

// keptParts are the parts of an index that are not dropped, by their new indexes. A prefix that covers the
// new type's length becomes the whole column.
func (a *alteration) keptParts(index *typed.Index) (out []typed.IndexPart) {
	for _, p := range index.Parts {
		at := slices.IndexFunc(a.columns, func(c altered) bool { return c.was == p.Column })
		if at < 0 {
			continue
		}
		length := p.Length
		if t := a.to.Columns[at].Type; length == 0 || !t.Base.IsLarge() && length >= t.Length {
			length = -1
		}
		out = append(out, typed.IndexPart{Column: at, Length: length})
	}
	return out
}
