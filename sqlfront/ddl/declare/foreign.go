package declare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

const foreignKey = "FOREIGN KEY"

// foreignOf are the foreign keys of columns and of the table.
func foreignOf(columns []ast.ColumnDef, keys []ast.KeyDef) (out []ast.KeyDef) {
	for i := range columns {
		if c := &columns[i]; c.References != "" {
			out = append(out, ast.KeyDef{Kind: foreignKey, Parts: []ast.KeyPart{{Column: c.Name}}, Text: c.References})
		}
	}
	for _, k := range keys {
		if k.Kind == foreignKey {
			out = append(out, k)
		}
	}
	return out
}

// addForeign keeps foreign keys as comments, with a note for each. The error is 1235 if the connection does
// not ask for that. Those without a name get InnoDB's.
func (d *Declaration) addForeign(face *typed.Table, table string, keys []ast.KeyDef) error {
	for _, k := range keys {
		if !d.IgnoreForeignKeys {
			return mysqlerr.Unsupported("FOREIGN KEY, which is not enforced; with foreignKeys=ignore in the DSN it is kept as a comment")
		}
		columns := make([]string, len(k.Parts))
		for i := range k.Parts {
			if columns[i] = k.Parts[i].Column; face.Column(columns[i]) < 0 {
				return mysqlerr.New(mysqlerr.KeyColumnDoesNotExist, "Key column '%s' doesn't exist in table", columns[i])
			}
		}
		name := k.Name
		for n := 1; name == "" || k.Name == "" && foreignNamed(face, name) >= 0; n++ {
			name = fmt.Sprintf("%s_ibfk_%d", table, n)
		}
		if foreignNamed(face, name) >= 0 {
			return mysqlerr.New(mysqlerr.DupForeignKey, "Duplicate foreign key constraint name '%s'", name)
		}
		key := typed.ForeignKey{Name: name, Columns: columns, References: k.Text}
		face.ForeignKeys = append(face.ForeignKeys, key)
		d.Note(mysqlerr.NotSupportedYet, key.String()+" is kept as a comment: it is not enforced")
	}
	return nil
}

// foreignIndexes are the indexes that MySQL creates for foreign keys whose columns no other key starts with.
// Tools find rows by them, and drop them by name.
func (d *Declaration) foreignIndexes(face *typed.Table, keys []ast.KeyDef) (out []ast.KeyDef) {
	if len(keys) == 0 || !d.IgnoreForeignKeys {
		return nil
	}
	there := wholeColumns(face)
	for _, k := range keys {
		index := ast.KeyDef{Kind: plainIndex, Name: cmp.Or(k.Name, k.Index)}
		var columns []int
		for _, part := range k.Parts {
			index.Parts = append(index.Parts, ast.KeyPart{Column: part.Column, Length: -1})
			columns = append(columns, face.Column(part.Column))
		}
		begins := func(key []int) bool { return len(key) >= len(columns) && slices.Equal(key[:len(columns)], columns) }
		if slices.ContainsFunc(there, begins) {
			continue
		}
		there, out = append(there, columns), append(out, index)
	}
	return out
}

// wholeColumns are the leading columns of the primary key and of each index, up to its first prefix.
func wholeColumns(face *typed.Table) [][]int {
	out := [][]int{face.Key}
	for _, index := range face.Indexes {
		var columns []int
		for _, part := range index.Parts {
			if part.Length > 0 {
				break
			}
			columns = append(columns, part.Column)
		}
		out = append(out, columns)
	}
	return out
}

// foreignNamed is the index of the foreign key with that name, ignoring case; -1 if there is none.
func foreignNamed(face *typed.Table, name string) int {
	return slices.IndexFunc(face.ForeignKeys, func(k typed.ForeignKey) bool { return strings.EqualFold(k.Name, name) })
}

// dropForeign is DROP FOREIGN KEY, and DROP CONSTRAINT of one.
func (a *alteration) dropForeign(name string) error {
	at := foreignNamed(a.from, name)
	if at < 0 {
		return mysqlerr.New(mysqlerr.CantDropFieldOrKey, "Can't DROP '%s'; check that column/key exists", name)
	}
	a.unbound = append(a.unbound, a.from.ForeignKeys[at].Name)
	return nil
}

// keepForeign keeps the foreign keys that are not dropped, with the new names of their columns. Dropping a
// column drops its foreign keys.
func (a *alteration) keepForeign() {
	a.to.ForeignKeys = nil
	for _, k := range a.from.ForeignKeys {
		if slices.Contains(a.unbound, k.Name) {
			continue
		}
		k.Columns = slices.Clone(k.Columns)
		gone := false
		for i, name := range k.Columns {
			was := a.from.Column(name)
			at := slices.IndexFunc(a.columns, func(c altered) bool { return c.was == was })
			if gone = gone || at < 0; !gone {
				k.Columns[i] = a.columns[at].Name
			}
		}
		if !gone {
			a.to.ForeignKeys = append(a.to.ForeignKeys, k)
		}
	}
}

// renaming is what foreign keys that name the altered table follow.
func (a *Alter) renaming() typed.Renaming {
	if a.now.Temporary {
		return typed.Renaming{} // other tables do not name it
	}
	n := typed.Renaming{Database: a.now.Database, Table: a.now.Group, ToDatabase: a.Next.Database, ToTable: a.to}
	for _, column := range a.altered.columns {
		if column.was < 0 {
			continue
		}
		if old := a.altered.from.Columns[column.was].Name; old != column.Name {
			n.Columns = append(n.Columns, [2]string{old, column.Name})
		}
	}
	return n
}
