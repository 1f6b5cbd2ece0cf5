package advise

import (
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// guessed is a type for some values, and how these are encoded as bytes.
type guessed struct{ declared, suffix, how string }

// guess is the narrowest type that fits all values, as far as their bytes show.
func guess(values [][]byte) guessed {
	switch {
	case all(values, isText):
		return guessText(values)
	case all(values, func(v []byte) bool { return len(v) == 1 && (v[0] == 0 || v[0] == 0xFF) }):
		return guessed{"tinyint(1)", "#b", "Bytes, boolean"}
	}
	if g, ok := guessOrdered(values); ok {
		return g
	}
	for size, declared := range map[int]string{2: "smallint", 4: "int"} {
		if all(values, func(v []byte) bool { return len(v) == size }) {
			return guessed{declared, "#b", "Bytes"}
		}
	}
	if all(values, func(v []byte) bool { return len(v) == 8 }) {
		return guessLong(values)
	}
	return guessed{fmt.Sprintf("varbinary(%d)", roomFor(longest(values))), "", "bytes"}
}

func all(values [][]byte, is func([]byte) bool) bool {
	for _, v := range values {
		if !is(v) {
			return false
		}
	}
	return true
}

func isText(v []byte) bool {
	return utf8.Valid(v) && strings.IndexFunc(string(v), func(r rune) bool {
		return !unicode.IsPrint(r) && !unicode.IsSpace(r)
	}) < 0
}

// Texts that have more specific types; the decimal places are counted.
var (
	wholeNumber = regexp.MustCompile(`^(0|-?[1-9]\d{0,17})$`)
	decimalText = regexp.MustCompile(`^-?(0|[1-9]\d{0,20})\.\d{1,10}$`)
	dateText    = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	momentText  = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$`)
)

func guessText(values [][]byte) guessed {
	const how = "text"
	switch {
	case all(values, wholeNumber.Match):
		return guessed{"bigint", "", "text, digits"}
	case all(values, decimalText.Match):
		whole, scale := 1, 0
		for _, v := range values {
			before, after, _ := strings.Cut(strings.TrimPrefix(string(v), "-"), ".")
			whole, scale = max(whole, len(before)), max(scale, len(after))
		}
		return guessed{fmt.Sprintf("decimal(%d,%d)", whole+2+scale, scale), "", "text, digits"}
	case all(values, dateText.Match) && all(values, parses(time.DateOnly)):
		return guessed{"date", "", how}
	case all(values, momentText.Match) && all(values, parses(time.DateTime)):
		return guessed{"datetime", "", how}
	}
	most := 1
	for _, v := range values {
		most = max(most, utf8.RuneCount(v))
	}
	const mostVarchar = 1000
	if most > mostVarchar {
		return guessed{"text", "", how}
	}
	return guessed{"varchar(" + strconv.Itoa(roomFor(most)) + ")", "", how}
}

func parses(layout string) func([]byte) bool {
	return func(v []byte) bool {
		_, err := time.Parse(layout, string(v))
		return err == nil
	}
}

// roomFor is a length with room for longer values than those seen.
func roomFor(n int) int {
	room := 16
	for room < 2*n {
		room *= 2
	}
	return room
}

// guessLong distinguishes times, doubles and integers of 8 bytes.
func guessLong(values [][]byte) guessed {
	const firstTime, lastTime = 946_684_800_000, 4_102_444_800_000 // the years 2000 to 2100
	within := func(v []byte) bool {
		n := binary.BigEndian.Uint64(v)
		return n >= firstTime && n < lastTime
	}
	isDouble := func(v []byte) bool {
		f := math.Abs(math.Float64frombits(binary.BigEndian.Uint64(v)))
		return f == 0 || f > 1e-9 && f < 1e15
	}
	isZero := func(v []byte) bool { return binary.BigEndian.Uint64(v) == 0 }
	switch {
	case all(values, isZero):
	case all(values, within):
		return guessed{"datetime(3)", "#b", "Bytes, milliseconds"}
	case all(values, isDouble):
		return guessed{"double", "#b", "Bytes"}
	}
	return guessed{"bigint", "#b", "Bytes"}
}

// orderedForms are the values of OrderedBytes whose first byte is their type: of a fixed length, or with a
// zero byte at the end if length is 0.
var orderedForms = []struct {
	code     byte
	length   int
	declared string
}{{0x29, 2, "tinyint"}, {0x2a, 3, "smallint"}, {0x2b, 5, "int"}, {0x2c, 9, "bigint"}, {0x30, 5, "float"}, {0x31, 9, "double"},
	{0x34, 0, "varchar"}}

func guessOrdered(values [][]byte) (guessed, bool) {
	for _, f := range orderedForms {
		is := func(v []byte) bool {
			return len(v) > 1 && v[0] == f.code && (len(v) == f.length || f.length == 0 && v[len(v)-1] == 0 && isText(v[1:len(v)-1]))
		}
		if !all(values, is) {
			continue
		}
		declared := f.declared
		if f.length == 0 {
			declared = fmt.Sprintf("varchar(%d)", roomFor(longest(values)))
		}
		return guessed{declared, "#o", "OrderedBytes"}, true
	}
	return guessed{}, false
}
