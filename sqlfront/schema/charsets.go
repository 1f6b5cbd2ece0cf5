package schema

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// A character set with its collations, the default one first.
type characterSet struct {
	name, description string
	maxLen            int
	collations        []namedCollation
}

type namedCollation struct {
	name        string
	id, sortLen int
}

// charsetLines are MySQL 5.7's character sets with the numbers of their
// collations and, where it is not 1, the sort length; and utf8mb4_0900_ai_ci,
// so that what MySQL 8 dumps can be read. A collation is written without its
// character set.
//
//go:embed charsets.txt
var charsetLines string

var characterSets = sync.OnceValue(func() []characterSet {
	var out []characterSet
	for line := range strings.Lines(charsetLines) {
		f := strings.Split(strings.TrimSpace(line), "|")
		set := characterSet{name: f[0], description: f[1], maxLen: number(f[2])}
		for each := range strings.FieldsSeq(f[3]) {
			set.collations = append(set.collations, collationOf(set.name, strings.Split(each, ":")))
		}
		out = append(out, set)
	}
	return out
})

func collationOf(charset string, f []string) namedCollation {
	c := namedCollation{name: charset + "_" + f[0], id: number(f[1]), sortLen: 1}
	if f[0] == "-" {
		c.name = charset
	}
	if len(f) > 2 {
		c.sortLen = number(f[2])
	}
	return c
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // the file is part of this package
	return n
}

func eachCollation(fn func(set string, c namedCollation, first bool)) {
	for _, set := range characterSets() {
		for i, c := range set.collations {
			fn(set.name, c, i == 0)
		}
	}
}

// oldName gives MySQL 8's names of utf8 MySQL 5.7's.
func oldName(name string) string {
	name = strings.ToLower(name)
	if rest, ok := strings.CutPrefix(name, "utf8mb3"); ok {
		return "utf8" + rest
	}
	return name
}

// declaredText is what CHARACTER SET and COLLATE ask for, either of which may be
// empty, where otherwise inherited would hold. Its errors are 1115, 1273, 1253.
func declaredText(set, collate string, inherited kv.Text) (kv.Text, error) {
	set, collate = oldName(set), oldName(collate)
	if set == "default" {
		set = ""
	}
	if set == "" && collate == "" {
		return inherited, nil
	}
	out := kv.Text{Charset: set, Collation: collate}
	eachCollation(func(owner string, c namedCollation, first bool) {
		if collate == "" && first && owner == set {
			out.Collation = c.name
		}
		if set == "" && c.name == collate {
			out.Charset = owner
		}
	})
	if err := checkText(out, set, collate); err != nil || out == ShownText(kv.Text{}) {
		return kv.Text{}, err // the default is stored as nothing
	}
	return out, nil
}

func checkText(t kv.Text, set, collate string) error {
	knownSet, owner := false, ""
	eachCollation(func(name string, c namedCollation, _ bool) {
		knownSet = knownSet || name == t.Charset
		if c.name == t.Collation {
			owner = name
		}
	})
	switch {
	case set != "" && !knownSet:
		return mysqlerr.New(mysqlerr.UnknownCharset, "Unknown character set: '%s'", set)
	case owner == "":
		return mysqlerr.New(mysqlerr.UnknownCollation, "Unknown collation: '%s'", collate)
	case owner != t.Charset:
		return mysqlerr.New(mysqlerr.CollationCharsetMismatch, "COLLATION '%s' is not valid for CHARACTER SET '%s'", collate, set)
	}
	return nil
}

// ShownText fills in MySQL's default where nothing was declared.
func ShownText(t kv.Text) kv.Text {
	if t.Charset == "" {
		return kv.Text{Charset: charset, Collation: collation}
	}
	return t
}

// textOptions are the table options that declare it again; the default collation
// of a character set goes without saying, as in MySQL 5.7.
func textOptions(t kv.Text) string {
	t = ShownText(t)
	text := "CHARACTER SET " + t.Charset
	eachCollation(func(_ string, c namedCollation, first bool) {
		if c.name == t.Collation && !first {
			text += " COLLATE " + c.name
		}
	})
	return text
}
