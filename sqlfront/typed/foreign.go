package typed

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// ForeignKey is a foreign key that was declared. Nothing enforces it.
type ForeignKey struct {
	Name       string   `json:"name"`
	Columns    []string `json:"columns"`
	References string   `json:"references"` // from that word on
}

// String is the constraint as it is declared, without anything that ends a comment.
func (k *ForeignKey) String() string {
	names := make([]string, len(k.Columns))
	for i, name := range k.Columns {
		names[i] = lex.QuoteName(name)
	}
	text := "CONSTRAINT " + lex.QuoteName(k.Name) + " FOREIGN KEY (" + strings.Join(names, ",") + ") " + k.References
	return strings.ReplaceAll(text, "*/", "* /")
}
