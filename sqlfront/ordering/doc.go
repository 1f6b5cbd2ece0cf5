// Package ordering knows in which orders rows come from the store without a sort.
//
// The main types: [Key], an expression of an ORDER BY; [Scan], the order in which a scan gives
// rows, which tells whether it serves keys or groups rows. If the first byte of the rows is that of
// a few buckets, a merge of their scans serves the order after that byte ([Buckets]).
package ordering
