// Package ast is what a statement's text is parsed into: a [Parsed], which holds one of the
// [Statement] types.
//
// SELECT, INSERT, REPLACE, UPDATE, DELETE and all expressions are syntax trees of
// github.com/xwb1989/sqlparser, built by MySQL's own grammar (package parse). Every other
// statement is a type of this package.
//
// A reader of those trees must know:
//
//   - Nodes that sqlparser lacks are types of this package. Each embeds one of
//     sqlparser's nodes, which holds what is below it.
//   - Literals are [Literal] and [Number], placeholders are [Param]; SQLVal
//     occurs only as the length of a [sqlparser.ConvertType]. Placeholders are
//     numbered from 0 in the order of the text, hints and FOR SYSTEM_TIME included.
//   - A table in FROM is a [Table] in an AliasedTableExpr. It says which FOR
//     SYSTEM_TIME and which PARTITION selection belong to the name, and which common
//     table expression the name stands for. WITH itself is in Parsed.Common, not in
//     the tree. A SELECT without FROM reads dual.
//   - The items of a select list are [Item], with MySQL's label, or stars.
//   - Function calls, SUBSTRING, IF, LEFT and CURRENT_TIMESTAMP included, are
//     all FuncExpr, with the name as written; SubstrExpr and MatchExpr never occur,
//     [GroupConcat], [Trim], ConvertExpr, ConvertUsingExpr, CaseExpr, ValuesFuncExpr
//     and Default do. POSITION(a IN b) is locate(a, b), SUBSTRING(s FROM a FOR b) is
//     substring(s, a, b), SOUNDS LIKE compares two calls of soundex, = ANY is IN,
//     <> ALL is NOT IN, IS UNKNOWN is IS NULL, ROW(a, b) is (a, b). EXTRACT,
//     TIMESTAMPADD, TIMESTAMPDIFF and GET_FORMAT have their first word as a literal
//     in upper case.
//   - An expression that sqlparser's grammar does not accept as an operand, such as a
//     comparison that is compared, is in a ParenExpr of its own.
//
// A Parsed and the trees in it are immutable once they are parsed, and may be shared by goroutines. To change
// one, copy the nodes on the way to the change.
package ast
