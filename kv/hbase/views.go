package hbase

import (
	"context"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/hbase/internal/viewtext"
)

// Views are stored in the descriptors of namespaces and tables, in the format of package viewtext.
// HBase replaces a descriptor as a whole, whatever it was, so a change holds a lock of the master.

func (l *layout) addViews(views []viewtext.View) {
	for _, v := range views {
		l.stored.Views = append(l.stored.Views, v.View)
		l.views[[2]string{v.Database, v.Name}] = v.Text
	}
}

// propertiesOf returns the properties of a namespace.
func propertiesOf(n *pb.NamespaceDescriptor) (out []viewtext.Pair) {
	for _, p := range n.GetConfiguration() {
		out = append(out, viewtext.Pair{Name: p.GetName(), Text: p.GetValue()})
	}
	return out
}

// attributesOf returns the attributes of a table.
func attributesOf(schema *pb.TableSchema) (out []viewtext.Pair) {
	for _, a := range schema.GetAttributes() {
		out = append(out, viewtext.Pair{Name: string(a.GetFirst()), Text: string(a.GetSecond())})
	}
	return out
}

// viewSteps returns the steps that change views, one for each namespace or table.
func (s *Store) viewSteps(l *layout, next *kv.Catalog, changed []kv.Changed[kv.View]) (out []step, err error) {
	all, err := viewtext.Differences(l.views, next, changed)
	for home, changes := range all {
		out = append(out, func(ctx context.Context) error {
			return s.cluster.exclusive(ctx, home.Namespace, func(ctx context.Context) error {
				if home.Table != "" {
					return s.cluster.changeTableViews(ctx, home, changes)
				}
				return s.cluster.changeViews(ctx, home.Namespace, changes)
			})
		})
	}
	return out, err
}

// changeTableViews changes attributes of a table. It returns kv.ErrCatalogChanged if they have changed
// meanwhile.
func (c *cluster) changeTableViews(ctx context.Context, home viewtext.Home, changes viewtext.Changes) error {
	answer := &pb.GetTableDescriptorsResponse{}
	request := &pb.GetTableDescriptorsRequest{TableNames: []*pb.TableName{pbTable(home.Namespace, home.Table)}}
	if err := c.onMaster(ctx, "GetTableDescriptors", request, answer, true); err != nil {
		return err
	}
	if len(answer.GetTableSchema()) != 1 {
		return kv.ErrCatalogChanged // it has been dropped
	}
	next := answer.GetTableSchema()[0]
	all, err := changes.Attributes(attributesOf(next))
	if err != nil {
		return err
	}
	next.Attributes = nil
	for _, a := range all {
		next.Attributes = append(next.Attributes, &pb.BytesBytesPair{First: []byte(a.Name), Second: []byte(a.Text)})
	}
	return c.modifyTable(ctx, next)
}

// changeViews changes properties of a namespace. It returns kv.ErrCatalogChanged if they have changed
// meanwhile.
func (c *cluster) changeViews(ctx context.Context, namespace string, changes viewtext.Changes) error {
	answer := &pb.GetNamespaceDescriptorResponse{}
	request := &pb.GetNamespaceDescriptorRequest{NamespaceName: &namespace}
	if err := c.onMaster(ctx, "GetNamespaceDescriptor", request, answer, true); err != nil {
		return err
	}
	all, err := changes.Properties(propertiesOf(answer.GetNamespaceDescriptor()))
	if err != nil {
		return err
	}
	next := &pb.NamespaceDescriptor{Name: []byte(namespace)}
	for _, p := range all {
		next.Configuration = append(next.Configuration, &pb.NameStringPair{Name: &p.Name, Value: &p.Text})
	}
	return c.procedure(ctx, "ModifyNamespace",
		&pb.ModifyNamespaceRequest{NamespaceDescriptor: next, NonceGroup: nonce(), Nonce: nonce()})
}
