package value

import "encoding/binary"

// appendStringKey adds a string with its length in front, so that what follows it is not taken for
// its end.
func appendStringKey(dst, b []byte) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(b))), b...)
}
