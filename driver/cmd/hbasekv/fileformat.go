package main

import (
	"bufio"
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/driver/cellio"
)

// fileFormat is a form of cells, or of rows, in a file.
type fileFormat struct {
	name       string // what --format says
	extensions []string
	text       cellio.Format
}

// The formats of files. Those that are no text have no format of cellio.
var (
	csvFile      = &fileFormat{name: "csv", extensions: []string{".csv"}, text: cellio.CSV}
	tsvFile      = &fileFormat{name: "tsv", extensions: []string{".tsv", ".tab"}, text: cellio.TSV}
	jsonFile     = &fileFormat{name: "jsonl", extensions: []string{".jsonl", ".ndjson"}, text: cellio.JSONLines}
	textFile     = &fileFormat{name: "text", extensions: []string{".txt"}, text: cellio.Text}
	scanFile     = &fileFormat{name: "scan", extensions: []string{".scan"}, text: cellio.Shell}
	sqlFile      = &fileFormat{name: "sql", extensions: []string{".sql"}, text: cellio.SQL}
	parquetFile  = &fileFormat{name: "parquet", extensions: []string{".parquet"}}
	sequenceFile = &fileFormat{name: "sequencefile", extensions: []string{".seq"}}
)

var fileFormats = []*fileFormat{csvFile, tsvFile, jsonFile, textFile, scanFile, sqlFile, parquetFile, sequenceFile}

func formatNames(formats []*fileFormat) string {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

// formatNamed is the format that --format names, or nil for no name.
func formatNamed(name string) (*fileFormat, error) {
	for _, f := range fileFormats {
		if f.name == name {
			return f, nil
		}
	}
	if name == "" {
		return nil, nil
	}
	return nil, fmt.Errorf("--format %q: the formats are %s", name, formatNames(fileFormats))
}

// formatOfName is the format that a file's name says, or nil.
func formatOfName(path string) *fileFormat {
	path, _ = compressionOf(strings.ToLower(path))
	extension := filepath.Ext(path)
	for _, f := range fileFormats {
		if slices.Contains(f.extensions, extension) {
			return f
		}
	}
	return nil
}

// unit is what is counted in a file to say where something is.
func (f *fileFormat) unit() string {
	switch f {
	case parquetFile:
		return "row"
	case sequenceFile:
		return "record"
	}
	return "line"
}

// compressionOf is a name without the ending of a compressed file, and which
// that is: .gz, .zst or none.
func compressionOf(path string) (plain, compression string) {
	for _, ending := range []string{".gz", ".zst"} {
		if plain, ok := strings.CutSuffix(path, ending); ok {
			return plain, ending
		}
	}
	return path, ""
}

// formatOfBytes tells a format by how a file begins.
func formatOfBytes(text *bufio.Reader) *fileFormat {
	magic, _ := text.Peek(4)
	switch {
	case string(magic) == "PAR1":
		return parquetFile
	case bytes.HasPrefix(magic, []byte("SEQ")):
		return sequenceFile
	case bytes.HasPrefix(magic, []byte("{")):
		return jsonFile
	}
	line := firstLine(text)
	switch {
	case bytes.HasPrefix(line, []byte("ROW ")):
		return scanFile
	case bytes.ContainsRune(line, '\t'):
		return tsvFile
	}
	return csvFile
}

// firstLine looks at the first line without waiting for more than that.
func firstLine(text *bufio.Reader) []byte {
	for n := 1; ; n = text.Buffered() + 1 {
		_, err := text.Peek(n)
		head, _ := text.Peek(text.Buffered())
		line, _, found := bytes.Cut(head, []byte{'\n'})
		if found || err != nil {
			return line
		}
	}
}

// cannotNegate is said of the one T that has no opposite.
const cannotNegate = "T -9223372036854775808 cannot be negated"
