package advise

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
)

// mappedCells is the maximum number of a family's cells from which a mapping is guessed, at each end of
// its rows.
const mappedCells = 5000

// leastShare is the share of its family's sampled rows that a qualifier must be in to become a column.
const leastShare = 0.05

// Mapping proposes a typed table over the families of a table group, from a sample of the newest cells
// at both ends of the rows, and returns the report. ok is false if name is not a table group. It takes
// one connection of db, and makes the group's database the current one there.
func Mapping(ctx context.Context, db *sql.DB, name string) (report string, ok bool, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return "", false, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if home, rest, found := strings.Cut(name, "."); found {
		name = rest
		if _, err := conn.ExecContext(ctx, "USE "+quoteName(strings.Trim(home, "`"))); err != nil {
			return "", false, err
		}
	}
	m := mapping{group: strings.Trim(name, "`"), keys: map[string]bool{}}
	tables, err := column(ctx, conn, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND "+
		"TABLE_TYPE = 'BASE TABLE' ORDER BY TABLE_NAME")
	if err != nil || slices.Contains(tables, m.group) {
		return "", false, err
	}
	for _, t := range tables {
		if group, family, found := strings.Cut(t, "$"); found && group == m.group {
			if err := m.read(ctx, conn, t, family); err != nil {
				return "", false, err
			}
			ok = true
		}
	}
	if !ok {
		return "", false, nil
	}
	return m.report(tables), true, nil
}

// mapping is a proposal in the making.
type mapping struct {
	group  string
	keys   map[string]bool
	places []*place
	rare   int // qualifiers that are in too few rows
}

// place is a column of cells with its sampled values.
type place struct {
	family, qualifier string
	values            [][]byte
	rows              int // sampled rows of its family
}

// read reads the first and the last cells of a family.
func (m *mapping) read(ctx context.Context, conn *sql.Conn, name, family string) error {
	seen, rows := map[string]*place{}, map[string]bool{}
	known := map[string]bool{} // cells, by row and qualifier
	for _, direction := range []string{"", " DESC"} {
		cells, err := conn.QueryContext(ctx, fmt.Sprintf("SELECT /*+ VERSIONS(1) */ K, Q, V FROM %s WHERE V IS NOT NULL ORDER BY K%s, Q%s LIMIT %d",
			quoteName(name), direction, direction, mappedCells))
		if err != nil {
			return err
		}
		for cells.Next() {
			var k, q, v []byte
			if err := cells.Scan(&k, &q, &v); err != nil {
				return errors.Join(err, cells.Close())
			}
			cell := string(k) + "\x00" + string(q)
			if known[cell] {
				continue
			}
			known[cell], rows[string(k)], m.keys[string(k)] = true, true, true
			p := seen[string(q)]
			if p == nil {
				p = &place{family: family, qualifier: string(q)}
				seen[string(q)] = p
			}
			p.values = append(p.values, v)
		}
		if err := errors.Join(cells.Err(), cells.Close()); err != nil {
			return err
		}
	}
	m.keep(seen, len(rows))
	return nil
}

// keep keeps the qualifiers that are in enough rows: others are data rather than columns.
func (m *mapping) keep(seen map[string]*place, rows int) {
	for _, p := range seen {
		if p.rows = rows; float64(len(p.values)) < leastShare*float64(rows) {
			m.rare++
			continue
		}
		m.places = append(m.places, p)
	}
	slices.SortFunc(m.places, func(a, b *place) int {
		return cmp.Or(strings.Compare(a.family, b.family), strings.Compare(a.qualifier, b.qualifier))
	})
}

// report is the proposal as text; only the statement is indented, by four spaces. The proposed table's
// name is none of tables.
func (m *mapping) report(tables []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: a table group, of which %s were read\n", m.group, plural(len(m.keys), "row"))
	if m.rare > 0 {
		fmt.Fprintf(&b, "  %s in fewer than %s of the rows: they are data rather than columns, and read as K, Q, T and V.\n",
			plural(m.rare, "qualifier"), percent(leastShare))
	}
	if len(m.places) == 0 {
		b.WriteString("  There is nothing to map.\n")
		return b.String()
	}
	var keys [][]byte
	for k := range m.keys {
		keys = append(keys, []byte(k))
	}
	key := guess(keys)
	if key.declared == "text" {
		key.declared = "varchar(512)"
	}
	w := newTable("cell", "rows", "longest", "type", "how")
	names := m.names()
	columns := []string{quoteName(names[0]) + " " + key.declared + " NOT NULL"}
	entries := []string{":key" + key.suffix}
	w.AppendRow(table.Row{":key", "", longest(keys), key.declared, key.how})
	for i, p := range m.places {
		g := guess(p.values)
		columns = append(columns, quoteName(names[i+1])+" "+g.declared)
		entry := p.family + ":" + escaped(p.qualifier)
		entries = append(entries, entry+g.suffix)
		w.AppendRow(table.Row{entry, percent(float64(len(p.values)) / float64(p.rows)), longest(p.values), g.declared, g.how})
	}
	name := m.group + "_rows"
	for n := 2; slices.Contains(tables, name); n++ {
		name = fmt.Sprintf("%s_rows%d", m.group, n)
	}
	b.WriteString(w.Render() + "\n\n  Types are guesses of the values that were read: CHECK TABLE counts those that are none.\n\n")
	fmt.Fprintf(&b, "    CREATE TABLE %s (\n      %s,\n      PRIMARY KEY (%s)\n    ) HBASE_TABLE = %s HBASE_COLUMNS = %s;\n", quoteName(name),
		strings.Join(columns, ",\n      "), quoteName(names[0]), quoted(m.group), quoted(strings.Join(entries, ", ")))
	return b.String()
}

var notInNames = regexp.MustCompile(`[^\pL\pN_]+`)

// names are the names of the key and of the columns, without duplicates.
func (m *mapping) names() []string {
	used := map[string]bool{}
	unique := func(name string) string {
		out := name
		for n := 2; used[strings.ToLower(out)]; n++ {
			out = fmt.Sprintf("%s_%d", name, n)
		}
		used[strings.ToLower(out)] = true
		return out
	}
	names := []string{""}
	for _, p := range m.places {
		const most = 60
		name := strings.Trim(notInNames.ReplaceAllString(strings.ToValidUTF8(p.qualifier, "_"), "_"), "_")
		if name == "" {
			name = p.family
		}
		names = append(names, unique(string([]rune(name)[:min(most, len([]rune(name)))])))
	}
	names[0] = unique("id")
	return names
}

func longest(values [][]byte) (n int) {
	for _, v := range values {
		n = max(n, len(v))
	}
	return n
}

// escaped is a qualifier as written in HBASE_COLUMNS.
func escaped(qualifier string) string {
	var b strings.Builder
	for i, r := range qualifier {
		size := len(string(r))
		isEnd := i == 0 || i+size >= len(qualifier)
		switch {
		case r == unicode.ReplacementChar || !unicode.IsPrint(r) || r == ' ' && isEnd:
			if r == unicode.ReplacementChar {
				size = 1
			}
			for _, c := range []byte(qualifier[i:min(i+size, len(qualifier))]) {
				fmt.Fprintf(&b, `\x%02X`, c)
			}
		case strings.ContainsRune(`,#\`, r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// quoted is a string literal.
func quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'"
}
