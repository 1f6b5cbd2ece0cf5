// Package recode knows the bytes that the characters of texts have in MySQL's character sets.
//
// What matters: [Find], a [Set] by its name; [Set.Append] and [Set.Next], which write and read a
// character.
package recode
