// Package privilege says which privileges a statement needs, for those that are not planned ([Checker]; plans
// check theirs while they are made), and runs the statements about accounts ([Change]).
package privilege
