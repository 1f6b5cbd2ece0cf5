package regex

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// collatingElements replaces [.name.], [.x.] and [=x=] in the brackets of a pattern by characters in Go's
// syntax; ok is false if there is no such name (https://dev.mysql.com/doc/refman/5.7/en/regexp.html).
func collatingElements(pattern string) (_ string, ok bool) {
	if !strings.Contains(pattern, "[.") && !strings.Contains(pattern, "[=") {
		return pattern, true
	}
	var out strings.Builder
	for at := 0; at < len(pattern); {
		part := pattern[at:]
		end := 1
		switch {
		case strings.HasPrefix(part, `\Q`):
			if end = strings.Index(part, `\E`); end < 0 {
				end = len(part)
			}
		case part[0] == '\\':
			end = min(2, len(part))
		case part[0] == '[':
			var class string
			if class, end, ok = bracket(part); !ok {
				return "", false
			}
			out.WriteString(class)
			at += end
			continue
		}
		out.WriteString(part[:end])
		at += end
	}
	return out.String(), true
}

// bracket is a class at the beginning of a text, its elements as characters, and its end.
func bracket(text string) (class string, end int, ok bool) {
	var out strings.Builder
	at := 1
	for _, first := range []string{"^", "]"} {
		if strings.HasPrefix(text[at:], first) {
			at++
		}
	}
	out.WriteString(text[:at])
	for at < len(text) && text[at] != ']' {
		end := at + 1
		switch {
		case text[at] == '\\':
			end = min(at+2, len(text))
		case strings.HasPrefix(text[at:], "[."), strings.HasPrefix(text[at:], "[="):
			c, size, ok := element(text[at:])
			if !ok {
				return "", 0, false
			}
			fmt.Fprintf(&out, `\x{%x}`, c)
			at += size
			continue
		case strings.HasPrefix(text[at:], "[:"):
			if n := strings.Index(text[at:], ":]"); n >= 0 {
				end = at + n + len(":]")
			}
		}
		out.WriteString(text[at:end])
		at = end
	}
	end = min(at+1, len(text))
	out.WriteString(text[at:end])
	return out.String(), end, true
}

// element is the character of [.x.], [.name.] or [=x=], and its length in the text.
func element(text string) (c rune, size int, ok bool) {
	name, _, ok := strings.Cut(text[2:], text[1:2]+"]")
	if !ok {
		return 0, 0, false
	}
	size = len("[..]") + len(name)
	if c, ok = characterNames()[name]; ok {
		return c, size, true
	}
	c, n := utf8.DecodeRuneInString(name)
	return c, size, n == len(name) && c != utf8.RuneError
}

// characterNames are the characters that have names.
var characterNames = sync.OnceValue(func() map[string]rune {
	out := map[string]rune{}
	for entry := range strings.SplitSeq(namedCharacters, ",") {
		words := strings.Fields(entry)
		code, _ := strconv.Atoi(words[0])
		for _, name := range words[1:] {
			out[name] = rune(code)
		}
	}
	return out
})

// namedCharacters are the codes of characters, each with its names in MySQL's manual.
const namedCharacters = `
0 NUL, 1 SOH, 2 STX, 3 ETX, 4 EOT, 5 ENQ, 6 ACK, 7 BEL alert, 8 BS backspace, 9 HT tab, 10 LF newline,
11 VT vertical-tab, 12 FF form-feed, 13 CR carriage-return, 14 SO, 15 SI, 16 DLE, 17 DC1, 18 DC2, 19 DC3,
20 DC4, 21 NAK, 22 SYN, 23 ETB, 24 CAN, 25 EM, 26 SUB, 27 ESC, 28 IS4 FS, 29 IS3 GS, 30 IS2 RS, 31 IS1 US,
32 space, 33 exclamation-mark, 34 quotation-mark, 35 number-sign, 36 dollar-sign, 37 percent-sign,
38 ampersand, 39 apostrophe, 40 left-parenthesis, 41 right-parenthesis, 42 asterisk, 43 plus-sign, 44 comma,
45 hyphen hyphen-minus, 46 period full-stop, 47 slash solidus, 48 zero, 49 one, 50 two, 51 three, 52 four,
53 five, 54 six, 55 seven, 56 eight, 57 nine, 58 colon, 59 semicolon, 60 less-than-sign, 61 equals-sign,
62 greater-than-sign, 63 question-mark, 64 commercial-at, 91 left-square-bracket,
92 backslash reverse-solidus, 93 right-square-bracket, 94 circumflex circumflex-accent,
95 underscore low-line, 96 grave-accent, 123 left-brace left-curly-bracket, 124 vertical-line,
125 right-brace right-curly-bracket, 126 tilde, 127 DEL`
