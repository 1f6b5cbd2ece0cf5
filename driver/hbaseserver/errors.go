package hbaseserver

import (
	"context"
	"errors"
	"strings"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/guard"
	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/kv"
	"github.com/hbasekv/hbasekv/kv/caught"
	"github.com/hbasekv/hbasekv/kv/rowapi"
	"github.com/hbasekv/hbasekv/kv/rowapi/filter"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
)

// class is HBase's exception for an error. Clients retry unless it is final.
type class struct {
	err   error
	name  string
	final bool
}

const doNotRetry = "DoNotRetryIOException"

// classes are HBase's exceptions; the first whose err matches applies.
var classes = []class{
	{rowapi.ErrTableNotFound, "TableNotFoundException", true},
	{rowapi.ErrTableDisabled, "NotServingRegionException", false},
	{rowapi.ErrNoSuchFamily, "regionserver.NoSuchColumnFamilyException", true},
	{rowapi.ErrWrongRow, "regionserver.WrongRegionException", false},
	{rowapi.ErrBusy, "RegionTooBusyException", false},
	{rowapi.ErrScannerClosed, "UnknownScannerException", true},
	{rowapi.ErrCellTooLarge, doNotRetry, true},
	{rowapi.ErrInvalid, doNotRetry, true},
	{rowapi.ErrUnsupported, doNotRetry, true},
	{rowapi.ErrTimestampExhausted, doNotRetry, true},
	{rowapi.ErrTooLarge, doNotRetry, true},
	{filter.ErrInvalid, doNotRetry, true},
	{filter.ErrUnknown, doNotRetry, true},
	{filter.ErrRegex, doNotRetry, true},
	{kv.ErrReadOnly, doNotRetry, true},
	{kv.ErrOutcomeUnknown, doNotRetry, true}, // see again
	{kv.ErrDiskFull, "RegionTooBusyException", false},
	{kv.ErrConflict, "RegionTooBusyException", false},
	{kv.ErrDeadlock, "RegionTooBusyException", false},
	{kv.ErrLockTimeout, "RegionTooBusyException", false},
	{kv.ErrCatalogChanged, "NotServingRegionException", false},
	{kv.ErrReopened, "NotServingRegionException", false},
	{kv.ErrFailed, "RegionTooBusyException", false},
	{kv.ErrClosed, "regionserver.RegionServerStoppedException", false},
	{context.DeadlineExceeded, "exceptions.TimeoutIOException", false},
	{context.Canceled, "regionserver.RegionServerStoppedException", false},
}

// again lets a client retry when the outcome is unknown, if doing the actions twice is the same as doing
// them once.
func again(err error, what ...rowapi.Action) error {
	if !errors.Is(err, kv.ErrOutcomeUnknown) {
		return err
	}
	for _, each := range what {
		switch a := each.(type) {
		case *rowapi.Put, *rowapi.Delete:
		case *rowapi.RowMutations:
			if err := again(err, asActions(a.Mutations)...); errors.Is(err, kv.ErrOutcomeUnknown) {
				return err
			}
		default:
			return err
		}
	}
	return &rpc.Exception{Class: rpc.Prefix + "RegionTooBusyException", Message: err.Error()}
}

func asActions(mutations []rowapi.Mutation) (out []rowapi.Action) {
	for _, m := range mutations {
		out = append(out, m)
	}
	return out
}

// exception converts an error to the exception that clients receive.
func (s *server) exception(err error) error {
	var done *rpc.Exception
	var panicked *caught.Panic
	var refused kv.ErrUnsupported
	var duplicate *kv.DuplicateEntryError
	switch {
	case errors.As(err, &done):
		return done
	case errors.As(err, &panicked):
		s.options.Log.Error("a call panicked", "error", err, "stack", string(panicked.Stack))
	case errors.As(err, &refused), errors.As(err, &duplicate):
		return rpc.Refused(err.Error())
	case mysqlerr.Is(err, mysqlerr.QueryInterrupted): // which must not be retried
		return rpc.Refused(err.Error())
	case mysqlerr.Is(err, mysqlerr.TableAccessDenied, mysqlerr.DBAccessDenied, mysqlerr.SpecificAccessDenied):
		return &rpc.Exception{Class: guard.AccessDenied, Message: mysqlerr.Message(err), DoNotRetry: true}
	case errors.Is(err, ErrNoAnswer):
		return err
	case errors.Is(err, rowapi.ErrNotLong): // programs look for these words of HBase
		return rpc.Refused("F" + strings.TrimPrefix(err.Error(), "f"))
	}
	for _, c := range classes {
		if errors.Is(err, c.err) {
			return &rpc.Exception{Class: rpc.Prefix + c.name, Message: err.Error(), DoNotRetry: c.final}
		}
	}
	return &rpc.Exception{Class: "java.io.IOException", Message: err.Error()}
}
