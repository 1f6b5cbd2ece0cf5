package rowcodec

// Encoding is a way to represent values as bytes.
type Encoding uint8

// The encodings.
const (
	// Plain is the encoding of tables that are not mapped: HBase's Bytes for numbers, text for everything
	// else that is not binary, and in keys bytes that sort.
	Plain Encoding = iota
	// Text is the value's text, #s in mappings.
	Text
	// Bytes is the encoding of HBase's class Bytes, #b.
	Bytes
	// Ordered is the encoding of HBase's class OrderedBytes, ascending, #o.
	Ordered
)

var suffixes = [...]string{Plain: "", Text: "#s", Bytes: "#b", Ordered: "#o"}

// String is the suffix of a column in HBASE_COLUMNS.
func (e Encoding) String() string { return suffixes[e] }

// EncodingNamed is the encoding with that suffix; without one it is Text.
func EncodingNamed(suffix string) (e Encoding, ok bool) {
	switch suffix {
	case "", "#s":
		return Text, true
	case "#b":
		return Bytes, true
	case "#o":
		return Ordered, true
	}
	return Plain, false
}
