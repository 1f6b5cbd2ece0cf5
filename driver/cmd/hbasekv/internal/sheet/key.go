package sheet

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/partition/rowkey"
)

// Key makes row keys from some columns, whose order is that of the columns' values: integers
// sort as numbers. A single column is LONG_TO_SORTABLE of an integer, or the text. Several
// are joined by a zero byte, with integers as HEX(LONG_TO_SORTABLE(n)).
type Key struct {
	parts []keyPart
}

// keyPart is one column of a key.
type keyPart struct {
	column int
	name   string
	form   form
	guess  Guess
}

// form is how a column of a key is encoded.
type form int

const (
	undecided form = iota
	asText
	asInteger
)

var forms = map[string]form{"text": asText, "int": asInteger}

// ParseKey parses the names of a key's columns, separated by commas. A name may be followed
// by :text or :int for its form. A column is given by its field of the header, or by its
// name.
func ParseKey(spec string, header, names []string) (*Key, error) {
	k := &Key{}
	for _, text := range strings.Split(spec, ",") {
		p, err := parsePart(text, header, names)
		if err != nil {
			return nil, err
		}
		if slices.Contains(k.Columns(), p.column) {
			return nil, fmt.Errorf("--key %s: %s occurs twice", spec, p.name)
		}
		k.parts = append(k.parts, p)
	}
	return k, nil
}

func parsePart(text string, header, names []string) (p keyPart, err error) {
	if p.column = columnOf(text, header, names); p.column < 0 {
		if before, behind, ok := cutLast(text, ":"); ok && forms[behind] != undecided {
			text, p.form = before, forms[behind]
			p.column = columnOf(text, header, names)
		}
	}
	if p.column < 0 {
		return p, fmt.Errorf("--key %s: the header has no such column; it has %s", text, some(names))
	}
	p.name = names[p.column]
	return p, nil
}

func cutLast(text, separator string) (before, behind string, ok bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}

// columnOf finds a column by its field of the header, by its name, and then by either ignoring
// case.
func columnOf(text string, header, names []string) int {
	text = strings.TrimSpace(text)
	for _, equal := range []func(string) bool{
		func(s string) bool { return strings.TrimSpace(s) == text },
		func(s string) bool { return strings.EqualFold(strings.TrimSpace(s), text) },
	} {
		for _, all := range [][]string{header, names} {
			if i := slices.IndexFunc(all, equal); i >= 0 && text != "" {
				return i
			}
		}
	}
	return -1
}

// some are names to choose from, as a message lists them.
func some(names []string) string {
	const most = 20
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Columns are the key's columns, in its order.
func (k *Key) Columns() (columns []int) {
	for _, p := range k.parts {
		columns = append(columns, p.column)
	}
	return columns
}

// Settle decides from the first lines which columns are integers, unless the spec says it.
func (k *Key) Settle(lines [][]string) {
	for i := range k.parts {
		p := &k.parts[i]
		var g Guess
		for _, fields := range lines {
			if p.column < len(fields) && fields[p.column] != "" {
				g.See(fields[p.column])
			}
		}
		if p.form == undecided {
			p.form = asText
			if g.Type().kind == integer {
				p.form = asInteger
			}
		}
	}
}

// Follow gives a column of the key the form that a view's column has, unless the spec says it.
func (k *Key) Follow(column, kind string) {
	for i := range k.parts {
		p := &k.parts[i]
		if p.form != undecided || !strings.EqualFold(p.name, column) {
			continue
		}
		if p.form = asText; strings.HasPrefix(kind, "bigint") {
			p.form = asInteger
		}
	}
}

// Differs is the key's column that a view's SELECT does not read from K in the key's form;
// empty if there is none.
func (k *Key) Differs(definition string) (column string) {
	for i := range k.parts {
		p := &k.parts[i]
		name := " AS " + quote(p.name)
		read := regexp.QuoteMeta(k.expression(p.column))
		if p.form == asText {
			bytes := regexp.QuoteMeta(k.bytes(i))
			read = `[ ,](CAST\(` + bytes + ` AS CHAR(\([0-9]+\))?\)|` + bytes + `)`
		}
		if !regexp.MustCompile(read + regexp.QuoteMeta(name)).MatchString(definition) {
			return p.name
		}
	}
	if strings.Contains(definition, fmt.Sprintf("ROWKEY_PART(K, X'00', %d)", len(k.parts)+1)) {
		return k.parts[len(k.parts)-1].name
	}
	return ""
}

// bytes is the SQL expression for a part's bytes.
func (k *Key) bytes(part int) string {
	if len(k.parts) > 1 {
		return fmt.Sprintf("ROWKEY_PART(K, X'00', %d)", part+1)
	}
	return "K"
}

// separator is between the parts of a key: nothing sorts before it.
const separator = "\x00"

// Append appends a line's key to dst.
func (k *Key) Append(dst []byte, fields []string) ([]byte, error) {
	for i := range k.parts {
		if i > 0 {
			dst = append(dst, separator...)
		}
		var err error
		if dst, err = k.append(dst, &k.parts[i], fields[k.parts[i].column]); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

func (k *Key) append(dst []byte, p *keyPart, value string) ([]byte, error) {
	switch {
	case value == "":
		return nil, fmt.Errorf("the key's column %s is empty", p.name)
	case p.form == asText && len(k.parts) > 1 && strings.Contains(value, separator):
		return nil, fmt.Errorf("the key column %s contains a zero byte, which separates the columns of a key", p.name)
	case p.form == asText:
		p.guess.measure(value)
		return append(dst, value...), nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != value {
		return nil, fmt.Errorf("the key's column %s is %q, and those of the first lines, or of the view, are integers: "+
			"--key with %[1]s:text takes it for text",
			p.name, value)
	}
	if sortable := rowkey.SortableLong(n); len(k.parts) == 1 {
		dst = append(dst, sortable...)
	} else {
		dst = append(dst, strings.ToUpper(hex.EncodeToString(sortable))...)
	}
	return dst, nil
}

// expression is the SQL expression that reads a column of the key from K.
func (k *Key) expression(column int) string {
	i := slices.IndexFunc(k.parts, func(p keyPart) bool { return p.column == column })
	p, bytes := &k.parts[i], k.bytes(i)
	switch {
	case p.form == asInteger && len(k.parts) > 1:
		return "SORTABLE_TO_LONG(UNHEX(" + bytes + "))"
	case p.form == asInteger:
		return "SORTABLE_TO_LONG(K)"
	}
	g := p.guess
	g.not = all
	return g.Type().Cast(bytes)
}

// Made returns an SQL expression that computes K.
func (k *Key) Made() string {
	var parts []string
	for _, p := range k.parts {
		name := quote(p.name)
		switch {
		case p.form == asInteger && len(k.parts) > 1:
			name = "HEX(LONG_TO_SORTABLE(" + name + "))"
		case p.form == asInteger:
			name = "LONG_TO_SORTABLE(" + name + ")"
		}
		parts = append(parts, name)
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "ROWKEY(X'00', " + strings.Join(parts, ", ") + ")"
}

// Literal is a line's part of the key as a SQL literal, to look the row up.
func (k *Key) Literal(part int, fields []string) string {
	p := k.parts[part]
	if value := fields[p.column]; p.form == asInteger {
		return value
	} else if utf8.ValidString(value) {
		return text(value)
	} else {
		return "X'" + strings.ToUpper(hex.EncodeToString([]byte(value))) + "'"
	}
}
