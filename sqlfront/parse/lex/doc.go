// Package lex cuts the text of statements into tokens, as MySQL does in its default sql_mode. [Lex] makes a
// [Text], which has a [Shape] and is read token by token through a [Cursor]; [Split] and [EachPiece] cut a
// script into statements, and [Digest] is a text without its data. [QuoteName] and similar functions write
// names and literals so that they can be read back.
package lex
