// Package schema declares a family of cells, and views over it, to ent.
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
)

// Cell is the table shop_cells, the family cells of the table group shop (ent
// cannot generate code for a name with $). To ent it is the edge between a row
// and a qualifier, because only the schema of an edge has an ID of several
// columns: K and Q, which is a cell's name in the view of the latest versions.
type Cell struct{ ent.Schema }

// Annotations name the table and the ID.
func (Cell) Annotations() []schema.Annotation {
	table := entsql.Annotation{Table: "shop_cells", Options: "HBase PARTITION BY KEY(k) PARTITIONS 7"}
	return []schema.Annotation{table, field.ID("k", "q")}
}

// Fields are the columns. A T that is not set is the clock's.
func (Cell) Fields() []ent.Field {
	return []ent.Field{
		field.String("k").SchemaType(row),
		field.String("q").SchemaType(qualifier),
		field.Int64("t").Optional(),
		field.Bytes("v").Optional().SchemaType(value),
	}
}

// Edges are what an edge schema must have.
func (Cell) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("person", Person.Type).Unique().Required().Field("k"),
		edge.To("qualifier", Qualifier.Type).Unique().Required().Field("q"),
	}
}

// Person is a view that turns the cells of a row into columns.
type Person struct{ ent.Schema }

// Annotations name the view, which SQL makes.
func (Person) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "persons"}}
}

// Fields are the view's columns.
func (Person) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").SchemaType(row),
		field.String("name").Optional(),
		field.Int64("age").Optional().Nillable(),
	}
}

// Edges lead from the view's row to its cells.
func (Person) Edges() []ent.Edge {
	return []ent.Edge{edge.To("qualifiers", Qualifier.Type).Through("cells", Cell.Type)}
}

// Qualifier is a view of the qualifiers that cells have.
type Qualifier struct{ ent.Schema }

// Annotations name the view, which SQL makes.
func (Qualifier) Annotations() []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: "qualifiers"}}
}

// Fields are the view's columns.
func (Qualifier) Fields() []ent.Field { return []ent.Field{field.String("id").SchemaType(qualifier)} }

// Edges lead back to the rows.
func (Qualifier) Edges() []ent.Edge {
	return []ent.Edge{edge.From("persons", Person.Type).Ref("qualifiers").Through("cells", Cell.Type)}
}

// How the columns are declared.
var (
	row       = map[string]string{dialect.MySQL: "varbinary(1024)"}
	qualifier = map[string]string{dialect.MySQL: "varbinary(256)"}
	value     = map[string]string{dialect.MySQL: "varbinary(1024)"}
)
