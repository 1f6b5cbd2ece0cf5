// Package typed is typed tables: rows with named, typed columns over the cells of a column
// family, whose rows they are.
//
// The main types: [Table], the declaration of one, from [Of]; its columns as expressions over cells
// ([Table.PartOf], [Table.ValueOf]); and the rows and cells for values ([Table.AppendRow],
// [Table.AppendCell]).
//
// A row has a cell with the qualifier [Marker] and one for each column outside the primary key that is not
// NULL.
package typed
