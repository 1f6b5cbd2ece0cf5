// Package physical finds how the rows of bound queries are found, and makes the nodes of
// them that package exec runs ([Complete]).
//
// Conditions are pushed down to the relations that they are about, also into derived tables and views;
// equalities carry them from one relation to another. Joins look rows up by keys, merge both sides in their
// order, or hash the keys that they set equal. They are planned in several orders if the choice depends on
// the data. Derived tables that group one table by the same columns become one.
package physical
