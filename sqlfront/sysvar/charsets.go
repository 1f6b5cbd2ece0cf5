package sysvar

import (
	"slices"
	"strings"
	"sync"

	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// charsets are the character sets that a client may name, with their default collations: the connection
// always uses UTF-8, and binary values are bytes.
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

// Character sets in which statements cannot be written. The first group, as in MySQL, does not include ASCII.
// In those of Eastern Asia a quote or a backslash may be the last byte of a character, so that a client's
// escapes would be read differently here.
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
