package filter

// Parse reads a filter in the language of HBase's shell and Thrift server
// (https://hbase.apache.org/book.html#thrift.filter_language), as
//
//	PrefixFilter('row') AND (QualifierFilter(>=, 'binary:xyz') OR TimestampsFilter(123, 456))
//
// ErrUnknown names a filter or comparator that is not known, ErrInvalid what cannot be read, ErrRegex
// a regular expression that is not supported.
func Parse(text []byte) (Filter, error) { return nil, ErrInvalid }
