// Package permissions asks HBase what the user of a connection may do, by MasterService's HasUserPermissions.
// HBase's own list of permissions is for its administrators alone, and has nothing of groups and superusers.
package permissions

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/permission"
)

// method is the master's, since HBase 2.2.
const method = "HasUserPermissions"

// actions is the number of actions; each is asked for separately.
const actions = 5

// Question is a request to the master about permissions.
type Question struct{ about []scope }

// scope is what permissions apply to. The SQL tables of an HBase table are its families, which share its
// permissions.
type scope struct {
	database, table string // table is HBase's
	shown           []string
}

// About returns the question about everything, each database and each table of a catalog.
func About(c *kv.StoredCatalog) Question {
	q := Question{about: []scope{{}}}
	for _, d := range c.Databases {
		q.about = append(q.about, scope{database: d.Name})
	}
	at := map[[2]string]int{}
	for _, t := range c.Tables {
		name := [2]string{t.Database, cmp.Or(t.Group, t.Name)} // HBase's
		i, ok := at[name]
		if !ok {
			i = len(q.about)
			at[name], q.about = i, append(q.about, scope{database: t.Database, table: name[1]})
		}
		q.about[i].shown = append(q.about[i].shown, t.Name)
	}
	for _, s := range q.about {
		slices.Sort(s.shown)
	}
	return q
}

// From HBase's AccessControl.proto, for which gohbase has no messages: numbers of fields, and of the types of
// permissions. The message of a type is in the field with the next number.
const (
	requestPermission = 2
	responseHas       = 1
	permissionType    = 1
	globalActions     = 1
	namespaceName     = 1
	namespaceActions  = 2
	tableName         = 1
	tableActions      = 4

	typeGlobal    = 1
	typeNamespace = 2
	typeTable     = 3
)

// Master calls a method of the master; asks means that the method changes nothing, so that it may be
// repeated.
type Master func(ctx context.Context, method string, request, answer proto.Message, asks bool) error

// Ask sends the question to the master. Permissions that follow from those of the database, or on everything,
// are omitted.
func (q Question) Ask(ctx context.Context, call Master) ([]permission.Permission, error) {
	request, err := q.request()
	if err != nil {
		return nil, err
	}
	answer := message(nil)
	if err := call(ctx, method, request, answer, true); err != nil {
		return nil, err
	}
	return q.read(answer)
}

func (q Question) request() (proto.Message, error) {
	var b []byte
	for _, s := range q.about {
		for action := range uint64(actions) {
			p, err := s.permission(action)
			if err != nil {
				return nil, err
			}
			b = appendMessage(b, requestPermission, p)
		}
	}
	return message(b), nil
}

// message returns a message that gohbase does not have, from the bytes of its fields.
func message(fields []byte) proto.Message {
	m := &pb.ListNamespaceDescriptorsRequest{} // it has no fields of its own
	m.ProtoReflect().SetUnknown(fields)
	return m
}

// permission returns the message Permission for one action.
func (s scope) permission(action uint64) ([]byte, error) {
	switch {
	case s.table != "":
		name, err := proto.Marshal(&pb.TableName{Namespace: []byte(s.database), Qualifier: []byte(s.table)})
		return ofType(typeTable, appendNumber(appendMessage(nil, tableName, name), tableActions, action)), err
	case s.database != "":
		return ofType(typeNamespace, appendNumber(appendMessage(nil, namespaceName, []byte(s.database)), namespaceActions, action)), nil
	}
	return ofType(typeGlobal, appendNumber(nil, globalActions, action)), nil
}

func ofType(kind uint64, of []byte) []byte {
	return appendMessage(appendNumber(nil, permissionType, kind), protowire.Number(kind)+1, of)
}

func appendMessage(b []byte, field protowire.Number, of []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), of)
}

func appendNumber(b []byte, field protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), n)
}

// read returns the permissions in a response, without those that follow from the database or from those on
// everything.
func (q Question) read(answer proto.Message) ([]permission.Permission, error) {
	has, err := booleans(answer.ProtoReflect().GetUnknown())
	if err != nil || len(has) != actions*len(q.about) {
		return nil, fmt.Errorf("HBase's response to %s has %d results for %d permissions: %v", method, len(has), actions*len(q.about), err)
	}
	var out []permission.Permission
	databases := map[string]permission.Actions{}
	for i, s := range q.about {
		may := actionsOf(has[i*actions : (i+1)*actions])
		switch {
		case s.table != "":
			may &^= databases[s.database]
			for _, name := range s.shown {
				out = appendAllowed(out, permission.Permission{Database: s.database, Table: name, Actions: may})
			}
		case s.database != "":
			databases[s.database] = may
			out = appendAllowed(out, permission.Permission{Database: s.database, Actions: may &^ out[0].Actions})
		default:
			out = append(out, permission.Permission{Actions: may})
		}
	}
	return out, nil
}

func appendAllowed(out []permission.Permission, p permission.Permission) []permission.Permission {
	if p.Actions == 0 {
		return out
	}
	return append(out, p)
}

func actionsOf(has []bool) (a permission.Actions) {
	for i, may := range has {
		if may {
			a |= 1 << i
		}
	}
	return a
}

// booleans returns the values of the response's field, which protobuf 2 encodes one by one.
func booleans(b []byte) (out []bool, err error) {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		b = b[n:]
		if field == responseHas && kind == protowire.VarintType {
			v, _ := protowire.ConsumeVarint(b)
			out = append(out, protowire.DecodeBool(v))
		}
		if n = protowire.ConsumeFieldValue(field, kind, b); n < 0 {
			return nil, protowire.ParseError(n)
		}
		b = b[n:]
	}
	return out, nil
}
