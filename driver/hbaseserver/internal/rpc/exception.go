package rpc

import (
	"errors"

	"github.com/tsuna/gohbase/pb"
	"google.golang.org/protobuf/proto"
)

// Prefix is that of HBase's own classes.
const Prefix = "org.apache.hadoop.hbase."

// Exception is an error as HBase's clients know it: they act on its class.
type Exception struct {
	// Class is the Java class in full.
	Class   string
	Message string
	// DoNotRetry is true of what fails each time.
	DoNotRetry bool
}

// Error implements error.
func (e *Exception) Error() string { return e.Class + ": " + e.Message }

// Refused is the exception of what fails each time, DoNotRetryIOException.
func Refused(message string) *Exception {
	return &Exception{Class: Prefix + "DoNotRetryIOException", Message: message, DoNotRetry: true}
}

// asException is the exception that an error is; any other error has a general class.
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
