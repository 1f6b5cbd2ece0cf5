package infoschema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/coltype"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/typed"
)

// declaration is the additional information about a typed table's column.
type declaration struct {
	typ     coltype.Type
	facts   coltype.Facts
	initial any    // COLUMN_DEFAULT, nil for NULL
	clause  string // DEFAULT ... and ON UPDATE ... as SHOW CREATE TABLE writes them
	extra   string
}

// typedColumns are the columns of the typed table whose rows a family has.
func typedColumns(family *kv.Table) ([]column, error) {
	face, err := typed.Of(family)
	if err != nil {
		return nil, err
	}
	var out []column
	for i := range face.Columns {
		c := &face.Columns[i]
		if c.Hidden {
			continue
		}
		d := &declaration{typ: c.Type, facts: c.Type.Facts()}
		d.describe(c, schema.Of(family).Text, face.KeyPart(i) >= 0)
		one := column{name: c.Name, data: d.facts.DataType, declared: d.facts.ColumnType, kind: face.Values(i).Kind,
			nullable: !c.NotNull, key: face.KeyMark(i), comment: c.Comment, declaration: d}
		if c.Generated != nil {
			one.expression = c.Generated.Text
		}
		out = append(out, one)
	}
	return out, nil
}

// describe sets the fields for defaults.
func (d *declaration) describe(c *typed.Column, text schema.Text, inKey bool) {
	clock := "CURRENT_TIMESTAMP"
	if c.Type.Decimals > 0 {
		clock = fmt.Sprintf("CURRENT_TIMESTAMP(%d)", c.Type.Decimals)
	}
	var words []string
	if own := (schema.Text{Charset: c.Type.Charset, Collation: c.Type.Collation}); own.Charset != "" &&
		(own != charset.Shown(text) || inKey && !strings.Contains(charset.Options(text), "COLLATE")) {
		// Texts of a key whose collation is declared nowhere are declared as binary ones.
		words = append(words, "CHARACTER SET "+own.Charset, "COLLATE "+own.Collation)
	}
	if c.Generated != nil {
		kind := "VIRTUAL"
		if c.Generated.Stored {
			kind = "STORED"
		}
		d.extra = kind + " GENERATED"
		words = append(words, "GENERATED ALWAYS AS ("+c.Generated.Text+")", kind)
	}
	switch {
	case c.NotNull:
		words = append(words, "NOT NULL")
	case c.Type.Base == coltype.Timestamp:
		words = append(words, "NULL")
	}
	switch {
	case c.Generated != nil:
	case c.Default != nil && c.Default.Expr != "":
		d.initial, d.extra = c.Default.Expr, "DEFAULT_GENERATED"
		words = append(words, "DEFAULT ("+c.Default.Expr+")")
	case c.Default != nil && c.Default.Clock:
		d.initial = clock
		words = append(words, "DEFAULT "+clock)
	case c.Default != nil && !c.Default.Null:
		d.initial = string(c.Default.Text)
		words = append(words, "DEFAULT "+lex.QuoteString(string(c.Default.Text)))
	case !c.NotNull && !c.Type.Base.IsLarge() && c.Type.Base != coltype.JSON:
		words = append(words, "DEFAULT NULL")
	}
	if c.AutoIncrement {
		d.extra = "auto_increment"
		words = append(words, "AUTO_INCREMENT")
	}
	if c.OnUpdate {
		d.extra = strings.TrimSpace(d.extra + " on update " + clock)
		words = append(words, "ON UPDATE "+clock)
	}
	d.clause = strings.Join(words, " ")
}

// sizes are the columns of COLUMNS that depend on the type.
func (d *declaration) sizes() columnSizes {
	f := &d.facts
	return columnSizes{f.Characters, f.Octets, f.Precision, f.Scale, f.DatetimePrecision, f.Charset, f.Collation}
}

