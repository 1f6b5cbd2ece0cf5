package infoschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/exec/computed"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// infoTable is a catalog table.
type infoTable struct {
	*Information
	database, name string
	columns        []column
	fill           func(*infoReader) // nil for tables that are always empty
}

func infoColumn(definition string) column {
	name, declared, _ := strings.Cut(strings.TrimSpace(definition), " ")
	c := column{name: name}
	c.declared, c.nullable = strings.CutSuffix(declared, " NULL")
	data, size, _ := strings.Cut(c.declared, "(")
	c.data = strings.TrimSuffix(data, " unsigned")
	size = strings.TrimSuffix(strings.TrimSuffix(size, " unsigned"), ")")
	n, _ := strconv.ParseInt(size, 10, 64) // 0 for the values of enum and set
	switch kind, ok := infoKinds[c.data]; {
	case !ok:
		c.kind, c.max = value.Text, 3*textLength(c.data, size, n)
	case kind == value.Int && strings.HasSuffix(c.declared, " unsigned"):
		c.kind = value.Uint
	case kind == value.Bytes:
		c.kind, c.max = kind, max(n, maxBytes[c.data])
	default:
		c.kind, c.fraction = kind, int(n)
	}
	return c
}

// infoKinds are the kinds of the types other than texts.
var infoKinds = map[string]value.Kind{
	"tinyint": value.Int, "smallint": value.Int, "int": value.Int, "bigint": value.Int,
	"float": value.Float, "double": value.Float, "decimal": value.Decimal,
	"datetime": value.DateTime, "timestamp": value.DateTime, "time": value.Time,
	"varbinary": value.Bytes, "blob": value.Bytes, "mediumblob": value.Bytes, "longblob": value.Bytes,
}

// maxBytes are the lengths of the types that imply one.
var maxBytes = map[string]int64{"blob": 1<<16 - 1, "mediumblob": 1<<24 - 1, "longblob": 1<<32 - 1,
	"text": 1<<16 - 1, "mediumtext": 1<<24 - 1}

// textLength is the maximum number of characters of a text, 0 for a longtext.
func textLength(data, values string, n int64) (length int64) {
	switch data {
	case "enum":
		for v := range strings.SplitSeq(values, ",") {
			length = max(length, int64(len(v)-len("''")))
		}
		return length
	case "set":
		return int64(len(values) - len("''")*(1+strings.Count(values, ",")))
	case "text", "mediumtext":
		return maxBytes[data] / 3
	}
	return n
}

func (t *infoTable) relation() object { return object{database: t.database, name: t.name, info: t} }

// Columns implements relation.VirtualTable.
func (t *infoTable) Columns() []relation.Column {
	out := make([]relation.Column, len(t.columns))
	for i, c := range t.columns {
		out[i] = relation.Column{Name: c.name, Type: c.valueType()}
	}
	return out
}

// valueType is the type of the column's values, whose length is in characters.
func (c column) valueType() value.Type {
	t := value.Type{Kind: c.kind, Nullable: c.nullable, Length: int(c.max)}
	if c.kind == value.Text {
		t.Length /= 3
	}
	return t
}

// index is the index of a column, -1 if there is none.
func (t *infoTable) index(name string) int {
	for i, c := range t.columns {
		if c.name == name {
			return i
		}
	}
	return -1
}

// Rows implements relation.VirtualTable.
func (t *infoTable) Rows(c *exec.Context, w computed.Wanted) (computed.RowSource, error) {
	rows, err := t.read(c, w, nil)
	if err != nil {
		return nil, err
	}
	return computed.Slice(rows), nil
}

// read returns the rows; in a table about relations only those about only, unless it is nil.
func (t *infoTable) read(c *exec.Context, w computed.Wanted, only *object) ([][]value.Value, error) {
	catalog, err := t.store.Catalog(c.Ctx)
	if err != nil {
		return nil, err
	}
	r := &infoReader{Context: c, Information: t.Information, catalog: catalog, table: t, wanted: w, only: only}
	if t.fill != nil {
		t.fill(r)
	}
	return r.rows, r.err
}

// infoReader collects the rows of a catalog table.
type infoReader struct {
	*exec.Context
	*Information
	catalog *kv.Catalog
	table   *infoTable
	wanted  computed.Wanted
	only    *object // the only relevant relation; nil if wanted decides
	rows    [][]value.Value
	err     error
}

// add adds a row of strings, integers, bools (YES and NO), values and nils
// (NULL).
func (r *infoReader) add(cells ...any) {
	row := make([]value.Value, len(r.table.columns))
	for i, cell := range cells {
		row[i] = cellValue(cell)
	}
	r.rows = append(r.rows, row)
}

func cellValue(cell any) value.Value {
	switch c := cell.(type) {
	case string:
		return value.NewString(c)
	case int:
		return value.NewInt(int64(c))
	case int64:
		return value.NewInt(c)
	case uint64:
		return value.NewUint(c)
	case bool:
		return value.NewString(yesNo(c))
	case value.Value:
		return c
	}
	return value.Value{}
}

// wants returns a function that reports whether rows with a text in the column may be needed.
func (r *infoReader) wants(column string) func(text string) bool {
	at := r.table.index(column)
	if at < 0 {
		return every
	}
	var bytes []byte
	return func(text string) bool {
		bytes = append(bytes[:0], text...)
		return r.wanted.Row(at, value.NewText(bytes))
	}
}

// reads reports whether one of the columns is read.
func (r *infoReader) reads(columns ...string) bool {
	return slices.ContainsFunc(columns, func(name string) bool {
		at := r.table.index(name)
		return at >= 0 && r.wanted.Read(at)
	})
}

// databases are the names of all relevant databases.
func (r *infoReader) databases(column string) []string {
	wants := r.wants(column)
	names := []string{mysqlDatabase, performanceSchema}
	for _, d := range r.catalog.Databases() {
		names = append(names, d.Name)
	}
	byName := wants(sysDatabase) && !wants("") && !wants(sysDatabase+"x")
	if byName && !Hidden(r.catalog, sysDatabase) {
		names = append(names, sysDatabase)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !wants(name) || !r.Authority.Lists(name) })
	slices.Sort(names)
	names = slices.Compact(names)
	if wants(Name) && r.Authority.Lists(Name) {
		names = slices.Insert(names, 0, Name)
	}
	return names
}

// relations calls fn for all relevant relations. It is for all tables about relations, which name their
// columns alike.
func (r *infoReader) relations(fn func(object)) {
	r.relationsIn("TABLE_SCHEMA", r.wants("TABLE_NAME"), fn)
}

// relationsIn calls fn for the relations with such names in relevant databases, as far as the session sees
// them.
func (r *infoReader) relationsIn(databases string, named func(string) bool, fn func(object)) {
	if r.only != nil {
		if r.sees(r.Authority, *r.only) {
			fn(*r.only)
		}
		return
	}
	for _, database := range r.databases(databases) {
		for _, each := range r.relationsOf(r.catalog, database, named) {
			if r.sees(r.Authority, each) {
				fn(each)
			}
		}
	}
}

// every accepts all names.
func every(string) bool { return true }

// tables is relations for base tables only.
func (r *infoReader) tables(fn func(object)) {
	r.relations(func(each object) {
		if each.table != nil {
			fn(each)
		}
	})
}

// orNull is NULL for the empty string.
func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
