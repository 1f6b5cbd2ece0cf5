package cli

// A script of statements that is whole has a last line, and says so in the second one: one
// that was cut off between two statements could not be told from it.
const (
	DumpEnd  = "-- end of the export"
	DumpEnds = "-- Its last line is: " + DumpEnd
)
