package parse

import "strings"

// retentionOption reads one option that says which versions are kept; it is
// false where none follows. KV_ATTRIBUTES is OceanBase's, the others are the words
// of HBase's shell.
func (p *parser) retentionOption(list *[]RetentionOption) bool {
	start := p.cur().start
	o := RetentionOption{Name: p.acceptAny("KV_ATTRIBUTES", "TTL", "MAX_VERSIONS", "MIN_VERSIONS", "VERSIONS",
		"DROP_EXPIRED_PARTITIONS")}
	equals := p.acceptOp("=")
	switch o.Name {
	case "":
		if equals {
			p.pos--
		}
		return false
	case "KV_ATTRIBUTES":
		o.Value = p.stringValue("a JSON text in quotes")
	case "TTL":
		if p.atOp("(") || p.atName() && !p.at("FOREVER") {
			p.unsupported(start, "table option TTL over a column")
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

// numberOrWord reads a number, or a word or string, which becomes upper case.
func (p *parser) numberOrWord(what string) string {
	switch p.cur().kind {
	case tokInt, tokFloat, tokOp:
		return p.numberText()
	}
	return strings.ToUpper(p.wordOrString(what))
}
