// Package recode knows the bytes that the characters of texts have in MySQL's character sets.
//
// The main names: [Find] finds a [Set] by its name; [Set.Append] and [Set.Next] write and read a character.
package recode
