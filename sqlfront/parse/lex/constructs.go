package lex

import "github.com/hbasekv/hbasekv/sqlfront/parse/ast"

// IfNotExists reads IF NOT EXISTS, and reports whether it was there.
func (c *Cursor) IfNotExists() bool {
	if !c.Accept("IF") {
		return false
	}
	c.Expect("NOT", "EXISTS")
	return true
}

// IfExists reads IF EXISTS, and reports whether it was there.
func (c *Cursor) IfExists() bool {
	if !c.Accept("IF") {
		return false
	}
	c.Expect("EXISTS")
	return true
}

// Refuse fails with 1235 if the next words are one of the constructs, which are in upper case. The error
// names it after prefix, the words before it.
func (c *Cursor) Refuse(prefix string, constructs ...string) {
	for _, construct := range constructs {
		if c.AtPhrase(construct) {
			c.Unsupported(c.Current().Start, prefix+construct)
		}
	}
}

// TableName reads name or database.name.
func (c *Cursor) TableName() ast.TableName {
	n := ast.TableName{Offset: c.Current().Start}
	first := c.Current()
	n.Name = c.CheckLength(c.Name("the name of a table"), first)
	if c.AcceptOp(".") {
		t := c.Current()
		n.Database, n.Name = n.Name, c.CheckLength(c.AnyName("the name of a table"), t)
	}
	return n
}

// TableNames reads a list of table names.
func (c *Cursor) TableNames() []ast.TableName {
	var names []ast.TableName
	c.List(func() { names = append(names, c.TableName()) })
	return names
}

// StringOrHex reads a string or, as MySQL 8 prints secrets, a number in hexadecimal.
func (c *Cursor) StringOrHex(what string) *string {
	if c.Current().Kind == Hex {
		text := string(c.Literal().Bytes)
		return &text
	}
	text := c.StringValue(what)
	return &text
}
