// Package viewtext is the text of views in the descriptors of HBase.
//
// A view is a property of its namespace, with the name HBASEKV_VIEW, a dot and its own name, and its
// descriptor as JSON. So all programs that read the cluster's descriptors have it, it costs no request, and
// it is dropped with its namespace. A view of a table group is an attribute of HBase's table instead, named
// by HBASEKV_TABLE, its database and its name, and is dropped with that table.
//
// The main types: [View], from [InNamespace] and [InTable]; and [Changes] of a descriptor, from
// [Differences] of catalogs.
package viewtext

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/kv"
)

const (
	property  = "HBASEKV_VIEW."
	attribute = "HBASEKV_TABLE."
)

// View is a view and its text in the descriptor.
type View struct {
	*kv.View
	Text string
}

// Pair is a property of a namespace, or an attribute of a table.
type Pair struct{ Name, Text string }

// InNamespace returns the views of a namespace with these properties. A view that cannot be read has Damage.
func InNamespace(namespace string, properties []Pair) (out []View) {
	for _, p := range properties {
		if name, ok := strings.CutPrefix(p.Name, property); ok {
			v := read(p.Text, fmt.Sprintf("the property %s of HBase's namespace %s", p.Name, namespace))
			v.Database, v.Name = namespace, name
			out = append(out, v)
		}
	}
	return out
}

// InTable returns the views of a table group, which is HBase's table with these attributes. A copy of a
// table has its attributes, too, but none of its views.
func InTable(database, group string, attributes []Pair) (out []View) {
	for _, a := range attributes {
		rest, ok := strings.CutPrefix(a.Name, attribute)
		home, name, full := strings.Cut(rest, ".")
		if !ok || !full {
			continue
		}
		v := read(a.Text, fmt.Sprintf("the attribute %s of HBase's table %s:%s", a.Name, database, group))
		if v.Damage != "" {
			v.GroupDatabase, v.Group = database, group
		}
		if v.Database, v.Name = home, name; v.GroupDatabase == database && v.Group == group {
			out = append(out, v)
		}
	}
	return out
}

// Sort sorts views by name, as a change of the catalog does.
func Sort(all []*kv.View) {
	slices.SortFunc(all, func(a, b *kv.View) int {
		return cmp.Or(strings.Compare(a.Database, b.Database), strings.Compare(a.Name, b.Name))
	})
}

// read parses the text of a view; one that cannot be read has Damage.
func read(text, at string) View {
	v := &kv.View{}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		v = &kv.View{Damage: fmt.Sprintf("%s is damaged: %v", at, err)}
	}
	return View{v, text}
}
