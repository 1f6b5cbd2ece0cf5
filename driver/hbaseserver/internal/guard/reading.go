package guard

import (
	"context"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/tables"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// AccessDenied is the class of what a client may not do.
const AccessDenied = rpc.Prefix + "security.AccessDeniedException"

// Reading is what a scanner reads, between the calls of its client, and for whom.
type Reading struct {
	owner   rights.Identity
	table   rowapi.TableName
	columns []*pb.Column
}

// Reads is what the client of a call reads of a table by a scanner; no columns are all.
func Reads(ctx context.Context, t *tables.Table, columns []*pb.Column) Reading {
	return Reading{ClientOf(ctx).account, t.Name, columns}
}

// ReadsMeta is what the client of a call reads of hbase:meta, where all that is shown is what it may see.
func ReadsMeta(ctx context.Context) Reading { return Reading{owner: ClientOf(ctx).account} }

// Meta reports whether it is hbase:meta that is read.
func (r *Reading) Meta() bool { return r.table == rowapi.TableName{} }

// Owned refuses a call of another account than that which has opened the scanner.
func (r *Reading) Owned(ctx context.Context) error {
	if ClientOf(ctx).account == r.owner {
		return nil
	}
	return &rpc.Exception{Class: AccessDenied, DoNotRetry: true, Message: "the scanner is another account's"}
}

// Permit refuses to read on where the client of a call has lost the right, for as long as it has not got it back.
func (r *Reading) Permit(ctx context.Context) error {
	p, err := permissionOf(ctx)
	if err != nil || p == nil || r.Meta() {
		return err
	}
	t, err := p.view.Table(r.table)
	if err != nil { // it is not there, or the client knows of it no more
		return p.Table(rights.Select, p.of.database(r.table), r.table.Name, "")
	}
	return p.reads(t, r.columns)
}
