package fileformat

import (
	"bufio"
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/driver/cellio"
)

// Format is a form of cells, or of rows, in a file.
type Format struct {
	Name       string // the value of --format
	extensions []string
	Text       cellio.Format
}

// The formats of files. Binary ones have no format of cellio.
var (
	CsvFile      = &Format{Name: "csv", extensions: []string{".csv"}, Text: cellio.CSV}
	TsvFile      = &Format{Name: "tsv", extensions: []string{".tsv", ".tab"}, Text: cellio.TSV}
	jsonFile     = &Format{Name: "jsonl", extensions: []string{".jsonl", ".ndjson"}, Text: cellio.JSONLines}
	TextFile     = &Format{Name: "text", extensions: []string{".txt"}, Text: cellio.Text}
	ScanFile     = &Format{Name: "scan", extensions: []string{".scan"}, Text: cellio.Shell}
	SqlFile      = &Format{Name: "sql", extensions: []string{".sql"}, Text: cellio.SQL}
	ParquetFile  = &Format{Name: "parquet", extensions: []string{".parquet"}}
	SequenceFile = &Format{Name: "sequencefile", extensions: []string{".seq"}}
)

var fileFormats = []*Format{CsvFile, TsvFile, jsonFile, TextFile, ScanFile, SqlFile, ParquetFile, SequenceFile}

func formatNames(formats []*Format) string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// Named returns the format of that name, nil for the empty name.
func Named(name string) (*Format, error) {
	for _, f := range fileFormats {
		if f.Name == name {
			return f, nil
		}
	}
	if name == "" {
		return nil, nil
	}
	return nil, fmt.Errorf("--format %q: the formats are %s", name, formatNames(fileFormats))
}

// OfName returns the format that a file's name indicates, or nil.
func OfName(path string) *Format {
	path, _ = CompressionOf(strings.ToLower(path))
	extension := filepath.Ext(path)
	for _, f := range fileFormats {
		if slices.Contains(f.extensions, extension) {
			return f
		}
	}
	return nil
}

// Unit is what is counted to say where something is in the file.
func (f *Format) Unit() string {
	switch f {
	case ParquetFile:
		return "row"
	case SequenceFile:
		return "record"
	}
	return "line"
}

// CompressionOf splits a name into the part before the extension of a
// compressed file and that extension: .gz, .zst or none.
func CompressionOf(path string) (plain, compression string) {
	for _, ending := range []string{".gz", ".zst"} {
		if plain, ok := strings.CutSuffix(path, ending); ok {
			return plain, ending
		}
	}
	return path, ""
}

// OfBytes recognizes a format by the first bytes of a file.
func OfBytes(text *bufio.Reader) *Format {
	magic, _ := text.Peek(4)
	switch {
	case string(magic) == "PAR1":
		return ParquetFile
	case bytes.HasPrefix(magic, []byte("SEQ")):
		return SequenceFile
	case bytes.HasPrefix(magic, []byte("{")):
		return jsonFile
	}
	line := FirstLine(text)
	switch {
	case bytes.HasPrefix(line, []byte("ROW ")):
		return ScanFile
	case bytes.ContainsRune(line, '\t'):
		return TsvFile
	}
	return CsvFile
}

// FirstLine peeks at the first line, and does not wait for more.
func FirstLine(text *bufio.Reader) []byte {
	for n := 1; ; n = text.Buffered() + 1 {
		_, err := text.Peek(n)
		head, _ := text.Peek(text.Buffered())
		line, _, found := bytes.Cut(head, []byte{'\n'})
		if found || err != nil {
			return line
		}
	}
}

// CannotNegate is the error for the one T that has no opposite.
const CannotNegate = "T -9223372036854775808 cannot be negated"
