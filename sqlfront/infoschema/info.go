package infoschema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// infoTable is a table of information_schema. It has the columns of MySQL 5.7's
// (https://dev.mysql.com/doc/refman/5.7/en/information-schema.html), and behind
// them those of MySQL 8 that clients ask for whatever the version says.
type infoTable struct {
	*Information
	name    string
	columns []column
	fill    func(*infoReader) // nil for tables that are always empty
}

// info makes a table. Each line of columns is a name and a type, and NULL where
// the column may be so.
func info(name, columns string, fill func(*infoReader)) *infoTable {
	t := &infoTable{name: name, fill: fill}
	for line := range strings.Lines(strings.TrimSpace(columns)) {
		t.columns = append(t.columns, infoColumn(strings.Fields(line)))
	}
	return t
}

func infoColumn(words []string) column {
	c := column{name: words[0], declared: words[1], nullable: slices.Contains(words, "NULL")}
	data, size, sized := strings.Cut(strings.TrimSuffix(words[1], ")"), "(")
	c.data = data
	switch data {
	case "bigint", "int":
		c.kind = value.Int
		if slices.Contains(words, "unsigned") {
			c.kind, c.declared = value.Uint, c.declared+" unsigned"
		}
	case "datetime":
		c.kind = value.DateTime
	case "decimal":
		c.kind = value.Decimal
	case "varbinary":
		c.kind = value.Bytes
		c.max, _ = strconv.ParseInt(size, 10, 64) // as below
	default:
		c.kind = value.Text
		if sized {
			n, _ := strconv.Atoi(size) // the definitions in this package are numbers
			c.max = int64(3 * n)
		}
	}
	return c
}

// Columns implements plan.VirtualTable.
func (t *infoTable) Columns() []plan.Column {
	out := make([]plan.Column, len(t.columns))
	for i, c := range t.columns {
		out[i] = plan.Column{Name: c.name, Type: c.valueType()}
	}
	return out
}

func (c column) valueType() value.Type {
	return value.Type{Kind: c.kind, Nullable: c.nullable, Length: int(c.max)}
}

// Rows implements plan.VirtualTable.
func (t *infoTable) Rows(c *exec.Context, equal []exec.Equal) (exec.RowSource, error) {
	rows, err := t.read(c, equal)
	if err != nil {
		return nil, err
	}
	return exec.Slice(rows), nil
}

func (t *infoTable) read(c *exec.Context, equal []exec.Equal) ([][]value.Value, error) {
	r := &infoReader{Context: c, Information: t.Information, catalog: t.store.Catalog(), table: t, equal: equal}
	if t.fill != nil {
		t.fill(r)
	}
	return r.rows, r.err
}

// infoReader gathers the rows of a catalog table.
type infoReader struct {
	*exec.Context
	*Information
	catalog *kv.Catalog
	table   *infoTable
	equal   []exec.Equal
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

// wants reports whether rows in which the column has this text matter.
func (r *infoReader) wants(column, text string) bool {
	for _, e := range r.equal {
		if r.table.columns[e.Column].name != column {
			continue
		}
		order, ok := value.Compare(value.NewString(text), e.Value)
		if !ok || order != 0 {
			return false
		}
	}
	return true
}

// databases are the names of all databases that matter.
func (r *infoReader) databases(column string) []string {
	var out []string
	names := []string{Name}
	for _, d := range r.catalog.Databases() {
		names = append(names, d.Name)
	}
	for _, name := range names {
		if r.wants(column, name) {
			out = append(out, name)
		}
	}
	return out
}

// relations calls fn for all relations that matter. Every table about
// relations calls these columns so.
func (r *infoReader) relations(fn func(relation)) {
	for _, database := range r.databases("TABLE_SCHEMA") {
		for _, each := range r.relationsOf(r.catalog, database) {
			if r.wants("TABLE_NAME", each.name) {
				fn(each)
			}
		}
	}
}

// tables is relations for base tables alone.
func (r *infoReader) tables(fn func(relation)) {
	r.relations(func(each relation) {
		if each.table != nil {
			fn(each)
		}
	})
}
