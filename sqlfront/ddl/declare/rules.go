package declare

import (
	"strings"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

// MaxName is MySQL's longest identifier, in characters.
const MaxName = 64

// maxColumnComment is MySQL's longest comment of a column, in characters.
const maxColumnComment = 1024

// DuplicateColumn is 1060.
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

// CheckName refuses what is no name of a table (1103).
func CheckName(name string) error {
	if name == "" || len([]rune(name)) > MaxName || strings.HasSuffix(name, " ") || strings.ContainsRune(name, 0) {
		return mysqlerr.New(mysqlerr.WrongTableName, "Incorrect table name '%s'", name)
	}
	return nil
}
