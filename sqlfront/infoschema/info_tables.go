package infoschema

import (
	"strings"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// addSchemata adds the lines of SCHEMATA.
func (r *infoReader) addSchemata() {
	for _, name := range r.databases("SCHEMA_NAME") {
		text := charset.Catalog
		if d := r.catalog.Database(name); d != nil {
			text = charset.Shown(schema.TextOf(d))
		}
		r.add("def", name, text.Charset, text.Collation, nil)
	}
}

// addView adds a line of VIEWS.
func (r *infoReader) addView(each object) {
	if each.kind() != "VIEW" {
		return
	}
	v, text := &schema.View{}, ""
	if each.view == nil {
		text = viewText(each)
	} else {
		v = schema.OfView(each.view)
		text = v.Definition
	}
	if !r.mayRead(rights.Select|rights.ShowView, each) {
		text = ""
	}
	r.add("def", each.database, each.name, text, orElse(v.Check, "NONE"), false, definer(v), security(v), charset.Default, charset.DefaultCollation)
}

// user is the owner of everything that the embedded driver has created.
const user = "root@localhost"

// addTable adds a line of TABLES.
func (r *infoReader) addTable(each object) {
	if each.info != nil && each.database != Name {
		r.add("def", each.database, each.name, each.kind(), each.info.engine(), uint64(10), "Dynamic", uint64(0), uint64(0),
			uint64(0), uint64(0), uint64(0), uint64(0), nil, nil, nil, nil, charset.Catalog.Collation, nil, "", "")
		return
	}
	if each.table == nil {
		r.add("def", each.database, each.name, each.kind(), nil, nil, nil, nil, nil, nil, nil, nil, nil, nil,
			nil, nil, nil, nil, nil, nil, r.viewComment(each))
		return
	}
	t, declared := each.table, schema.Of(each.table)
	var size size
	if r.reads("TABLE_ROWS", "AVG_ROW_LENGTH", "DATA_LENGTH") {
		size = r.shownSize(each)
	}
	options := t.Retention.String()
	if t.Partitioning.Partitioned() {
		options = strings.TrimSpace("partitioned " + options)
	}
	r.add("def", each.database, each.name, each.kind(), engineName, uint64(10), "Dynamic", size.rows, size.average,
		size.bytes, uint64(0), uint64(0), uint64(0), r.number(each), created(t), nil, nil, charset.Shown(declared.Text).Collation, nil, options, declared.Comment)
}

// number is TABLES.AUTO_INCREMENT.
func (r *infoReader) number(each object) any {
	if !r.reads("AUTO_INCREMENT") {
		return nil
	}
	n, err := r.nextNumber(each)
	if err != nil && r.err == nil {
		r.err = err
	}
	if n == 0 {
		return nil
	}
	return n
}

// viewComment is MySQL's text instead of a comment; for an invalid view, the reason.
func (r *infoReader) viewComment(each object) string {
	if each.info != nil || !r.reads("TABLE_COMMENT") {
		return ""
	}
	if _, err := r.columns(r.catalog, each); err != nil {
		return mysqlerr.Message(withoutReason(r.Authority, each.view, err))
	}
	return "VIEW"
}

func created(t *kv.Table) value.Value { return datetime(t.Created) }

// addPartitions adds the lines of PARTITIONS, one for each leaf; for a table without partitions, one without
// a name.
func (r *infoReader) addPartitions(each object) {
	t := each.table
	usages := make([]usage, t.Partitioning.NumLeaves())
	if r.reads("TABLE_ROWS", "AVG_ROW_LENGTH", "DATA_LENGTH", "PARTITION_COMMENT", "MIN_KEY", "MAX_KEY", "READ_COUNT", "WRITE_COUNT") {
		usages = r.usages(t)
	}
	outer, below := r.levelTexts(r.Authority, t)
	keys := mayReadKeys(r.Authority, t)
	for i, u := range usages {
		at := newLeafInfo(t, outer, below, i)
		size := r.ofRows(each, []int{i}, newSize(u.Cells, u.Bytes))
		first, last := u.keys(keys)
		reads, writes := u.loads()
		r.add("def", each.database, each.name, at.name, at.sub, at.ordinal, at.subOrdinal, at.method, at.subMethod,
			at.expression, at.subExpression, at.description,
			size.rows, size.average, size.bytes, nil, uint64(0), uint64(0), created(t), nil, nil, nil,
			u.comment(), "", nil, first, last, reads, writes, at.subDescription)
	}
}

// leafInfo are the columns of PARTITIONS that describe a leaf; nil is NULL.
type leafInfo struct {
	name, ordinal, method, expression, description            any
	sub, subOrdinal, subMethod, subExpression, subDescription any
}

func newLeafInfo(t *kv.Table, outer, below *levelText, leaf int) (out leafInfo) {
	s := t.Partitioning
	n := s.NumLeaves() / s.NumOuter()
	if outer != nil {
		out.name, out.ordinal = s.OuterName(leaf/n), uint64(leaf/n+1)
		out.method, out.expression = outer.method, outer.expression()
		if bound, ok := outer.bound(leaf / n); ok {
			out.description = bound
		}
	}
	if below != nil {
		out.sub, out.subOrdinal = s.LeafName(leaf), uint64(leaf%n+1)
		out.subMethod, out.subExpression = below.method, below.expression()
		if bound, ok := below.bound(leaf % n); ok {
			out.subDescription = bound
		}
	}
	return out
}
