// Package tablename writes the names of HBase's tables as its regions have them.
package tablename

import "github.com/tsuna/gohbase/pb"

// Of returns a table's name with its namespace, unless that is default.
func Of(n *pb.TableName) string { return Qualified(string(n.GetNamespace()), string(n.GetQualifier())) }

// Qualified returns a name with a namespace, unless that is default or empty.
func Qualified(namespace, name string) string {
	if namespace == "" || namespace == "default" {
		return name
	}
	return namespace + ":" + name
}
