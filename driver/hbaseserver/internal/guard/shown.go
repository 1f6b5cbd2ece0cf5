package guard

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/hbasekv/hbasekv/driver/hbaseserver/internal/rpc"
	"github.com/hbasekv/hbasekv/sqlfront/metrics"
)

// kinds are the kinds by which calls are counted; all others are administrative.
var kinds = map[string]metrics.Kind{"Get": metrics.KindHBaseGet, "Scan": metrics.KindHBaseScan,
	"Mutate": metrics.KindHBaseMutate, "Multi": metrics.KindHBaseMulti}

// KindOf is the kind by which calls of a method are counted.
func KindOf(method string) metrics.Kind {
	if kind, ok := kinds[method]; ok {
		return kind
	}
	return metrics.KindHBaseAdmin
}

// maxShown is how much of a name the process list shows, in bytes.
const maxShown = 200

// Shown is a call as the process list shows it: its method, and the table of the first region that it is
// about.
func Shown(r *rpc.Request) string {
	method := r.Method[:min(len(r.Method), maxShown)]
	if KindOf(method) == metrics.KindHBaseAdmin {
		return method
	}
	region := field(r.Param, 1)
	if method == "Multi" {
		region = field(region, 1) // of the first of its actions
	}
	name := field(region, 2)
	for i, b := range name {
		if b == ',' {
			return method + " " + string(name[:min(i, maxShown)])
		}
	}
	return method
}

// field is the first field of a message, if it has the number and is bytes.
func field(message []byte, number protowire.Number) []byte {
	for len(message) > 0 {
		found, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil
		}
		if found == number && kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(message[n:])
			return value
		}
		size := protowire.ConsumeFieldValue(found, kind, message[n:])
		if size < 0 {
			return nil
		}
		message = message[n+size:]
	}
	return nil
}
