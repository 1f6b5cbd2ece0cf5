package hbase

import (
	"context"
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
)

// A view is a property of its namespace, by the name HBASEKV_VIEW and its own behind a point, with
// its descriptor as JSON. So all programs that read the cluster's descriptors have it, it costs no
// request, and it goes with its namespace. One of a table group is an attribute of HBase's table
// instead, by HBASEKV_TABLE, its database and its name, and goes with that. HBase replaces the
// descriptor of a namespace or a table as a whole, whatever it was: a change holds a lock of the
// master meanwhile.

const (
	viewProperty   = "HBASEKV_VIEW."
	tableAttribute = "HBASEKV_TABLE."
)

// maxViews is how many bytes the properties of a namespace with views may have. The master writes
// them to a node of ZooKeeper, which takes less than 1 MiB.
const maxViews = 512 << 10

// addViews adds the views of a namespace. One that cannot be read is there and says so.
func (l *layout) addViews(n *pb.NamespaceDescriptor) {
	for _, p := range n.GetConfiguration() {
		if name, ok := strings.CutPrefix(p.GetName(), viewProperty); ok {
			at := fmt.Sprintf("the property %s of HBase's namespace %s", p.GetName(), n.GetName())
			v := readView(p.GetValue(), at)
			v.Database, v.Name = string(n.GetName()), name
			l.addView(v, p.GetValue())
		}
	}
}

// addTableViews adds the views of a table group, which HBase's table is. A copy of the table has their
// attributes, too, and none of them is its own.
func (l *layout) addTableViews(schema *pb.TableSchema) {
	database, group := string(schema.GetTableName().GetNamespace()), string(schema.GetTableName().GetQualifier())
	for _, a := range schema.GetAttributes() {
		rest, ok := strings.CutPrefix(string(a.GetFirst()), tableAttribute)
		home, name, full := strings.Cut(rest, ".")
		if !ok || !full {
			continue
		}
		at := fmt.Sprintf("the attribute %s of HBase's table %s:%s", a.GetFirst(), database, group)
		v := readView(string(a.GetSecond()), at)
		if v.Damage != "" {
			v.GroupDatabase, v.Group = database, group
		}
		if v.Database, v.Name = home, name; v.GroupDatabase == database && v.Group == group {
			l.addView(v, string(a.GetSecond()))
		}
	}
}

// readView is a view as it was written; one that cannot be read says so.
func readView(text, at string) *kv.View {
	v := &kv.View{}
	if err := json.Unmarshal([]byte(text), v); err != nil {
		v = &kv.View{Damage: fmt.Sprintf("%s is damaged: %v", at, err)}
	}
	return v
}

func (l *layout) addView(v *kv.View, text string) {
	l.stored.Views = append(l.stored.Views, v)
	l.views[[2]string{v.Database, v.Name}] = text
}

// sortViews puts them in the order of their names, as a change of the catalog leaves them.
func (l *layout) sortViews() {
	all := l.stored.Views
	sort.Slice(all, func(i, j int) bool {
		return all[i].Database < all[j].Database || all[i].Database == all[j].Database && all[i].Name < all[j].Name
	})
}

// viewChange is what becomes of a property; an empty text is none.
type viewChange struct{ was, is string }

// viewHome is whose descriptor has a view: a namespace's, or a table's of it.
type viewHome struct{ namespace, table string }

func homeOf(v *kv.View) (h viewHome, attribute string) {
	if v.Group == "" {
		return viewHome{namespace: v.Database}, v.Name
	}
	return viewHome{v.GroupDatabase, v.Group}, v.Database + "." + v.Name
}

// viewSteps change the views of a namespace or a table, each in one step. Those of what goes need none.
func (s *Store) viewSteps(l *layout, before, next *kv.StoredCatalog) (out []step, err error) {
	was, is := before.Catalog(), next.Catalog()
	changes := map[viewHome]map[string]viewChange{}
	change := func(v *kv.View) (at map[string]viewChange, name string) {
		home, name := homeOf(v)
		if changes[home] == nil {
			changes[home] = map[string]viewChange{}
		}
		return changes[home], name
	}
	for _, v := range before.Views {
		if is.View(v.Database, v.Name) != v {
			at, name := change(v)
			at[name] = viewChange{was: l.views[[2]string{v.Database, v.Name}]}
		}
	}
	for _, v := range next.Views {
		if was.View(v.Database, v.Name) == v {
			continue
		}
		text, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		at, name := change(v)
		at[name] = viewChange{at[name].was, string(text)}
	}
	for home, changed := range changes {
		switch {
		case is.Database(home.namespace) == nil, home.table != "" && is.Group(home.namespace, home.table) == nil:
		case home.table != "":
			out = append(out, func(ctx context.Context) error { return s.cluster.changeTableViews(ctx, home, changed) })
		default:
			out = append(out, func(ctx context.Context) error { return s.cluster.changeViews(ctx, home.namespace, changed) })
		}
	}
	return out, nil
}

