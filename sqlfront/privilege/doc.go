// Package privilege says which rights a statement takes, for those that are not planned
// ([Checker]; plans ask while they are made), and runs the statements about accounts
// ([Change]).
package privilege
