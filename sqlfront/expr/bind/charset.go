package bind

import (
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/expr"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/function/text"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/parse/ast"
	"github.com/hbasekv/hbasekv/sqlfront/recode"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// inCharset is x as a text in a character set, cut to length characters unless that is negative. The error is
// 1115 for an unknown character set, 1235 for an unsupported one.
func (b *Binder) inCharset(x expr.Node, name string, length int) (expr.Node, error) {
	switch name = strings.ToLower(name); name {
	case "binary":
		return &expr.Cast{X: expr.Encoded(x), To: expr.ToBinary, Length: length}, nil
	case "utf8mb4":
		return &expr.Cast{X: x, To: expr.ToChar, Length: length}, nil
	}
	set := recode.Find(name)
	switch {
	case set == nil && otherCharsets[name]:
		return nil, mysqlerr.Unsupported("CHARACTER SET " + name)
	case set == nil:
		return nil, mysqlerr.New(mysqlerr.UnknownCharset, "Unknown character set: '%s'", name)
	}
	n, err := b.simplify(charsetText(x, set.Name))
	if err != nil || length < 0 {
		return n, err
	}
	if n, err = b.simplify(&expr.Cast{X: n, To: expr.ToChar, Length: length}); err != nil {
		return nil, err
	}
	return charsetText(n, set.Name), nil
}

// introduced is a string with an introducer such as _latin1; the error is 1300 if its bytes are not valid in
// that character set.
func introduced(l *ast.Literal) (expr.Node, error) {
	set := recode.Find(l.Charset)
	if set == nil {
		return nil, mysqlerr.Unsupported("strings of the character set " + l.Charset)
	}
	text := make([]byte, 0, len(l.Bytes))
	for b := set.Whole(l.Bytes); len(b) > 0; {
		r, size := set.Next(b)
		if r < 0 && !set.Single() {
			return nil, mysqlerr.New(mysqlerr.InvalidCharacterString, "Invalid %s character string: '%.12X'", set.Name, b)
		}
		text, b = set.AppendText(text, r), b[size:]
	}
	return &expr.Const{V: value.NewText(text), T: value.Type{Kind: value.Text, Length: len(text), Charset: set.Name}}, nil
}

// keepsBytes reports whether a literal's bytes are its text, whatever its introducer.
func keepsBytes(l *ast.Literal) bool {
	switch l.Charset {
	case "", "utf8", "utf8mb3", "utf8mb4", "ascii":
		return true
	}
	set := recode.Find(l.Charset)
	return set == nil && !slices.ContainsFunc(l.Bytes, func(c byte) bool { return c >= 0x80 })
}
func charsetText(x expr.Node, set string) expr.Node {
	return expr.CallOf(function.Table()[text.CharsetText], []expr.Node{x, textConst(set)})
}

// otherCharsets are MySQL's character sets other than UTF-8 and ASCII.
var otherCharsets = func() map[string]bool {
	names := strings.Fields(`big5 dec8 cp850 hp8 koi8r latin1 latin2 swe7 ujis sjis hebrew tis620 euckr koi8u gb2312 greek
		cp1250 gbk latin5 armscii8 ucs2 cp866 keybcs2 macce macroman cp852 latin7 cp1251 utf16 utf16le cp1256 cp1257 utf32
		geostd8 cp932 eucjpms gb18030`)
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}()
