package infoschema

import (
	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// privileges are the privileges of an account that may do everything.
const privileges = "select,insert,update,references"

func (r *infoReader) addColumns(each object) {
	may := privileges
	if each.table == nil {
		may = "select"
	}
	may = r.mayUse(each, may)
	columns, err := r.columns(r.catalog, each)
	if err = withoutReason(r.Authority, each.view, err); err != nil {
		r.Env.Session.AddWarning(uint16(mysqlerr.ViewInvalid), mysqlerr.Message(err))
		return
	}
	wants := r.wants("COLUMN_NAME")
	for i, c := range columns {
		if !wants(c.name) {
			continue
		}
		size, initial := c.sizes(), any(nil)
		if c.declaration != nil {
			size, initial = c.declaration.sizes(), c.declaration.initial
		}
		r.add("def", each.database, each.name, c.name, uint64(i+1), initial, c.nullable, c.data, size.characters, size.bytes,
			size.precision, size.scale, size.fraction, size.charset, size.collation, c.declared, c.key, c.extra(),
			may, c.comment, c.expression)
	}
}

// integerDigits is MySQL's precision of an integer type.
func (c column) integerDigits() uint64 {
	switch {
	case c.data == "tinyint":
		return 3
	case c.data == "smallint":
		return 5
	case c.data == "int":
		return 10
	case c.kind == value.Uint:
		return 20
	}
	return 19
}

// columnSizes are the columns of COLUMNS that depend on the type; nil is NULL.
type columnSizes struct {
	characters, bytes, precision, scale, fraction, charset, collation any
}

func (c column) sizes() columnSizes {
	switch c.kind {
	case value.Int, value.Uint:
		return columnSizes{precision: c.integerDigits(), scale: uint64(0)}
	case value.DateTime:
		return columnSizes{fraction: uint64(c.fraction)}
	case value.Time:
		return columnSizes{fraction: uint64(c.fraction)}
	case value.Date, value.JSON:
		return columnSizes{}
	case value.Float:
		return columnSizes{precision: uint64(22)}
	case value.Decimal:
		return columnSizes{precision: uint64(c.digits), scale: uint64(c.scale)}
	case value.Text:
		if c.charset != "" {
			return columnSizes{characters: uint64(c.max / 4), bytes: uint64(c.max), charset: c.charset, collation: c.collation}
		}
		n := uint64(c.max)
		if n == 0 {
			n = 1<<32 - 1 // longtext
		}
		return columnSizes{characters: n / 3, bytes: n, charset: charset.Catalog.Charset, collation: charset.Catalog.Collation}
	}
	return columnSizes{characters: uint64(c.max), bytes: uint64(c.max)}
}
