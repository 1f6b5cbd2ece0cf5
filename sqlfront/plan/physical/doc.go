// Package physical finds how the rows of bound queries are found, and makes the nodes of
// them that package exec runs ([Complete]).
//
// Conditions go down to the relations that they are about, also into derived tables and
// views; what is equal carries them from one relation to another. Joins look rows up by
// keys, go on in the order of both sides, or hash what they set equal, in several orders
// where the data of the day are to choose. Derived tables that group one table by the same
// columns become one.
package physical
