// Package arithmetic is MySQL's operators of numbers: + - * / DIV MOD, and those of bits. Strings are
// doubles in it, dates and times integers, or exact numbers if they have a fraction.
//
// Results do not refer to bytes of the operands. The only error is 1690 (DataOutOfRange), if the result is
// out of range of its kind.
package arithmetic
