// Package schema declares users and their pets to ent, as tables of ordinary columns.
package schema

import (
	"time"

	"entgo.io/ent"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// User is the table users.
type User struct{ ent.Schema }

// Fields are the columns beside the ID.
func (User) Fields() []ent.Field {
	return []ent.Field{
		field.String("name").MaxLen(100),
		field.String("email").MaxLen(200).Unique().Optional().Nillable(),
		field.Int("age").Default(18).NonNegative(),
		field.Strings("tags").Optional(),
		field.Enum("state").Values("active", "gone").Default("active"),
		field.Time("created_at").Default(time.Now).Immutable(),
	}
}

// Edges lead to the pets.
func (User) Edges() []ent.Edge { return []ent.Edge{edge.To("pets", Pet.Type)} }

// Indexes are those of several columns.
func (User) Indexes() []ent.Index { return []ent.Index{index.Fields("name", "age")} }

// Pet is the table pets.
type Pet struct{ ent.Schema }

// Fields are the columns beside the ID and that of the owner.
func (Pet) Fields() []ent.Field { return []ent.Field{field.String("name").MaxLen(100)} }

// Edges lead back to the owner.
func (Pet) Edges() []ent.Edge { return []ent.Edge{edge.From("owner", User.Type).Ref("pets").Unique()} }
