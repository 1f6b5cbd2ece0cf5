package parse

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
)

const (
	primaryKey = "PRIMARY KEY"
	indexName  = "the name of an index"
)

// atKey reports whether a key or constraint comes next, rather than a column.
func (p *parser) atKey() bool {
	return p.AtAny("PRIMARY", "KEY", "INDEX", "UNIQUE", "FULLTEXT", "SPATIAL", "FOREIGN", "CHECK", "CONSTRAINT")
}

// keyDef reads a key or constraint.
func (p *parser) keyDef() ast.KeyDef {
	k := ast.KeyDef{}
	if p.Accept("CONSTRAINT") && !p.AtAny("PRIMARY", "UNIQUE", "FOREIGN", "CHECK") {
		k.Name = p.NewName("the name of a constraint")
	}
	switch k.Kind = p.ExpectAny("PRIMARY", "KEY", "INDEX", "UNIQUE", "FULLTEXT", "SPATIAL", "FOREIGN", "CHECK"); k.Kind {
	case "PRIMARY":
		p.Expect("KEY")
		k.Kind = primaryKey
	case "KEY":
		k.Kind = "INDEX"
	case "UNIQUE", "FULLTEXT", "SPATIAL":
		p.AcceptAny("KEY", "INDEX")
	case "FOREIGN":
		p.Expect("KEY")
		k.Kind = "FOREIGN KEY"
		name := k.Name
		k.Name = ""
		p.keyColumns(&k)
		k.Name, k.Index, k.Text = name, k.Name, p.references()
		return k
	case "CHECK":
		p.check(&k)
		return k
	}
	p.keyColumns(&k)
	return k
}

// keyColumns reads [name] [USING type] (columns) options.
func (p *parser) keyColumns(k *ast.KeyDef) {
	if !p.AtAny("USING", "TYPE") && p.AtName() {
		k.Name = p.NewName(indexName)
	}
	p.indexType(k)
	p.keyParts(k)
}

// keyParts reads (columns) options.
func (p *parser) keyParts(k *ast.KeyDef) {
	p.Parenthesized(func() { k.Parts = append(k.Parts, p.keyPart()) })
	for p.indexOption(k) {
	}
}

func (p *parser) indexType(k *ast.KeyDef) bool {
	if p.AcceptAny("USING", "TYPE") == "" {
		return false
	}
	k.Using = p.ExpectAny("BTREE", "HASH", "RTREE")
	return true
}

// keyPart reads column [(length)] [ASC | DESC].
func (p *parser) keyPart() ast.KeyPart {
	if p.AtOp("(") {
		p.Unsupported(p.Current().Start, "an expression in a key")
	}
	part := ast.KeyPart{Column: p.Name(columnName), Length: -1}
	if p.AcceptOp("(") {
		part.Length = p.IntValue("a length")
		p.ExpectOp(")")
	}
	p.AcceptAny("ASC", "DESC")
	return part
}

const columnName = "the name of a column"

// keyColumn reads column [ASC | DESC], without a length.
func (p *parser) keyColumn() string {
	start := p.Current().Start
	part := p.keyPart()
	if part.Length >= 0 {
		p.Unsupported(start, "a prefix of a column here")
	}
	return part.Column
}

// wholeColumns are the columns of a primary key.
func (p *parser) wholeColumns(k ast.KeyDef) (names []string) {
	for _, part := range k.Parts {
		if part.Length >= 0 {
			p.Unsupported(p.Current().Start, "a prefix of a column in the primary key")
		}
		names = append(names, part.Column)
	}
	return names
}

func (p *parser) indexOption(k *ast.KeyDef) bool {
	switch {
	case p.indexType(k):
	case p.AcceptAny("KEY_BLOCK_SIZE", "BLOCK_SIZE") != "":
		p.AcceptOp("=")
		p.UintValue("a size")
	case p.Accept("WITH"):
		p.Expect("PARSER")
		p.Name("the name of a parser")
	case p.Accept("COMMENT"):
		k.Comment = p.StringValue("a comment in quotes")
	default:
		return p.AcceptAny("VISIBLE", "INVISIBLE", "LOCAL", "GLOBAL") != ""
	}
	return true
}

// createIndex reads CREATE [UNIQUE | FULLTEXT | SPATIAL] INDEX name [USING type] ON t (columns) options. It
// becomes an action of ALTER TABLE.
func (p *parser) createIndex() ast.Statement {
	k := ast.KeyDef{Kind: p.AcceptAny("UNIQUE", "FULLTEXT", "SPATIAL")}
	if k.Kind == "" {
		k.Kind = "INDEX"
	}
	p.Expect("INDEX")
	k.Name = p.NewName(indexName)
	p.indexType(&k)
	p.Expect("ON")
	s := &ast.AlterTable{Name: p.TableName()}
	p.keyParts(&k)
	p.alterLocks()
	s.Actions = []ast.AlterAction{&ast.AlterAddKey{Key: k}}
	return s
}

// dropIndex reads what follows DROP INDEX, which becomes an action of ALTER TABLE.
func (p *parser) dropIndex() ast.Statement {
	s := &ast.AlterTable{Actions: []ast.AlterAction{p.droppedIndex()}}
	p.Expect("ON")
	s.Name = p.TableName()
	p.alterLocks()
	return s
}

// droppedIndex reads the name of an index to be dropped; PRIMARY is the primary key's.
func (p *parser) droppedIndex() ast.AlterAction {
	name := p.Name(indexName)
	if strings.EqualFold(name, "PRIMARY") {
		return &ast.AlterDropPrimaryKey{}
	}
	return &ast.AlterDropKey{Kind: "INDEX", Name: name}
}

// alterLocks skips ALGORITHM and LOCK after an index.
func (p *parser) alterLocks() {
	for p.AtAny("ALGORITHM", "LOCK") {
		p.alterLock()
	}
}
