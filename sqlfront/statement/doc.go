// Package statement keeps parsed statements and their plans: a [Statement] is one text, its [Tree] is what
// was parsed, and a [Plan] is valid while the names in it stand for the same tables, and for arguments that
// meet its assumptions. A [Cache] finds them again, by the text or by its shape.
package statement
