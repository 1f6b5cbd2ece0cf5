package tables

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/kv/rowapi"
)

// SystemNamespace is the namespace of HBase's own tables, of which only hbase:meta
// exists.
const SystemNamespace = "hbase"

// Meta is the table that has all regions.
var Meta = rowapi.TableName{Namespace: SystemNamespace, Name: "meta"}

// Names maps namespaces to databases and back.
type Names struct {
	// Default is the database of the namespace default.
	Default string
}

// Database is the database of a namespace.
func (n Names) Database(namespace string) string { return rowapi.DatabaseOf(namespace, n.Default) }

// Namespace is the namespace of a database; ok is false if it has none.
func (n Names) Namespace(database string) (name string, ok bool) {
	switch database {
	case n.Default:
		return rowapi.DefaultNamespace, true
	case rowapi.DefaultNamespace, SystemNamespace:
		return "", false
	}
	return database, true
}

// NameOf returns the name in a message.
func NameOf(m *pb.TableName) rowapi.TableName {
	name := rowapi.TableName{Namespace: string(m.GetNamespace()), Name: string(m.GetQualifier())}
	if name.Namespace == "" {
		name.Namespace = rowapi.DefaultNamespace
	}
	return name
}

// Message returns a name as a message.
func Message(n rowapi.TableName) *pb.TableName {
	return &pb.TableName{Namespace: []byte(n.Namespace), Qualifier: []byte(n.Name)}
}

var (
	legalNamespace = regexp.MustCompile(`^[\p{L}\p{N}_]+$`)
	legalTable     = regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$`)
)

// checkName refuses names that HBase's tables cannot have.
func checkName(n rowapi.TableName) error {
	if !legalNamespace.MatchString(n.Namespace) {
		return illegal("Illegal namespace %q: it may contain letters, digits and _", n.Namespace)
	}
	if !legalTable.MatchString(n.Name) {
		return illegal("Illegal table name %q: it may contain letters, digits, _, - and ., and must not begin with - or .", n.Name)
	}
	return nil
}

// checkFamily refuses names that HBase's families cannot have.
func checkFamily(name string) error {
	if name == "" || name[0] == '.' || strings.ContainsAny(name, `:/\`) || strings.ContainsFunc(name, isControl) {
		return illegal("Illegal family name %q: it is not empty, begins with no '.', "+
			"and holds no ':', '/', '\\' or control characters", name)
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// illegal is the exception for invalid arguments.
func illegal(format string, args ...any) error {
	return rpc.Refused("java.lang.IllegalArgumentException: " + fmt.Sprintf(format, args...))
}

// exception is an exception of one of HBase's classes, which clients must not retry.
func exception(class, format string, args ...any) error {
	return &rpc.Exception{Class: rpc.Prefix + class, Message: fmt.Sprintf(format, args...), DoNotRetry: true}
}

func notFound(n rowapi.TableName) error { return exception("TableNotFoundException", "%s", n) }

// retried is an exception of one of HBase's classes, which clients may retry.
func retried(class, format string, args ...any) error {
	return &rpc.Exception{Class: rpc.Prefix + class, Message: fmt.Sprintf(format, args...)}
}
