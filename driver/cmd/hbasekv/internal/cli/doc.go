// Package cli is what the commands share: checks of their arguments, the opening of stores and of
// servers, names and literals in the statements they send, and how cells are shown.
package cli
