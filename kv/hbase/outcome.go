package hbase

import (
	"context"
	"errors"
	"strings"

	"github.com/tsuna/gohbase/pb"

	"github.com/hbasekv/hbasekv/kv"
)

// outcome is what is known of a failed request.
type outcome uint8

const (
	refused  outcome = iota // the server refused it with a reason, and has done nothing
	moved                   // the server does not serve the region, and has done nothing
	busy                    // the server has done nothing, and may do it later
	notSent                 // the server could not be reached
	lost                    // it may have been done or not
	gone                    // the scanner no longer exists
	canceled                // the context has ended; it may have been done or not
)

// rpcError is the error of a failed request: class and message of the exception, without its stack.
type rpcError struct {
	outcome        outcome
	class, message string
}

func (e *rpcError) Error() string {
	if e.class == "" {
		return e.message
	}
	return e.class + ": " + e.message
}

// Unwrap returns the error of package kv for the exception, nil for none.
func (e *rpcError) Unwrap() error { return meanings[e.class[strings.LastIndexByte(e.class, '.')+1:]] }

var meanings = map[string]error{"AccessDeniedException": kv.ErrDenied, "TableNotFoundException": kv.ErrNoTable,
	"NoSuchColumnFamilyException": kv.ErrNoTable}

// outcomeOf returns what is known of a request from its error.
func outcomeOf(err error) outcome {
	var e *rpcError
	if errors.As(err, &e) {
		return e.outcome
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return canceled
	}
	return refused
}

// exceptions maps classes of exceptions to outcomes; others are refusals.
var exceptions = map[string]outcome{
	"NotServingRegionException":           moved,
	"RegionMovedException":                moved,
	"RegionOpeningException":              busy,
	"WrongRegionException":                moved,
	"UnknownRegionException":              moved,
	"RegionServerAbortedException":        moved,
	"RegionServerStoppedException":        moved,
	"ServerNotRunningYetException":        busy,
	"MasterNotRunningException":           moved,
	"MasterStoppedException":              moved,
	"CallQueueTooBigException":            busy,
	"RpcThrottlingException":              busy,
	"RetryImmediatelyException":           busy,
	"MultiActionResultTooLarge":           busy,
	"RegionTooBusyException":              busy,
	"PleaseHoldException":                 busy,
	"CallDroppedException":                busy,
	"UnknownScannerException":             gone,
	"LeaseException":                      gone,
	"ScannerResetException":               gone,
	"OutOfOrderScannerNextException":      gone,
	"WALSyncTimeoutIOException":           lost,
	"WALClosedException":                  lost,
	"TimeoutIOException":                  lost,
	"InterruptedIOException":              lost,
	"ClosedChannelException":              lost,
	"FailedSyncBeforeLogCloseException":   lost,
	"RegionInRecoveryException":           busy,
	"FailedServerException":               notSent,
	"ConnectionClosedException":           lost,
	"CallTimeoutException":                lost,
	"DroppedSnapshotException":            lost,
	"ServerTooBusyException":              busy,
	"PreemptiveFastFailException":         busy,
	"MasterRegistryFetchException":        busy,
	"NoSuchProcedureException":            refused,
	"RegionStateStoreException":           busy,
	"UnexpectedStateException":            busy,
	"RegionServerAbortedIOException":      lost,
	"DamagedWALException":                 lost,
	"RegionServerRunningException":        busy,
	"StoppedRpcClientException":           lost,
	"ConnectionClosingException":          lost,
	"ClockOutOfSyncException":             refused,
	"FailedCloseWALAfterInitializedError": lost,
}

// exception makes an error from an exception's class and its stack.
func exception(class, stack string) *rpcError {
	short := class[strings.LastIndexAny(class, ".$")+1:]
	first, _, _ := strings.Cut(stack, "\n")
	message := strings.TrimPrefix(first, class+": ")
	known := exceptions[short]
	if short == "IOException" && strings.Contains(stack, "log is closed") {
		known = lost
	}
	return &rpcError{known, class, strings.TrimSpace(message)}
}

// named returns the exception in a Multi's response for one of its parts.
func named(e *pb.NameBytesPair) *rpcError { return exception(e.GetName(), string(e.GetValue())) }
