// Package metrics counts what statements do: how many of each [Kind] ended how, how long they took
// and what they read ([SessionCounts], [StatementCounts]), which statements are slow ([LogSlow]),
// and how far a long one has come ([Reading], [MoveProgress], [CheckProgress]).
//
// A session counts its own statements, under its own lock: processors would contend for the memory of one
// counter for all sessions.
package metrics
