// Package statement keeps parsed statements and their plans: a [Statement] is one text, its [Tree]
// what was parsed, and a [Plan] is good while the names in it stand for the same tables, and for
// arguments of which it has assumed something. A [Cache] finds them again, by the text or by its
// shape.
package statement
