// Package arithmetic is MySQL's operators of numbers: + - * / DIV MOD, and those of bits. Strings are
// doubles in it, dates and times integers, or exact numbers where they have a fraction.
//
// Results hold no bytes of the operands. The only error is 1690 (DataOutOfRange), where the result is
// no value of its kind.
package arithmetic
