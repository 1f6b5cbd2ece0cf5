package guard

import (
	"context"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// AccessDenied is the class of the exception for calls that the client may not make.
const AccessDenied = rpc.Prefix + "security.AccessDeniedException"

// Reading is what a scanner reads, and for which account, across the calls of its client.
type Reading struct {
	owner   rights.Identity
	table   rowapi.TableName
	columns []*pb.Column
}

// Reads is what the client of a call reads of a table with a scanner; no columns means all.
func Reads(ctx context.Context, t *tables.Table, columns []*pb.Column) Reading {
	return Reading{ClientOf(ctx).account, t.Name, columns}
}

// ReadsMeta is what the client of a call reads of hbase:meta, which shows it only what it may see.
func ReadsMeta(ctx context.Context) Reading { return Reading{owner: ClientOf(ctx).account} }

// Meta reports whether hbase:meta is read.
func (r *Reading) Meta() bool { return r.table == rowapi.TableName{} }

// Owned refuses a call of another account than the one that opened the scanner.
func (r *Reading) Owned(ctx context.Context) error {
	if ClientOf(ctx).account == r.owner {
		return nil
	}
	return &rpc.Exception{Class: AccessDenied, DoNotRetry: true, Message: "the scanner is another account's"}
}

// Permit refuses to read on as long as the client of a call no longer has the right.
func (r *Reading) Permit(ctx context.Context) error {
	p, err := permissionOf(ctx)
	if err != nil || p == nil || r.Meta() {
		return err
	}
	t, err := p.view.Table(r.table)
	if err != nil { // it is gone, or the client may no longer know of it
		return p.Table(rights.Select, p.of.database(r.table), r.table.Name, "")
	}
	return p.reads(t, r.columns)
}
