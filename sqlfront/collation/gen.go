//go:build ignore

// Gen writes the tables of weights: of 5.2.0 and 9.0.0 from Unicode's allkeys.txt
// (https://www.unicode.org/Public/UCA/5.2.0/allkeys.txt, and 9.0.0; the package pyuca of PyPI has
// both), of 4.0.0 from what a MariaDB answers
//
//	SELECT HEX(WEIGHT_STRING(CHAR(n USING utf32) COLLATE utf32_unicode_ci))
//
// for all characters n of the Basic Multilingual Plane, a line each from 0 on. The tables have the weights of
// MySQL: no contractions, and the first 8 collation elements of a character.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"
)

// mostElements is the number of collation elements of a character that MySQL keeps.
const mostElements = 8

// character is a character and its weights by level.
type character struct {
	code   int64
	levels [][]uint16
}

func main() {
	allkeys520 := flag.String("520", "allkeys-5.2.0.txt", "Unicode's allkeys.txt of 5.2.0")
	allkeys900 := flag.String("900", "allkeys-9.0.0.txt", "Unicode's allkeys.txt of 9.0.0")
	answers400 := flag.String("400", "weights-4.0.0.txt", "the answers of a MariaDB")
	flag.Parse()
	write("uca400.gz", answered(*answers400), 1)
	write("uca520.gz", allkeys(*allkeys520, 1), 1)
	write("uca900.gz", allkeys(*allkeys900, 3), 3)
}

func lines(name string) []string {
	b, err := os.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	return slices.Collect(strings.Lines(string(b)))
}

// allkeys reads the entries of single characters.
func allkeys(name string, levels int) (out []character) {
	for _, line := range lines(name) {
		line, _, _ = strings.Cut(line, "#")
		chars, elements, ok := strings.Cut(line, ";")
		codes := strings.Fields(chars)
		if !ok || len(codes) != 1 || strings.HasPrefix(line, "@") {
			continue
		}
		code, err := strconv.ParseInt(codes[0], 16, 32)
		if err != nil {
			log.Fatal(err)
		}
		out = append(out, character{code, levelsOf(elements, levels)})
	}
	slices.SortFunc(out, func(a, b character) int { return int(a.code - b.code) })
	return out
}

// levelsOf parses "[.1C47.0020.0002][*0209.0020.0002]".
func levelsOf(elements string, levels int) [][]uint16 {
	out := make([][]uint16, levels)
	each := strings.Split(strings.Trim(strings.TrimSpace(elements), "[]"), "][")
	for level := range out {
		for _, element := range each[:min(len(each), mostElements)] {
			weights := strings.FieldsFunc(element, func(r rune) bool { return r == '.' || r == '*' })
			w, err := strconv.ParseUint(weights[level], 16, 16)
			if err != nil {
				log.Fatal(err)
			}
			if w != 0 {
				out[level] = append(out[level], uint16(w))
			}
		}
	}
	return out
}

// answered are the characters with weights that do not follow from their numbers.
func answered(name string) (out []character) {
	for code, line := range lines(name) {
		b, err := hex.DecodeString(strings.TrimSpace(line))
		if err != nil {
			log.Fatal(err)
		}
		var weights []uint16
		for at := 0; at < len(b); at += 2 {
			weights = append(weights, binary.BigEndian.Uint16(b[at:]))
		}
		if slices.Equal(weights, implied(code)) {
			continue
		}
		out = append(out, character{int64(code), [][]uint16{weights}})
	}
	return out
}

// implied are the weights that follow from the number of a character.
func implied(code int) []uint16 {
	base := 0xFBC0
	switch {
	case code >= 0x3400 && code <= 0x4DB5:
		base = 0xFB80
	case code >= 0x4E00 && code <= 0x9FA5:
		base = 0xFB40
	}
	return []uint16{uint16(base + code>>15), uint16(code&0x7FFF | 0x8000)}
}

// write writes in the format that unpack reads.
func write(name string, chars []character, levels int) {
	b := binary.AppendUvarint(nil, uint64(len(chars)))
	last := int64(-1)
	for _, c := range chars {
		b = binary.AppendUvarint(b, uint64(c.code-last-1))
		last = c.code
	}
	for _, c := range chars {
		for level := range levels {
			b = binary.AppendUvarint(b, uint64(len(c.levels[level])))
		}
	}
	for level := range levels {
		last := int64(0)
		for _, c := range chars {
			for _, w := range c.levels[level] {
				b = binary.AppendVarint(b, int64(w)-last)
				last = int64(w)
			}
		}
	}
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // whose level is one
	z.Write(b)                                              // to memory
	z.Close()
	if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}
