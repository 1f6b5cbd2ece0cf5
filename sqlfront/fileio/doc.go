// Package fileio is what statements read and write outside of the store: LOAD DATA ([Load]), SELECT ... INTO
// OUTFILE and INTO DUMPFILE ([Export]), by the [Files] that the session has.
package fileio
