// Command release makes a release of the repository that it is run in, at the commit that is
// checked out:
//
//	go run ./conformance/release -proxy ./modules -archives ./dist v0.1.0
//	go run ./conformance/release -tag v0.1.0
//
// It works in a copy of the commit, and does not change the working tree. In the copy each
// published module requires the others at the version, without replace directives. From the copy,
// -proxy writes the modules as a directory that the go command reads as a module proxy, -archives
// builds the command from those modules for other systems, and -tag records the copy as a commit,
// which is on no branch, with a tag for each module.
//
// The same commit gives the same bytes.
package main
