// Package sysvar is MySQL's variables: [Vars] the system variables of one session, with the
// [Settings] that its statements look at, [Globals] what SET GLOBAL has set, and [UserVars] the
// variables that are written @name.
//
// A Vars and a UserVars are used by one goroutine at a time, Globals by many. Texts are UTF-8; stored values
// are copies.
package sysvar
