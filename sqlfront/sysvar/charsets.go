package sysvar

import (
	"slices"
	"strings"
	"sync"

	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// charsets are the character sets that a client may name, by their default collations:
// the connection is UTF-8 whatever it says, and binary values are bytes.
var charsets = sync.OnceValue(func() map[string]string {
	out := map[string]string{"utf8mb3": "utf8_general_ci"}
	charset.EachCollation(func(set string, c charset.Collation, first bool) {
		if first {
			out[set] = c.Name
		}
	})
	return out
})

func knownCharset(name string) bool { return charsets()[strings.ToLower(name)] != "" }

func unknownCharset(name string) error {
	return mysqlerr.New(mysqlerr.UnknownCharset, "Unknown character set: '%s'", name)
}

const characterSetClient = "character_set_client"

// Character sets that no statement can be written in. In the first, as in MySQL, ASCII is no
// part of it; in those of Eastern Asia a quote or a backslash may be the end of a character, so
// that what a client escapes in them would read otherwise here.
var (
	wideCharsets   = []string{"ucs2", "utf16", "utf16le", "utf32"}
	hidingCharsets = []string{"big5", "cp932", "gb18030", "gbk", "sjis"}
)

func checkClientCharset(name string) error {
	switch name = strings.ToLower(name); {
	case slices.Contains(wideCharsets, name):
		return wrongValue(characterSetClient, name)
	case slices.Contains(hidingCharsets, name):
		return mysqlerr.Unsupported(characterSetClient + " = " + name)
	}
	return nil
}
