package hbaseserver

import (
	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// listed says which tables a list contains.
type listed struct {
	regex     *string // for the whole name, in Java's syntax; nil matches all
	namespace string  // "" is any
	system    bool    // also hbase:meta
}

// matching returns the names of the tables in the list.
func (l listed) matching(v *tables.View) (out []rowapi.TableName, err error) {
	named := func(rowapi.TableName) bool { return true }
	if l.regex != nil {
		r, err := filter.NewRegexStringComparator(`\A(?:`+*l.regex+`)\z`, filter.RegexDotAll, "UTF-8")
		if err != nil {
			return nil, rpc.Refused("java.util.regex.PatternSyntaxException: " + err.Error())
		}
		named = func(n rowapi.TableName) bool { return r.Compare([]byte(n.String())) == 0 }
	}
	add := func(n rowapi.TableName) {
		if (l.namespace == "" || l.namespace == n.Namespace) && named(n) {
			out = append(out, n)
		}
	}
	if l.system {
		add(tables.Meta)
	}
	for _, t := range v.Tables() {
		add(t.Name)
	}
	return out, nil
}

// schemasOf returns the descriptors of tables, without those that do not exist.
func schemasOf(v *tables.View, names []rowapi.TableName) (out []*pb.TableSchema) {
	for _, n := range names {
		if n == tables.Meta {
			out = append(out, tables.MetaSchema())
		} else if t, err := v.Table(n); err == nil {
			out = append(out, t.Schema())
		}
	}
	return out
}

// names returns the names of the tables in the list, as messages.
func (l listed) names(v *tables.View) (out []*pb.TableName, err error) {
	found, err := l.matching(v)
	for _, n := range found {
		out = append(out, tables.Message(n))
	}
	return out, err
}

// schemas returns the descriptors of the tables in the list.
func (l listed) schemas(v *tables.View) ([]*pb.TableSchema, error) {
	found, err := l.matching(v)
	return schemasOf(v, found), err
}
