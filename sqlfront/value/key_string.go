package value

import "encoding/binary"

// appendStringKey appends a string prefixed with its length, so that its end is unambiguous.
func appendStringKey(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}
