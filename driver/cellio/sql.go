package cellio

import (
	"bufio"
	"encoding/hex"
	"strconv"
	"strings"
)

// sqlWriter writes REPLACE statements, each of many cells of one table.
type sqlWriter struct {
	w      *bufio.Writer
	table  string
	target string // of the open statement, or empty
	size   int    // of it, in bytes
}

// maxStatement ends a statement before it exceeds any server's default
// max_allowed_packet, unless a single cell does.
const maxStatement = 512 << 10

func (w *sqlWriter) Write(c Cell) error {
	target := TableOf(w.table, c.Family)
	out := w.w.AvailableBuffer()
	switch {
	case w.target != target || w.size > maxStatement:
		if w.target != "" {
			out = append(out, ";\n"...)
		}
		out = append(out, "REPLACE INTO "+QuoteTable(target)+" (K, Q, T, V) VALUES\n("...)
		w.target, w.size = target, 0
	default:
		out = append(out, ",\n("...)
	}
	out = append(appendLiteral(out, notNil(c.Row)), ", "...)
	out = append(appendLiteral(out, notNil(c.Qualifier)), ", "...)
	out = append(strconv.AppendInt(out, c.Timestamp, 10), ", "...)
	out = append(appendLiteral(out, c.Value), ')')
	w.size += len(out)
	_, err := w.w.Write(out)
	return err
}

func (w *sqlWriter) Close() error {
	if w.target != "" {
		if _, err := w.w.WriteString(";\n"); err != nil {
			return err
		}
	}
	return w.w.Flush()
}

// appendLiteral writes bytes as a string if they are printable ASCII, else in
// hexadecimal digits; nil is NULL.
func appendLiteral(out, b []byte) []byte {
	if b == nil {
		return append(out, "NULL"...)
	}
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' || c == '\'' {
			out = append(out, "X'"...)
			return append(hex.AppendEncode(out, b), '\'')
		}
	}
	return append(append(append(out, '\''), b...), '\'')
}

func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// TableOf is the table of a family: that of the group, or the table itself if
// its name includes its family or the cell has none.
func TableOf(table, family string) string {
	if family == "" || strings.Contains(table, "$") {
		return table
	}
	return table + "$" + family
}

// QuoteTable quotes the name of a table, which may have its database in front.
func QuoteTable(name string) string {
	parts := strings.Split(name, ".")
	for i, p := range parts {
		parts[i] = "`" + strings.ReplaceAll(p, "`", "``") + "`"
	}
	return strings.Join(parts, ".")
}