// nextNumber is the next AUTO_INCREMENT value of a typed table; 0 if it has none.
func (i *Information) nextNumber(each object) (uint64, error) {
	store, ok := i.store.(kv.Counters)
	if !ok || !each.isTyped() || each.table.Temporary { // the store has no counter for it
		return 0, nil
	}
	face, err := typed.Of(each.table)
	if err != nil || face.AutoIncrement() < 0 {
		return 0, nil // the table's columns show the error
	}
	return store.NextCount(each.table)
}

// typedKey are the columns of a typed table's primary key, none if none was declared.
func typedKey(family *kv.Table) []string {
	face, err := typed.Of(family)
	if err != nil || face.HasHiddenKey() {
		return nil // the table's columns show the error
	}
	names := make([]string, len(face.Key))
	for i, at := range face.Key {
		names[i] = face.Columns[at].Name
	}
	return names
}

// typedFace is the declaration of a typed table; nil for other relations, and if it cannot be read, which the
// table's columns show.
func typedFace(each object) *typed.Table {
	if !each.isTyped() {
		return nil
	}
	face, err := typed.Of(each.table)
	if err != nil {
		return nil
	}
	return face
}

// secondary are the secondary indexes of a relation, and the table to which their columns belong.
func secondary(each object) (*typed.Table, []typed.Index) {
	face := typedFace(each)
	if face == nil && each.table != nil {
		face = typed.IndexedCells(each.table)
	}
	if face == nil {
		return nil, nil
	}
	return face, face.Indexes
}

// typedChecks are the CHECK constraints of a relation.
func typedChecks(each object) []typed.Check {
	if face := typedFace(each); face != nil {
		return face.Checks
	}
	return nil
}

// foreignLines are the comments about foreign keys in SHOW CREATE TABLE.
func foreignLines(each object) (lines string) {
	for _, k := range foreignKeys(each) {
		lines += "\n  /* " + k.String() + " */"
	}
	return lines
}

// indexLines are the lines of SHOW CREATE TABLE for the secondary indexes.
func indexLines(each object) (lines []string) {
	face, indexes := secondary(each)
	for i := range indexes {
		index := &indexes[i]
		line := "  KEY "
		if index.Unique {
			line = "  UNIQUE KEY "
		}
		parts := make([]string, len(index.Parts))
		for j, p := range index.Parts {
			parts[j] = lex.QuoteName(face.Columns[p.Column].Name)
			if p.Length > 0 {
				parts[j] += "(" + strconv.Itoa(p.Length) + ")"
			}
		}
		line += lex.QuoteName(index.Name) + " (" + strings.Join(parts, ",") + ")"
		if index.Using != "" {
			line += " USING " + index.Using
		}
		if index.Comment != "" {
			line += " COMMENT " + lex.QuoteString(index.Comment)
		}
		lines = append(lines, line)
	}
	return lines
}

// checkLines are the lines of SHOW CREATE TABLE for the constraints.
func checkLines(each object) (lines []string) {
	for _, c := range typedChecks(each) {
		line := "  CONSTRAINT " + lex.QuoteName(c.Name) + " CHECK (" + c.Text + ")"
		if c.NotEnforced {
			line += " NOT ENFORCED"
		}
		lines = append(lines, line)
	}
	return lines
}

// mappingText are the options of a mapped table, nothing for others.
func mappingText(each object) (string, error) {
	if each.mapped == nil {
		return "", nil
	}
	face, err := typed.OfView(each.mapped)
	if err != nil {
		return "", err
	}
	group := each.mapped.Group
	if home := each.mapped.GroupDatabase; home != each.database {
		group = home + ":" + group
	}
	text := " HBASE_TABLE=" + lex.QuoteString(group) + " HBASE_COLUMNS=" + lex.QuoteString(face.Entries())
	if len(face.Separator) > 0 {
		text += fmt.Sprintf(" HBASE_KEY_SEPARATOR=X'%X'", face.Separator)
	}
	return text, nil
}

// addChecks adds the lines of CHECK_CONSTRAINTS.
func (r *infoReader) addChecks() {
	r.relationsIn("CONSTRAINT_SCHEMA", every, func(each object) {
		for _, c := range typedChecks(each) {
			r.add("def", each.database, c.Name, "("+c.Text+")")
		}
	})
}
