package orm

import (
	"database/sql"
	"strings"
	"testing"

	"ariga.io/atlas/sql/migrate"
	"ariga.io/atlas/sql/mysql"
	"ariga.io/atlas/sql/schema"
	"github.com/stretchr/testify/require"
)

// atlasSchemas are the wanted schemas, one after another.
var atlasSchemas = []string{`
schema "default" {}
table "users" {
  schema = schema.default
  column "id" {
    type           = bigint
    unsigned       = true
    auto_increment = true
  }
  column "name" { type = varchar(100) }
  column "email" {
    type = varchar(200)
    null = true
  }
  column "created_at" {
    type    = datetime(3)
    default = sql("CURRENT_TIMESTAMP(3)")
  }
  primary_key { columns = [column.id] }
  index "by_email" {
    unique  = true
    columns = [column.email]
  }
}
table "pets" {
  schema = schema.default
  column "owner" {
    type     = bigint
    unsigned = true
  }
  column "number" { type = int }
  column "name" {
    type    = varchar(50)
    default = "Rex"
  }
  primary_key { columns = [column.owner, column.number] }
}
`, `
schema "default" {}
table "users" {
  schema  = schema.default
  comment = "of the shop"
  column "id" {
    type           = bigint
    unsigned       = true
    auto_increment = true
  }
  column "name" { type = varchar(150) }
  column "email" {
    type = varchar(200)
    null = true
  }
  column "created_at" {
    type    = datetime(3)
    default = sql("CURRENT_TIMESTAMP(3)")
  }
  column "age" {
    type    = int
    null    = true
    comment = "in years"
  }
  column "state" {
    type    = enum("active","gone")
    default = "active"
  }
  column "balance" {
    type    = decimal(10,2)
    default = 0
  }
  column "seen" {
    type      = timestamp
    null      = true
    on_update = sql("CURRENT_TIMESTAMP")
  }
  column "bio" {
    type = json
    null = true
  }
  column "initial" {
    type = varchar(1)
    null = true
    as { expr = "substr(name, 1, 1)" }
  }
  primary_key { columns = [column.id] }
  index "by_name" { columns = [column.name, column.age] }
  index "by_prefix" {
    on {
      column = column.email
      prefix = 10
    }
  }
}
`}

// TestAtlas lets atlas plan the change to a schema, apply it, and then find nothing to do.
func TestAtlas(t *testing.T) {
	onStores(t, func(t *testing.T, db *sql.DB) {
		ctx := t.Context()
		drv, err := mysql.Open(db)
		require.NoError(t, err)
		// The database in which atlas tries a schema, to see how the database shows it.
		dev, err := mysql.Open(open(t, memory+"?parseTime=true"))
		require.NoError(t, err)
		changes := func(text string) []schema.Change {
			t.Helper()
			var wanted schema.Schema
			require.NoError(t, mysql.EvalHCLBytes([]byte(text), &wanted, nil))
			to, err := dev.(schema.Normalizer).NormalizeSchema(ctx, &wanted)
			require.NoError(t, err)
			from, err := drv.InspectSchema(ctx, "default", nil)
			require.NoError(t, err)
			changes, err := drv.SchemaDiff(from, to)
			require.NoError(t, err)
			return changes
		}
		for _, text := range append(atlasSchemas, atlasSchemas[0], "schema \"default\" {}\n") {
			todo := changes(text)
			require.NotEmpty(t, todo)
			plan, err := drv.PlanChanges(ctx, "plan", todo)
			require.NoError(t, err)
			var said []string
			for _, c := range plan.Changes {
				said = append(said, c.Cmd)
			}
			require.NoError(t, drv.ApplyChanges(ctx, todo), strings.Join(said, "\n"))
			require.Empty(t, changes(text), strings.Join(said, "\n"))
		}
		unlock, err := drv.(schema.Locker).Lock(ctx, "migrate", 0)
		require.NoError(t, err)
		_, err = drv.(schema.Locker).Lock(ctx, "migrate", 0)
		require.ErrorIs(t, err, schema.ErrLocked)
		require.NoError(t, unlock())
		require.NoError(t, drv.(migrate.CleanChecker).CheckClean(ctx, nil))
	})
}
