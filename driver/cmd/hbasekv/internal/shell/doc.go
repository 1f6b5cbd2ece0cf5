// Package shell is the command that runs SQL statements: from its arguments, from scripts, or typed
// into a shell.
package shell
