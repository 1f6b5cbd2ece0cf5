// Package values makes SQL's values of the arguments that database/sql hands over, and database/sql's
// values of the rows of results.
package values
