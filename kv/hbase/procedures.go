package hbase

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"strings"
	"time"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/hbasekv/hbasekv/kv/hbase/internal/tablename"
)

// Procedures of the master. Each request has a nonce, so that one that is sent twice is done once, and the
// procedure is waited for.

// procedureTimeout is how long a procedure may take.
const procedureTimeout = 60 * time.Second

// procedure makes the master do something and waits until it is done. Every
// response begins with the procedure's number; gohbase knows it only for some.
func (c *cluster) procedure(ctx context.Context, method string, request proto.Message) error {
	ctx, cancel := c.within(ctx, procedureTimeout)
	defer cancel()
	response := &pb.CreateTableResponse{}
	if err := c.onMaster(ctx, method, request, response, true); err != nil {
		return err
	}
	return c.await(ctx, response.GetProcId())
}

// await waits for a procedure.
func (c *cluster) await(ctx context.Context, id uint64) error {
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		state := &pb.GetProcedureResultResponse{}
		if err := c.onMaster(ctx, "getProcedureResult", &pb.GetProcedureResultRequest{ProcId: &id}, state, true); err != nil {
			return err
		}
		if state.GetState() != pb.GetProcedureResultResponse_RUNNING {
			if g := state.GetException().GetGenericException(); g != nil {
				message, _, _ := strings.Cut(g.GetMessage(), "\n")
				return &rpcError{refused, g.GetClassName(), message}
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return ended(ctx, nil)
		case <-time.After(wait):
		}
	}
}

// nonce returns a number that no other request has.
func nonce() *uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return proto.Uint64(binary.BigEndian.Uint64(b[:]) | 1)
}

func pbTable(namespace, name string) *pb.TableName {
	return &pb.TableName{Namespace: []byte(namespace), Qualifier: []byte(name)}
}

func (c *cluster) createTable(ctx context.Context, schema *pb.TableSchema, splits [][]byte) error {
	return c.procedure(ctx, "CreateTable", &pb.CreateTableRequest{TableSchema: schema, SplitKeys: splits, NonceGroup: nonce(), Nonce: nonce()})
}

// deleteTable disables a table and deletes it.
func (c *cluster) deleteTable(ctx context.Context, t *pb.TableName) error {
	err := c.procedure(ctx, "DisableTable", &pb.DisableTableRequest{TableName: t, NonceGroup: nonce(), Nonce: nonce()})
	if err != nil && !strings.HasSuffix(classOf(err), ".TableNotEnabledException") {
		return err
	}
	return c.procedure(ctx, "DeleteTable", &pb.DeleteTableRequest{TableName: t, NonceGroup: nonce(), Nonce: nonce()})
}

// truncateTable empties a table, which is disabled meanwhile.
func (c *cluster) truncateTable(ctx context.Context, t *pb.TableName) error {
	err := c.procedure(ctx, "DisableTable", &pb.DisableTableRequest{TableName: t, NonceGroup: nonce(), Nonce: nonce()})
	if err != nil && !strings.HasSuffix(classOf(err), ".TableNotEnabledException") {
		return err
	}
	return c.procedure(ctx, "truncateTable", &pb.TruncateTableRequest{TableName: t, PreserveSplits: proto.Bool(true), NonceGroup: nonce(), Nonce: nonce()})
}

// modifyTable replaces a table's descriptor. A master that supports it leaves the regions open, since
// servers need not know what is changed: gohbase has no field for that.
func (c *cluster) modifyTable(ctx context.Context, schema *pb.TableSchema) error {
	const reopenRegions = 5
	m := &pb.ModifyTableRequest{TableName: schema.GetTableName(), TableSchema: schema, NonceGroup: nonce(), Nonce: nonce()}
	setField(m, boolField(reopenRegions, false))
	return c.procedure(ctx, "ModifyTable", m)
}

func (c *cluster) addFamily(ctx context.Context, t *pb.TableName, f *pb.ColumnFamilySchema) error {
	return c.procedure(ctx, "AddColumn", &pb.AddColumnRequest{TableName: t, ColumnFamilies: f, NonceGroup: nonce(), Nonce: nonce()})
}

func (c *cluster) modifyFamily(ctx context.Context, t *pb.TableName, f *pb.ColumnFamilySchema) error {
	return c.procedure(ctx, "ModifyColumn", &pb.ModifyColumnRequest{TableName: t, ColumnFamilies: f, NonceGroup: nonce(), Nonce: nonce()})
}

func (c *cluster) deleteFamily(ctx context.Context, t *pb.TableName, name []byte) error {
	return c.procedure(ctx, "DeleteColumn", &pb.DeleteColumnRequest{TableName: t, ColumnName: name, NonceGroup: nonce(), Nonce: nonce()})
}

func (c *cluster) createNamespace(ctx context.Context, name string) error {
	return c.procedure(ctx, "CreateNamespace", &pb.CreateNamespaceRequest{NamespaceDescriptor: &pb.NamespaceDescriptor{Name: []byte(name)},
		NonceGroup: nonce(), Nonce: nonce()})
}

func (c *cluster) deleteNamespace(ctx context.Context, name string) error {
	return c.procedure(ctx, "DeleteNamespace", &pb.DeleteNamespaceRequest{NamespaceName: &name, NonceGroup: nonce(), Nonce: nonce()})
}

// splitRegion splits the region of a row at that row. gohbase has no message
// for that: its first field is the region, its second the row.
func (c *cluster) splitRegion(ctx context.Context, t *pb.TableName, row []byte) error {
	table := tablename.Of(t)
	c.forget(table)
	r, err := c.regionOf(ctx, table, row, false)
	if err != nil {
		return err
	}
	id, err := r.id()
	if err != nil {
		return err
	}
	info := &pb.RegionInfo{RegionId: &id, TableName: t, StartKey: r.start, EndKey: r.end, Split: proto.Bool(false), Offline: proto.Bool(false)}
	request := &pb.ListNamespaceDescriptorsRequest{} // an empty message
	field, err := messageField(1, info)
	if err != nil {
		return err
	}
	field = protowire.AppendBytes(protowire.AppendTag(field, 2, protowire.BytesType), row)
	setField(request, field)
	err = c.procedure(ctx, "SplitRegion", request)
	c.forget(table)
	return err
}

// classOf returns the class of an error's exception.
func classOf(err error) string {
	if e, ok := err.(*rpcError); ok {
		return e.class
	}
	return ""
}
