// Package charset knows MySQL's character sets and collations by name. Rows, qualifiers and values are bytes:
// what a client declares is checked, kept, and shown again.
package charset

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"github.com/hbasekv/hbasekv/sqlfront/collation"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// Default and DefaultCollation are shown for a text if nothing was declared.
const (
	Default          = "utf8mb4"
	DefaultCollation = "utf8mb4_general_ci"
	Binary           = "binary"
	UTF8             = "utf8" // MySQL 8 calls it utf8mb3
)

// Catalog is the text of the catalog tables.
var Catalog = schema.Text{Charset: "utf8", Collation: "utf8_general_ci"}

// Set is a character set with its collations, the default one first.
type Set struct {
	Name, Description string
	MaxLen            int // most bytes of a character
	Collations        []Collation
}

// Collation is one of a Set.
type Collation struct {
	Name        string
	ID, SortLen int
}

// charsetLines are MySQL 5.7's character sets with the numbers of their collations and the sort length if it
// is not 1; and MySQL 8's collations of utf8mb4 by Unicode 9.0.0. For Unicode's character sets those of
// single languages are left out. A collation is written without its character set.
//
//go:embed charsets.txt
var charsetLines string

var all = sync.OnceValue(func() []Set {
	var out []Set
	for line := range strings.Lines(charsetLines) {
		f := strings.Split(strings.TrimSpace(line), "|")
		set := Set{Name: f[0], Description: f[1], MaxLen: number(f[2])}
		for each := range strings.FieldsSeq(f[3]) {
			set.Collations = append(set.Collations, collationOf(set.Name, strings.Split(each, ":")))
		}
		out = append(out, set)
	}
	return out
})

func collationOf(charset string, f []string) Collation {
	c := Collation{Name: charset + "_" + f[0], ID: number(f[1]), SortLen: 1}
	if f[0] == "-" {
		c.Name = charset
	}
	if len(f) > 2 {
		c.SortLen = number(f[2])
	}
	return c
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // the file is part of this package
	return n
}

// All are the character sets.
func All() []Set { return all() }

// EachCollation calls fn for each; first marks the default one of its set.
func EachCollation(fn func(set string, c Collation, first bool)) {
	for _, set := range all() {
		for i, c := range set.Collations {
			fn(set.Name, c, i == 0)
		}
	}
}

// oldName returns MySQL 5.7's names for MySQL 8's names of utf8.
func oldName(name string) string {
	name = strings.ToLower(name)
	if rest, ok := strings.CutPrefix(name, "utf8mb3"); ok {
		return "utf8" + rest
	}
	return name
}

// Declared is what CHARACTER SET and COLLATE declare, either of which may be empty, in a place where
// otherwise inherited applies. The errors are 1115, 1273 and 1253.
func Declared(set, collate string, inherited schema.Text) (schema.Text, error) {
	set, collate = oldName(set), oldName(collate)
	if set == "default" {
		set = ""
	}
	if set == "" && collate == "" {
		return inherited, nil
	}
	out := schema.Text{Charset: set, Collation: collate}
	EachCollation(func(owner string, c Collation, first bool) {
		if collate == "" && first && owner == set {
			out.Collation = c.Name
		}
		if set == "" && c.Name == collate {
			out.Charset = owner
		}
	})
	if err := checkText(out, set, collate); err != nil || out == Shown(schema.Text{}) {
		return schema.Text{}, err // the default is stored as nothing
	}
	return out, nil
}

func checkText(t schema.Text, set, collate string) error {
	knownSet, owner := false, ""
	EachCollation(func(name string, c Collation, _ bool) {
		knownSet = knownSet || name == t.Charset
		if c.Name == t.Collation {
			owner = name
		}
	})
	switch {
	case set != "" && !knownSet:
		return mysqlerr.New(mysqlerr.UnknownCharset, "Unknown character set: '%s'", set)
	case owner == "":
		return unknown(collate)
	case owner != t.Charset:
		return Mismatch(collate, set)
	}
	return nil
}

// Mismatch is the error for a collation of another character set (1253).
func Mismatch(collate, set string) error {
	return mysqlerr.New(mysqlerr.CollationCharsetMismatch, "COLLATION '%s' is not valid for CHARACTER SET '%s'",
		collate, set)
}

// Check refuses what is not a collation of a character set: the error is 1273 if no collation has that name,
// 1253 if it is another set's.
func Check(collate, set string) error {
	owner := SetOf(collate)
	switch {
	case owner == "":
		return unknown(collate)
	case owner != oldName(set):
		return Mismatch(collate, set)
	}
	return nil
}

// SetOf returns the character set of a collation, empty if no collation has that name.
func SetOf(collate string) (set string) {
	collate = oldName(collate)
	EachCollation(func(owner string, c Collation, _ bool) {
		if c.Name == collate {
			set = owner
		}
	})
	return set
}

// unknown is error 1273 with the nearest name, or with the names of collations that can compare texts.
func unknown(name string) error {
	var names, offered []string
	EachCollation(func(_ string, c Collation, _ bool) {
		names = append(names, c.Name)
		if by, ok := collation.Named(c.Name); ok && by.String() == c.Name {
			offered = append(offered, c.Name)
		}
	})
	near := mysqlerr.NearestOf(name, names)
	if near == "" {
		near = "; there are " + strings.Join(offered, ", ")
	}
	return mysqlerr.New(mysqlerr.UnknownCollation, "Unknown collation: '%s'%s", name, near)
}

// Weighs reports whether texts can be compared by a collation: those of other character sets are known only
// so that clients and tables can declare them.
func (c Collation) Weighs() bool {
	_, ok := collation.Named(c.Name)
	return ok || c.Name == Binary
}

// Shown fills in MySQL's default if nothing was declared.
func Shown(t schema.Text) schema.Text {
	if t.Charset == "" {
		return schema.Text{Charset: Default, Collation: DefaultCollation}
	}
	return t
}

// Options are the table options that declare it again; the default collation of a character set is left out,
// as in MySQL 5.7.
func Options(t schema.Text) string {
	t = Shown(t)
	text := "CHARACTER SET " + t.Charset
	EachCollation(func(_ string, c Collation, first bool) {
		if c.Name == t.Collation && !first {
			text += " COLLATE " + c.Name
		}
	})
	return text
}
