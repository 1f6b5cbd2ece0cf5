package cli

import (
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Display is a value as text: bytes unchanged if they are printable, otherwise
// as a hexadecimal literal; NULL is nil.
func Display(v any) *string {
	var s string
	switch v := v.(type) {
	case nil:
		return nil
	case []byte:
		s = DisplayBytes(v)
	case float64:
		s = displayFloat(v)
	default:
		s = fmt.Sprint(v)
	}
	return &s
}

func DisplayBytes(b []byte) string {
	if printable(b) {
		return string(b)
	}
	return "0x" + strings.ToUpper(hex.EncodeToString(b))
}

// printable reports whether b is text: UTF-8 without control characters other
// than tabs and line ends.
func printable(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 || !unicode.IsPrint(r) && !strings.ContainsRune("\t\n\r", r) {
			return false
		}
		b = b[n:]
	}
	return true
}

// displayFloat uses an exponent only if there would be many digits.
func displayFloat(f float64) string {
	if abs := math.Abs(f); abs != 0 && (abs < 1e-5 || abs >= 1e15) {
		return exponent.Replace(strconv.FormatFloat(f, 'e', -1, 64))
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// exponent writes exponents as MySQL does: 1e20, 1e-7.
var exponent = strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-")

// Escape writes tabs and line ends as MySQL's batch output does, so that a row
// is one line.
var Escape = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)

// EscapeInCell is for cells of printed tables, which may have several lines, so
// that plans and CREATE TABLE stay readable.
var EscapeInCell = strings.NewReplacer("\t", `\t`, "\r", `\r`)
