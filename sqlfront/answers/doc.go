// Package answers is what statements answer: [Rows], which may come in blocks ([BlockRows]) or be in memory
// ([Table]), or a [Result] and an [Info] of what was changed.
package answers
