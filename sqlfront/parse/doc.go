// Package parse reads MySQL-flavoured SQL text. [Parse] turns one statement
// into a [Parsed], which holds one of the [Statement] types; [Split] cuts a
// script into statements.
//
// SELECT, INSERT, REPLACE, UPDATE and DELETE arrive as the syntax trees of
// github.com/xwb1989/sqlparser. That grammar is smaller than MySQL's, so a
// statement is first read against MySQL's own grammar, which decides every
// syntax error and its position, and written down again in the words that
// sqlparser understands. Every other statement is read here alone.
//
// What a reader of those trees must know:
//
//   - Literals: each string, hex or bit literal is a bind variable that
//     [LiteralIndex] recognises; its bytes, escapes resolved, are in
//     Parsed.Literals. Numbers stay in the tree.
//   - Placeholders: each ? is a bind variable that [ParamIndex] recognises,
//     numbered from 0 in the order of the text, hints and FOR SYSTEM_TIME
//     included.
//   - Table names: read them through [Table], which also says which FOR
//     SYSTEM_TIME and which PARTITION selection belongs to the name, and
//     which common table expression it stands for. WITH itself is in
//     Parsed.Common, not in the tree.
//   - Labels: a select item without an alias that is neither a plain column
//     nor a star carries its source text as alias, as MySQL labels it.
//   - Function calls, SUBSTRING, IF, LEFT and CURRENT_TIMESTAMP included, are
//     all sqlparser.FuncExpr, with the name as written; SubstrExpr and MatchExpr
//     never occur, GroupConcatExpr, ConvertExpr, ConvertUsingExpr, CaseExpr,
//     ValuesFuncExpr and Default do. POSITION(a IN b) is locate(a, b),
//     SUBSTRING(s FROM a FOR b) is substring(s, a, b), SOUNDS LIKE compares two
//     calls of soundex, = ANY is IN, <> ALL is NOT IN, IS UNKNOWN is IS NULL,
//     ROW(a, b) is (a, b). EXTRACT, TIMESTAMPADD, TIMESTAMPDIFF and GET_FORMAT
//     have their first word as a literal in upper case.
//   - Forms that sqlparser has no node for are calls of the functions that
//     start with [InternalPrefix]; their constants say what they mean.
//
// A Parsed and the trees in it are immutable after Parse, and may be shared by
// goroutines. Every error is a bare *mysql.MySQLError: 1064 with the
// position in the user's text, 1065 for no statement, 1235 for MySQL that this
// driver knows and does not run.
package parse
