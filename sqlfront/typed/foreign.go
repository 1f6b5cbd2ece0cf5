package typed

import (
	"context"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// ForeignKey is a declared foreign key. It is not enforced.
type ForeignKey struct {
	Name       string   `json:"name"`
	Columns    []string `json:"columns"`
	References string   `json:"references"` // from that word on
}

// String is the declaration of the constraint, without anything that ends a comment.
func (k *ForeignKey) String() string {
	names := make([]string, len(k.Columns))
	for i, name := range k.Columns {
		names[i] = lex.QuoteName(name)
	}
	text := "CONSTRAINT " + lex.QuoteName(k.Name) + " FOREIGN KEY (" + strings.Join(names, ",") + ") " + k.References
	return strings.ReplaceAll(text, "*/", "* /")
}

// Reference is what a foreign key refers to, and its actions when such rows are deleted or change.
type Reference struct {
	Database string // empty for that of the table itself
	Table    string
	Columns  []string
	// OnUpdate and OnDelete are RESTRICT by default.
	OnUpdate, OnDelete string
	rest               int // where the actions begin
}

// Reference parses References, which is in the form that SHOW CREATE TABLE writes.
func (k *ForeignKey) Reference() Reference {
	r := Reference{OnUpdate: "RESTRICT", OnDelete: "RESTRICT"}
	text, err := lex.Lex(context.Background(), k.References, nil)
	if err != nil {
		return r
	}
	defer text.Release()
	c := text.Cursor(context.Background())
	_ = c.Run(func() { r.read(&c) }) // the parser can read what it has written
	return r
}

func (r *Reference) read(c *lex.Cursor) {
	c.Expect("REFERENCES")
	if r.Table = c.AnyName("a table"); c.AcceptOp(".") {
		r.Database, r.Table = r.Table, c.AnyName("a table")
	}
	if c.AtOp("(") {
		c.Parenthesized(func() { r.Columns = append(r.Columns, c.AnyName("a column")) })
	}
	r.rest = c.Tokens[c.Pos-1].End
	if c.Accept("MATCH") {
		c.Advance()
	}
	for c.Accept("ON") {
		action := &r.OnDelete
		if c.ExpectAny("DELETE", "UPDATE") == "UPDATE" {
			action = &r.OnUpdate
		}
		if *action = c.ExpectAny("RESTRICT", "CASCADE", "SET", "NO"); *action == "SET" || *action == "NO" {
			*action += " " + c.ExpectAny("NULL", "DEFAULT", "ACTION")
		}
	}
}
