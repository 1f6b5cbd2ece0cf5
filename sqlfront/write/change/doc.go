// Package change is what all statements that change rows have in common.
//
// The types that matter: [Preparer], what planning one takes, with the rules of which tables can
// be changed; [Statement], a planned one, and [Result], what it did; [Writer], one under way, which
// writes a [Version] at a time through the seam, turns errors of rows into warnings where IGNORE
// asks for it, and notes versions that retention does not keep.
package change
