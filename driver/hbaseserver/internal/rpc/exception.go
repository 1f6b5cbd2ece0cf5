package rpc

import (
	"errors"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"
)

// Prefix is the package of HBase's own classes.
const Prefix = "org.apache.hadoop.hbase."

// Exception is an error as HBase's clients see it: they act on its class.
type Exception struct {
	// Class is the Java class with its package.
	Class   string
	Message string
	// DoNotRetry says that a retry will fail too.
	DoNotRetry bool
}

// Error implements error.
func (e *Exception) Error() string { return e.Class + ": " + e.Message }

// Refused returns the exception of a call that a retry cannot help,
// DoNotRetryIOException.
func Refused(message string) *Exception {
	return &Exception{Class: Prefix + "DoNotRetryIOException", Message: message, DoNotRetry: true}
}

// asException returns err's Exception, or an IOException for any other error.
func asException(err error) *Exception {
	var e *Exception
	if errors.As(err, &e) {
		return e
	}
	return &Exception{Class: "java.io.IOException", Message: err.Error()}
}

func (e *Exception) message() *pb.ExceptionResponse {
	return &pb.ExceptionResponse{ExceptionClassName: &e.Class, StackTrace: proto.String(e.Error()), DoNotRetry: &e.DoNotRetry}
}
