// Package setop has set operations of queries: UNION (union.go), whose parts are converted to common types
// (unionpart.go), INTERSECT and EXCEPT (balanced.go), and recursion, WITH RECURSIVE (recursive.go,
// recursive_fit.go).
package setop
