package parse

import (
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/parse/lex"
)

// retentionOption reads one option that says which versions are kept; it is false if none follows.
// KV_ATTRIBUTES is OceanBase's, the others are the words of HBase's shell.
func (p *parser) retentionOption(list *[]ast.RetentionOption) bool {
	start := p.Current().Start
	o := ast.RetentionOption{Name: p.AcceptAny("KV_ATTRIBUTES", "TTL", "MAX_VERSIONS", "MIN_VERSIONS", "VERSIONS",
		"DROP_EXPIRED_PARTITIONS")}
	equals := p.AcceptOp("=")
	switch o.Name {
	case "":
		if equals {
			p.Pos--
		}
		return false
	case "KV_ATTRIBUTES":
		o.Value = p.StringValue("a JSON text in quotes")
	case "TTL":
		if p.AtOp("(") || p.AtName() && !p.At("FOREVER") {
			p.Unsupported(start, "table option TTL with a column")
		}
		o.Value = p.numberOrWord("a number of seconds or FOREVER")
	case "DROP_EXPIRED_PARTITIONS":
		o.Value = p.numberOrWord("ON or OFF")
	case "VERSIONS":
		o.Name = "MAX_VERSIONS"
		fallthrough
	default:
		o.Value = p.numberOrWord("a number of versions")
	}
	*list = append(*list, o)
	return true
}

// numberOrWord reads a number, or a word or string, which it turns into upper case.
func (p *parser) numberOrWord(what string) string {
	switch p.Current().Kind {
	case lex.Int, lex.Float, lex.Op:
		return p.numberText()
	}
	return strings.ToUpper(p.WordOrString(what))
}
