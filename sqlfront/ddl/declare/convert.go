package declare

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// convert is CONVERT TO CHARACTER SET: the table's texts get a character set and a collation, but those of the
// primary key, which stay apart as they are.
func (a *Alter) convert(columns *alteration, to *ast.AlterConvert) error {
	text, err := charset.Declared(to.Charset, to.Collate, schema.Text{})
	if err != nil {
		return err
	}
	text = charset.Shown(text)
	switch _, ok := collation.Named(text.Collation); {
	case strings.EqualFold(text.Charset, charset.Binary):
		return mysqlerr.Unsupported("CONVERT TO CHARACTER SET binary: MODIFY makes columns binary")
	case !ok:
		return mysqlerr.Unsupported("the collation " + text.Collation + " of columns")
	}
	for i := range columns.columns {
		if c := &columns.columns[i]; c.Type.Base.HasCharset() && (c.was < 0 || columns.from.KeyPart(c.was) < 0) {
			c.Type.Charset, c.Type.Collation = text.Charset, text.Collation
		}
	}
	return SetOptions(&a.Next, ast.TableOptions{Charset: to.Charset, Collate: to.Collate})
}
