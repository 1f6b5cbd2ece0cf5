package infoschema

import (
	"fmt"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/plan/relation"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/plan"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// The largest sizes of varchar and varbinary for a view's columns, in bytes.
const (
	longestVarchar   = 65535
	longestVarbinary = 1 << 20
)

// viewColumns are the columns of a view; the error is 1356 if it is no longer valid.
func (i *Information) viewColumns(c *kv.Catalog, v *kv.View) ([]column, error) {
	p := plan.Planner{Resolver: relation.Resolver{Catalog: c, Virtual: i.Table}, AnyValue: true}
	columns, err := p.ViewColumns(v)
	if err != nil {
		return nil, err
	}
	out := make([]column, len(columns))
	for i, c := range columns {
		out[i] = resultColumn(c)
	}
	return out, nil
}

// withoutReason is an error about a view without the reason below it, for accounts that may not see its text.
func withoutReason(a *rights.Authority, v *kv.View, err error) error {
	if !mysqlerr.Is(err, mysqlerr.ViewInvalid) || a.Table(rights.ShowView, v.Database, v.Name, "") == nil {
		return err
	}
	return plan.InvalidView(v, "")
}

// resultColumn is a column of a SELECT's result as a table would declare it.
func resultColumn(c relation.Column) column {
	t := c.Type
	out := column{name: c.Name, kind: t.Kind, nullable: t.Nullable}
	switch t.Kind {
	case value.Int, value.Uint:
		out.setInteger(t)
	case value.Float:
		out.data = "double"
		if t.Name != "" {
			out.data = strings.ToLower(t.Name)
		}
		out.declared = out.data
	case value.Decimal:
		out.setDecimal(t)
	case value.Text:
		out.setText(t.Length)
		out.collation = t.Collation.String()
	case value.Date:
		out.data, out.declared = "date", "date"
	case value.Time:
		out.setFraction("time", t.Decimals)
	case value.DateTime:
		out.setFraction("datetime", t.Decimals)
	case value.JSON:
		out.data, out.declared = "json", "json"
	case value.Bytes:
		out.setBinary(t)
	default: // only NULL
		out.kind, out.data, out.declared = value.Bytes, "binary", "binary(0)"
	}
	return out
}

func (c *column) setInteger(t value.Type) {
	c.data = "bigint"
	width := 21
	if strings.EqualFold(t.Name, "INT") {
		c.data, width = "int", 11
	}
	if t.Length > 0 {
		width = t.Length
	}
	c.declared = fmt.Sprintf("%s(%d)", c.data, width)
	if t.Kind == value.Uint {
		c.declared += " unsigned"
	}
}

func (c *column) setDecimal(t value.Type) {
	digits := t.Precision()
	c.digits, c.scale = digits, t.Decimals
	c.data, c.declared = "decimal", fmt.Sprintf("decimal(%d,%d)", digits, t.Decimals)
}

// setText sets a length in characters, 0 if it is unknown.
func (c *column) setText(length int) {
	const bytesPerCharacter, longest = 4, longestVarchar
	c.charset = charset.Default
	if length == 0 || length*bytesPerCharacter > longest {
		c.data, c.declared, c.max = "longtext", "longtext", 1<<32-1
		return
	}
	c.data, c.declared, c.max = "varchar", fmt.Sprintf("varchar(%d)", length), int64(length*bytesPerCharacter)
}

func (c *column) setFraction(data string, digits int) {
	c.data, c.declared, c.fraction = data, data, digits
	if digits > 0 {
		c.declared = fmt.Sprintf("%s(%d)", data, digits)
	}
}

func (c *column) setBinary(t value.Type) {
	c.max = int64(t.Length)
	switch {
	case t.Name != "":
		c.data = strings.ToLower(t.Name)
		c.declared = c.data
	case t.Length > 0 && t.Length <= longestVarbinary:
		c.data, c.declared = "varbinary", fmt.Sprintf("varbinary(%d)", t.Length)
	default:
		c.data, c.declared = "longblob", "longblob"
	}
	if c.data == schema.LongBlob {
		c.max = 1<<32 - 1
	}
}
