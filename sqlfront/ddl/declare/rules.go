package declare

import (
	"strings"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/ddl/retention"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// MaxName is the maximum length of MySQL's identifiers, in characters.
const MaxName = 64

// maxColumnComment is the maximum length of a column's comment in MySQL, in characters.
const maxColumnComment = 1024

// DuplicateColumn is error 1060.
func DuplicateColumn(name string) error {
	return mysqlerr.New(mysqlerr.DupFieldName, "Duplicate column name '%s'", name)
}

// CheckComment refuses a comment that is too long (1629).
func CheckComment(c *ast.ColumnDef) error {
	if utf8.RuneCountInString(c.Comment) <= maxColumnComment {
		return nil
	}
	return mysqlerr.New(mysqlerr.TooLongFieldComment, "Comment for field '%s' is too long (max = %d)", c.Name, maxColumnComment)
}

// CheckName refuses an invalid table name (1103).
func CheckName(name string) error {
	if name == "" || len([]rune(name)) > MaxName || strings.HasSuffix(name, " ") || strings.ContainsRune(name, 0) {
		return mysqlerr.New(mysqlerr.WrongTableName, "Incorrect table name '%s'", name)
	}
	return nil
}

// maxTableComment is the maximum length of a table's comment, in characters.
const maxTableComment = 2048

// SetOptions stores the options that are only shown again. The error is MySQL's for an unknown character set
// or collation, or a comment that is too long.
func SetOptions(t *kv.Table, o ast.TableOptions) (err error) {
	declared := schema.Of(t)
	if o.Comment != nil {
		if utf8.RuneCountInString(*o.Comment) > maxTableComment {
			return mysqlerr.New(mysqlerr.TooLongTableComment, "Comment for table '%s' is too long (max = %d)", t.Name,
				maxTableComment)
		}
		declared.Comment = *o.Comment
	}
	if declared.Text, err = charset.Declared(o.Charset, o.Collate, declared.Text); err != nil {
		return err
	}
	return retention.Set(&t.Retention, o.Retention)
}

// Family is the name of the column family that has the rows of a typed table.
func Family(name string) string { return name + "$" + schema.TypedFamily }

// Create adds a new table, a column family or that of a typed table, with its indexes to the catalog. Its
// errors are the catalog's.
func Create(c *kv.CatalogChange, t *kv.Table) (*kv.Table, error) {
	isTyped := schema.Of(t).Typed != nil
	if isTyped && c.Catalog().Group(t.Database, t.Group) != nil {
		return nil, kv.ErrGroupExists
	}
	made, err := c.CreateTable(*t)
	if err != nil {
		return made, err
	}
	face := typed.DeclaredCells(made)
	if isTyped {
		if face, err = typed.Declared(made); err != nil {
			return nil, err
		}
	}
	if len(face.Indexes) == 0 {
		return made, nil
	}
	if err := AddIndexes(c, made, face); err != nil {
		return nil, err
	}
	return c.Catalog().TableByID(made.ID), nil
}

// Rename renames the family of a typed table after the table's new name, and stores it in the catalog.
func Rename(c *kv.CatalogChange, t *kv.Table, name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if strings.Contains(name, "$") {
		return mysqlerr.New(mysqlerr.WrongTableName, "Incorrect table name '%s': the name of a typed table must not contain $", name)
	}
	if group := c.Catalog().Group(t.Database, name); group != nil {
		return kv.ErrGroupExists
	}
	t.Group, t.Name = name, Family(name)
	return c.AlterTable(*t)
}

// CheckParted is error 1562 if a temporary table is to have partitions.
func CheckParted(t *kv.Table, by *ast.PartitionBy) error {
	if t.Temporary && by != nil {
		return mysqlerr.New(mysqlerr.PartitionNoTemporary, "Cannot create temporary table with partitions")
	}
	return nil
}
