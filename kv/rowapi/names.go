package rowapi

import (
	"fmt"
	"strings"
)

// DefaultNamespace is the namespace of tables whose names have none.
const DefaultNamespace = "default"

// SoleFamily is the family of a table that is in no table group.
const SoleFamily = "f"

// TableName is the name of a table in a namespace; an empty namespace is the default one.
type TableName struct{ Namespace, Name string }

// ParseTableName reads ns:name, or a name in the default namespace.
func ParseTableName(text string) (TableName, error) {
	namespace, name, found := strings.Cut(text, ":")
	if !found {
		namespace, name = DefaultNamespace, text
	}
	if namespace == "" || name == "" || strings.Contains(name, ":") {
		return TableName{}, fmt.Errorf("%w: a table is named name or namespace:name, not %q", ErrInvalid, text)
	}
	return TableName{namespace, name}, nil
}

// String is the name as HBase writes it, without the default namespace.
func (n TableName) String() string {
	if n.Namespace == "" || n.Namespace == DefaultNamespace {
		return n.Name
	}
	return n.Namespace + ":" + n.Name
}