// changeTableViews changes attributes of a table, where they are still what they were.
func (c *cluster) changeTableViews(ctx context.Context, home viewHome, changes map[string]viewChange) error {
	return c.exclusive(ctx, home.namespace, func(ctx context.Context) error {
		name := pbTable(home.namespace, home.table)
		answer := &pb.GetTableDescriptorsResponse{}
		request := &pb.GetTableDescriptorsRequest{TableNames: []*pb.TableName{name}}
		if err := c.onMaster(ctx, "GetTableDescriptors", request, answer, true); err != nil {
			return err
		}
		if len(answer.GetTableSchema()) != 1 {
			return kv.ErrCatalogChanged // it has been dropped
		}
		next := answer.GetTableSchema()[0]
		var err error
		if next.Attributes, err = changedAttributes(next.GetAttributes(), changes); err != nil {
			return err
		}
		return c.modifyTable(ctx, next)
	})
}

// changedAttributes are a table's with the changes; kv.ErrCatalogChanged where another program has
// changed one of the views meanwhile.
func changedAttributes(all []*pb.BytesBytesPair, changes map[string]viewChange) (out []*pb.BytesBytesPair, err error) {
	seen := map[string]bool{}
	for _, a := range all {
		name, ok := strings.CutPrefix(string(a.GetFirst()), tableAttribute)
		change, changed := changes[name]
		if !ok || !changed {
			out = append(out, a)
			continue
		}
		if seen[name] = true; string(a.GetSecond()) != change.was {
			return nil, kv.ErrCatalogChanged
		}
		if change.is != "" {
			out = append(out, &pb.BytesBytesPair{First: a.GetFirst(), Second: []byte(change.is)})
		}
	}
	for name, change := range changes {
		switch {
		case seen[name]:
		case change.was != "":
			return nil, kv.ErrCatalogChanged
		default:
			out = append(out, &pb.BytesBytesPair{First: []byte(tableAttribute + name), Second: []byte(change.is)})
		}
	}
	return out, nil
}

// changeViews changes properties of a namespace, where they are still what they were.
func (c *cluster) changeViews(ctx context.Context, namespace string, changes map[string]viewChange) error {
	return c.exclusive(ctx, namespace, func(ctx context.Context) error {
		answer := &pb.GetNamespaceDescriptorResponse{}
		request := &pb.GetNamespaceDescriptorRequest{NamespaceName: &namespace}
		if err := c.onMaster(ctx, "GetNamespaceDescriptor", request, answer, true); err != nil {
			return err
		}
		next, err := changedProperties(answer.GetNamespaceDescriptor(), changes)
		if err != nil {
			return err
		}
		return c.procedure(ctx, "ModifyNamespace",
			&pb.ModifyNamespaceRequest{NamespaceDescriptor: next, NonceGroup: nonce(), Nonce: nonce()})
	})
}

// changedProperties is a descriptor with the changes; kv.ErrCatalogChanged where another program
// has changed one of the views meanwhile. All else of it stays.
func changedProperties(d *pb.NamespaceDescriptor, changes map[string]viewChange) (*pb.NamespaceDescriptor, error) {
	next := &pb.NamespaceDescriptor{Name: d.GetName()}
	seen, size := map[string]bool{}, 0
	add := func(name, value string) {
		next.Configuration = append(next.Configuration, &pb.NameStringPair{Name: &name, Value: &value})
		size += len(name) + len(value)
	}
	for _, p := range d.GetConfiguration() {
		name, ok := strings.CutPrefix(p.GetName(), viewProperty)
		change, changed := changes[name]
		if !ok || !changed {
			add(p.GetName(), p.GetValue())
			continue
		}
		if seen[name] = true; p.GetValue() != change.was {
			return nil, kv.ErrCatalogChanged
		}
		if change.is != "" {
			add(p.GetName(), change.is)
		}
	}
	for name, change := range changes {
		switch {
		case seen[name]:
		case change.was != "":
			return nil, kv.ErrCatalogChanged
		case !utf8.ValidString(name):
			return nil, kv.ErrUnsupported{What: "a view of HBase whose name is no UTF-8"}
		default:
			add(viewProperty+name, change.is)
		}
	}
	if size > maxViews {
		return nil, kv.ErrUnsupported{What: fmt.Sprintf("views of more than %d KiB together in one namespace of HBase, whose "+
			"ZooKeeper could not hold them: drop some, or make them in another database", maxViews>>10)}
	}
	return next, nil
}
