package typed

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/rowcodec"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
)

// Place is where the values of a mapped column are stored: an entry of HBASE_COLUMNS.
type Place struct {
	// Key is true for :key, a column of the primary key.
	Key               bool
	Family, Qualifier string
	Encoding          rowcodec.Encoding
}

// keyEntry is the entry for a column of the primary key.
const keyEntry = ":key"

// ParsePlaces parses HBASE_COLUMNS: ":key, family:qualifier#b". In a qualifier, a comma, #, a backslash, and
// a space at either end are preceded by a backslash, and any byte may be \xNN. The error says what an entry
// lacks.
func ParsePlaces(text string) (out []Place, err error) {
	for _, entry := range splitEscaped(text, ',') {
		p, err := parsePlace(trimEntry(entry))
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// splitEscaped cuts a text at a byte that does not follow a backslash.
func splitEscaped(text string, at byte) (out []string) {
	from := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case at:
			out, from = append(out, text[from:i]), i+1
		}
	}
	return append(out, text[from:])
}

// trimEntry removes spaces around an entry, except for one after a backslash.
func trimEntry(s string) string {
	s = strings.TrimLeft(s, " \t\r\n")
	trimmed := strings.TrimRight(s, " \t\r\n")
	backslashes := len(trimmed) - len(strings.TrimRight(trimmed, `\`))
	if backslashes%2 == 1 && len(trimmed) < len(s) {
		trimmed = s[:len(trimmed)+1]
	}
	return trimmed
}

func parsePlace(entry string) (p Place, err error) {
	name, suffix := entry, ""
	if parts := splitEscaped(entry, '#'); len(parts) > 1 {
		suffix = "#" + parts[len(parts)-1]
		name = strings.TrimSuffix(entry, suffix)
	}
	var ok bool
	if p.Encoding, ok = rowcodec.EncodingNamed(suffix); !ok {
		return p, fmt.Errorf(`'%s' ends with none of #s, #b and #o: \# is a # of a qualifier`, entry)
	}
	if name == keyEntry {
		p.Key = true
		return p, nil
	}
	family, qualifier, found := strings.Cut(name, ":")
	if !found || family == "" {
		return p, fmt.Errorf("'%s' is neither :key nor family:qualifier", entry)
	}
	p.Family = family
	p.Qualifier, err = unescape(qualifier)
	return p, err
}

// unescape is a qualifier without the backslashes before bytes, and with \xNN decoded.
func unescape(text string) (string, error) {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out.WriteByte(text[i])
			continue
		}
		if i++; i == len(text) {
			return "", fmt.Errorf("'%s' ends with a backslash", text)
		}
		if text[i] != 'x' {
			out.WriteByte(text[i])
			continue
		}
		b, err := hex.DecodeString(text[i+1 : min(i+3, len(text))])
		if err != nil || len(b) != 1 {
			return "", fmt.Errorf(`'%s' does not have two hexadecimal digits after \x`, text)
		}
		out.WriteByte(b[0])
		i += 2
	}
	return out.String(), nil
}

// String is the entry in HBASE_COLUMNS, which ParsePlaces reads back.
func (p Place) String() string {
	suffix := p.Encoding.String()
	if p.Encoding == rowcodec.Text {
		suffix = ""
	}
	if p.Key {
		return keyEntry + suffix
	}
	return p.Family + ":" + escape(p.Qualifier) + suffix
}

func escape(qualifier string) string {
	var out strings.Builder
	for i := 0; i < len(qualifier); {
		r, size := utf8.DecodeRuneInString(qualifier[i:])
		end := i == 0 || i+size == len(qualifier)
		switch {
		case r == utf8.RuneError && size == 1, !unicode.IsPrint(r), r == ' ' && end:
			for _, b := range []byte(qualifier[i : i+size]) {
				fmt.Fprintf(&out, `\x%02X`, b)
			}
		case strings.ContainsRune(`,#\`, r):
			out.WriteByte('\\')
			fallthrough
		default:
			out.WriteRune(r)
		}
		i += size
	}
	return out.String()
}

// Entries is HBASE_COLUMNS of a mapped table.
func (t *Table) Entries() string {
	entries := make([]string, len(t.Columns))
	for i := range t.Columns {
		entries[i] = t.Columns[i].Entry
	}
	return strings.Join(entries, ", ")
}

// Families are the column families of the columns' cells, in HBase's order.
func (t *Table) Families() []string { return t.families }

// FamilyOf is the index of a column's family in Families.
func (t *Table) FamilyOf(column int) int { return t.Columns[column].family }

// FamiliesIn are the families of a catalog with a mapped table's cells; the error is 1146 if one is missing.
func (t *Table) FamiliesIn(c *kv.Catalog, v *kv.View) ([]*kv.Table, error) {
	var tables []*kv.Table
	for _, family := range t.families {
		name := v.Group + "$" + family
		found := c.Table(v.GroupDatabase, name)
		if found == nil {
			err := mysqlerr.NoTable(v.GroupDatabase, name)
			err.Message += ": table '" + v.Database + "." + v.Name + "' is mapped onto it"
			return nil, err
		}
		tables = append(tables, found)
	}
	return tables, nil
}

// settlePlaces finds where the columns' cells are. The error is that of an invalid entry.
func (t *Table) settlePlaces() error {
	if t.families = []string{schema.TypedFamily}; !t.Mapped {
		return nil
	}
	places := make([]Place, len(t.Columns))
	t.families, t.qualifiers = nil, nil
	for i := range places {
		var err error
		if places[i], err = parsePlace(t.Columns[i].Entry); err != nil {
			return err
		}
		if !places[i].Key {
			t.families = append(t.families, places[i].Family)
		}
	}
	slices.Sort(t.families)
	t.families = slices.Compact(t.families)
	for i, p := range places {
		c := &t.Columns[i]
		c.family, c.qualifier, c.encoding = max(0, slices.Index(t.families, p.Family)), p.Qualifier, p.Encoding
		if !p.Key {
			t.qualifiers = append(t.qualifiers, kv.QualifierRange{Start: []byte(p.Qualifier), End: []byte(p.Qualifier + "\x00")})
		}
	}
	slices.SortFunc(t.qualifiers, func(a, b kv.QualifierRange) int { return bytes.Compare(a.Start, b.Start) })
	t.qualifiers = slices.CompactFunc(t.qualifiers, func(a, b kv.QualifierRange) bool { return bytes.Equal(a.Start, b.Start) })
	return nil
}

// Cells is a scan of all rows for the newest cells from which rows are made, with their values, and possibly
// other cells. Its tables are those of Families.
func (t *Table) Cells() kv.Scan {
	return kv.Scan{MaxVersions: 1, NeedValue: true, Qualifiers: t.qualifiers}
}
