package rowapi

import (
	"fmt"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
)

// DefaultNamespace is the namespace of tables whose names have none.
const DefaultNamespace = "default"

// SoleFamily is the family of a table in no table group.
const SoleFamily = "f"

// TableName is the name of a table in a namespace; an empty namespace is the default one.
type TableName struct{ Namespace, Name string }

// ParseTableName parses ns:name, or a name in the default namespace. The error is ErrInvalid.
func ParseTableName(text string) (TableName, error) {
	namespace, name, found := strings.Cut(text, ":")
	if !found {
		namespace, name = DefaultNamespace, text
	}
	if namespace == "" || name == "" || strings.Contains(name, ":") {
		return TableName{}, fmt.Errorf("%w: invalid table name %q: it must be name or namespace:name", ErrInvalid, text)
	}
	return TableName{namespace, name}, nil
}

// String returns the name as HBase writes it, without the default namespace.
func (n TableName) String() string {
	if n.Namespace == "" || n.Namespace == DefaultNamespace {
		return n.Name
	}
	return n.Namespace + ":" + n.Name
}

// DatabaseOf returns the database of a namespace; byDefault is that of the default namespace.
func DatabaseOf(namespace, byDefault string) string {
	if namespace == "" || namespace == DefaultNamespace {
		return byDefault
	}
	return namespace
}

// FamiliesOf returns the tables of the families of an HBase table, in the order of families: those of a
// table group, or a table in no group. It returns none if there is neither, or the group is empty.
func FamiliesOf(c *kv.Catalog, database, name string) []*kv.Table {
	if t := c.Table(database, name); t != nil && t.Group == "" && t.IndexOf == 0 {
		return []*kv.Table{t}
	}
	return c.Families(database, name)
}

// FamilyOf returns the name of the family that a table is.
func FamilyOf(t *kv.Table) string {
	if t.Group == "" {
		return SoleFamily
	}
	return t.Family
}
