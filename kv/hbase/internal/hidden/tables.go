// Package hidden finds the tables of HBase that a user may read or write and whose descriptors HBase's
// AccessController keeps to those who may create or administer tables. What is known of these are their names
// and families.
package hidden

import (
	"bytes"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv/hbase/internal/tablename"
)

// Names returns the names of the tables without descriptors.
func Names(all []*pb.TableName, described []*pb.TableSchema) (out []*pb.TableName) {
	seen := map[string]bool{}
	for _, schema := range described {
		seen[tablename.Of(schema.GetTableName())] = true
	}
	for _, name := range all {
		if !seen[tablename.Of(name)] {
			out = append(out, name)
		}
	}
	return out
}

// Describe makes descriptors of tables from what region servers report of their regions, each of which names
// its families. Their attributes are unknown: all versions are asked for. A table without an open region has
// no families.
func Describe(names []*pb.TableName, status *pb.ClusterStatus) (out []*pb.TableSchema) {
	families := map[string][]*pb.ColumnFamilySchema{}
	for _, live := range status.GetLiveServers() {
		for _, region := range live.GetServerLoad().GetRegionLoads() {
			table, _, _ := bytes.Cut(region.GetRegionSpecifier().GetValue(), []byte{','})
			if families[string(table)] == nil {
				families[string(table)] = familiesOf(region)
			}
		}
	}
	for _, name := range names {
		out = append(out, &pb.TableSchema{TableName: name, ColumnFamilies: families[tablename.Of(name)]})
	}
	return out
}

func familiesOf(region *pb.RegionLoad) (out []*pb.ColumnFamilySchema) {
	for _, s := range region.GetStoreCompleteSequenceId() {
		out = append(out, &pb.ColumnFamilySchema{Name: s.GetFamilyName(), Attributes: []*pb.BytesBytesPair{
			{First: []byte("VERSIONS"), Second: []byte("2147483647")}}})
	}
	return out
}

// Namespaces returns the listed namespaces, followed by those of tables.
func Namespaces(listed []*pb.NamespaceDescriptor, tables []*pb.TableSchema) []*pb.NamespaceDescriptor {
	seen := map[string]bool{}
	for _, n := range listed {
		seen[string(n.GetName())] = true
	}
	for _, t := range tables {
		if name := t.GetTableName().GetNamespace(); !seen[string(name)] {
			seen[string(name)] = true
			listed = append(listed, &pb.NamespaceDescriptor{Name: name})
		}
	}
	return listed
}
