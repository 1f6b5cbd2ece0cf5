package hbaseserver

import (
	"context"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
)

// listed is which tables a list is of.
type listed struct {
	regex     *string // of the whole name, as Java has it; nil is any
	namespace string  // "" is any
	system    bool    // hbase:meta too
}

// matching are the names of the tables that a list is of.
func (s *server) matching(v *tables.View, l listed) (out []rowapi.TableName, err error) {
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

// schemasOf are the descriptors of tables; what is not there is left out.
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

// listNames answers a list of names.
func (s *server) listNames(ctx context.Context, l listed) (out []*pb.TableName, err error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	names, err := s.matching(v, l)
	for _, n := range names {
		out = append(out, tables.Message(n))
	}
	return out, err
}

// listSchemas answers a list of descriptors.
func (s *server) listSchemas(ctx context.Context, l listed) ([]*pb.TableSchema, error) {
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	names, err := s.matching(v, l)
	return schemasOf(v, names), err
}

func (s *server) tableDescriptors(ctx context.Context, m *pb.GetTableDescriptorsRequest,
) (*pb.GetTableDescriptorsResponse, error) {
	if len(m.GetTableNames()) == 0 {
		all, err := s.listSchemas(ctx, listed{m.Regex, m.GetNamespace(), m.GetIncludeSysTables()})
		return &pb.GetTableDescriptorsResponse{TableSchema: all}, err
	}
	v, err := s.view(ctx)
	if err != nil {
		return nil, err
	}
	var names []rowapi.TableName
	for _, name := range m.GetTableNames() {
		names = append(names, tables.NameOf(name))
	}
	return &pb.GetTableDescriptorsResponse{TableSchema: schemasOf(v, names)}, nil
}

func (s *server) tableNames(ctx context.Context, m *pb.GetTableNamesRequest) (*pb.GetTableNamesResponse, error) {
	all, err := s.listNames(ctx, listed{m.Regex, m.GetNamespace(), m.GetIncludeSysTables()})
	return &pb.GetTableNamesResponse{TableNames: all}, err
}

func (s *server) descriptorsByNamespace(ctx context.Context, m *pb.ListTableDescriptorsByNamespaceRequest,
) (*pb.ListTableDescriptorsByNamespaceResponse, error) {
	if err := s.namespace(ctx, m.GetNamespaceName()); err != nil {
		return nil, err
	}
	all, err := s.listSchemas(ctx, listed{namespace: m.GetNamespaceName(), system: true})
	return &pb.ListTableDescriptorsByNamespaceResponse{TableSchema: all}, err
}

func (s *server) namesByNamespace(ctx context.Context, m *pb.ListTableNamesByNamespaceRequest,
) (*pb.ListTableNamesByNamespaceResponse, error) {
	if err := s.namespace(ctx, m.GetNamespaceName()); err != nil {
		return nil, err
	}
	all, err := s.listNames(ctx, listed{namespace: m.GetNamespaceName(), system: true})
	return &pb.ListTableNamesByNamespaceResponse{TableName: all}, err
}
