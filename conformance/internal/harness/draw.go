package harness

import (
	"fmt"
	"math/rand/v2"
)

// Lit is a binary literal, which may contain any byte.
func Lit(s string) string { return fmt.Sprintf("X'%X'", s) }

// Pick returns one of them at random.
func Pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }
