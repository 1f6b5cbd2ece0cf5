// Package ordering knows in which orders rows come from the store without a sort.
//
// The types that matter: [Key], an expression of an ORDER BY; [Scan], the order in which a
// scan gives rows, which is asked whether it serves keys, or gathers the rows of a group.
// Where the first bytes of the rows are those of few buckets, a merge of their scans serves
// an order behind that byte ([Buckets]).
package ordering
