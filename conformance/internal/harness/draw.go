package harness

import (
	"fmt"
	"math/rand/v2"
)

// Lit is a binary literal: every byte is allowed in it.
func Lit(s string) string { return fmt.Sprintf("X'%X'", s) }

// Pick is one of them, by chance.
func Pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }
