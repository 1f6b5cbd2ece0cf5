// Package viewtext is the text of views in the descriptors of HBase.
//
// A view is a property of its namespace, by the name HBASEKV_VIEW and its own behind a point, with
// its descriptor as JSON. So all programs that read the cluster's descriptors have it, it costs no
// request, and it goes with its namespace. One of a table group is an attribute of HBase's table
// instead, by HBASEKV_TABLE, its database and its name, and goes with that.
//
// The types that matter: [View], by [InNamespace] and [InTable]; and [Changes] of a descriptor, by
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

// View is a view and the text that the descriptor has of it.
type View struct {
	*kv.View
	Text string
}

// Pair is a property of a namespace, or an attribute of a table.
type Pair struct{ Name, Text string }

// InNamespace are the views of a namespace with those properties. One that cannot be read is there and says
// so.
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

// InTable are the views of a table group, which HBase's table with those attributes is. A copy of a table
// has its attributes, too, and none of them is the copy's own.
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

// Sort puts views in the order of their names, as a change of the catalog leaves them.
func Sort(all []*kv.View) {
	slices.SortFunc(all, func(a, b *kv.View) int {
		return cmp.Or(strings.Compare(a.Database, b.Database), strings.Compare(a.Name, b.Name))
	})
}

// read is a view as it was written; one that cannot be read says so.
func read(text, at string) View {
	v := &kv.View{}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		v = &kv.View{Damage: fmt.Sprintf("%s is damaged: %v", at, err)}
	}
	return View{v, text}
}
