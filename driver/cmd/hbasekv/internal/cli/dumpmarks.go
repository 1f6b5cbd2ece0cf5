package cli

// A complete script of statements has a last line, which its second line announces:
// otherwise one that was cut off between two statements would look complete.
const (
	DumpEnd  = "-- end of the export"
	DumpEnds = "-- Its last line is: " + DumpEnd
)
