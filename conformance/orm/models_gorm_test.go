package orm

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type gormCustomer struct {
	gorm.Model
	Email   string `gorm:"uniqueIndex;size:100"`
	Profile *gormProfile
	Orders  []gormOrder
	Groups  []*gormGroup      `gorm:"many2many:gorm_memberships"`
	Tags    map[string]string `gorm:"serializer:json"`
	Notes   []gormNote        `gorm:"polymorphic:Owner"`
	Hooked  string            `gorm:"-"`
}

type gormProfile struct {
	ID             uint
	GormCustomerID uint
	Born           time.Time `gorm:"type:date"`
	Seen           *time.Time
	Score          sql.NullFloat64
	Document       json.RawMessage `gorm:"type:json"`
}

type gormOrder struct {
	ID             uint
	GormCustomerID uint            `gorm:"index"`
	Total          decimal.Decimal `gorm:"type:decimal(20,4)"`
	State          string          `gorm:"type:enum('open','paid');default:open"`
}

type gormGroup struct {
	ID   uint
	Name string `gorm:"unique;size:50"`
}

type gormNote struct {
	ID        uint
	Text      string
	OwnerID   uint
	OwnerType string
}

var errRefused = errors.New("refused")

func (c *gormCustomer) BeforeCreate(*gorm.DB) error {
	if c.Email == "refused" {
		return errRefused
	}
	return nil
}

func (c *gormCustomer) AfterFind(*gorm.DB) error {
	c.Hooked = "found " + c.Email
	return nil
}

func gormModels(t *testing.T, db *sql.DB) *gorm.DB {
	t.Helper()
	g := gormOver(t, db)
	models := []any{&gormCustomer{}, &gormProfile{}, &gormOrder{}, &gormGroup{}, &gormNote{}}
	require.NoError(t, g.AutoMigrate(models...))
	before := definitions(t, db)
	require.NoError(t, g.AutoMigrate(models...), "which is there already")
	require.Equal(t, before, definitions(t, db))
	return g
}

func gormAnn() *gormCustomer {
	seen := time.Date(2026, 3, 29, 2, 30, 0, 123e6, time.FixedZone("", 7200))
	return &gormCustomer{Email: "ann@example.com", Tags: map[string]string{"a": "b"},
		Profile: &gormProfile{Born: time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC), Seen: &seen,
			Document: json.RawMessage(`{"a": [1, null]}`)},
		Orders: []gormOrder{{Total: decimal.RequireFromString("1234567890123456.7891")},
			{Total: decimal.New(5, -1), State: "paid"}},
		Groups: []*gormGroup{{Name: "first"}, {Name: "second"}}, Notes: []gormNote{{Text: "hello"}}}
}

// TestGormAssociations writes and reads a model with all kinds of associations, and the types of their columns.
func TestGormAssociations(t *testing.T) {
	onStores(t, func(t *testing.T, db *sql.DB) {
		g, ann := gormModels(t, db), gormAnn()
		require.NoError(t, g.Create(ann).Error)
		var found gormCustomer
		require.NoError(t, g.Preload(clause.Associations).First(&found, "email = ?", ann.Email).Error)
		require.Equal(t, "found "+ann.Email, found.Hooked)
		require.Equal(t, ann.Tags, found.Tags)
		require.Equal(t, []string{"1234567890123456.7891", "0.5"},
			[]string{found.Orders[0].Total.String(), found.Orders[1].Total.String()})
		require.Equal(t, []string{"open", "paid"}, []string{found.Orders[0].State, found.Orders[1].State})
		require.True(t, ann.Profile.Seen.Equal(*found.Profile.Seen), found.Profile.Seen)
		require.Equal(t, ann.Profile.Born, found.Profile.Born.UTC())
		require.False(t, found.Profile.Score.Valid)
		require.JSONEq(t, string(ann.Profile.Document), string(found.Profile.Document))
		require.Len(t, found.Groups, 2)
		require.Equal(t, "hello", found.Notes[0].Text)

		require.NoError(t, g.Model(&found).Association("Groups").Replace(&gormGroup{Name: "third"}))
		require.EqualValues(t, 1, g.Model(&found).Association("Groups").Count())
		require.NoError(t, g.Model(&found).Association("Orders").Delete(&found.Orders[1]))
		var joined []gormCustomer
		require.NoError(t, g.Joins("Profile").Joins("JOIN gorm_orders o ON o.gorm_customer_id = gorm_customers.id").
			Where("o.total > ?", decimal.New(1, 0)).Find(&joined).Error)
		require.Len(t, joined, 1)
		require.Equal(t, found.Profile.ID, joined[0].Profile.ID)
		var sums []struct {
			Email string
			Total decimal.Decimal
		}
		require.NoError(t, g.Model(&gormCustomer{}).Select("email, SUM(o.total) AS total").Group("gorm_customers.id").
			Joins("LEFT JOIN gorm_orders o ON o.gorm_customer_id = gorm_customers.id").Having("SUM(o.total) > 1").
			Scan(&sums).Error)
		require.Equal(t, "1234567890123456.7891", sums[0].Total.String())
		require.NoError(t, g.Select(clause.Associations).Delete(&found).Error)
		var left int64
		require.NoError(t, g.Model(&gormProfile{}).Count(&left).Error)
		require.Zero(t, left)
	})
}

// TestGormLife runs through the life of a model's rows: hooks, batches, upserts, errors, savepoints, soft
// delete, pages, and an earlier version of a row.
func TestGormLife(t *testing.T) {
	onStores(t, func(t *testing.T, db *sql.DB) {
		g := gormModels(t, db)
		require.ErrorIs(t, g.Create(&gormCustomer{Email: "refused"}).Error, errRefused)
		var many []gormCustomer
		for i := range 25 {
			many = append(many, gormCustomer{Email: fmt.Sprintf("c%02d@example.com", i)})
		}
		require.NoError(t, g.CreateInBatches(&many, 10).Error)
		require.EqualValues(t, many[0].ID+24, many[24].ID)
		require.ErrorIs(t, g.Create(&gormCustomer{Email: "C07@example.com"}).Error, gorm.ErrDuplicatedKey)

		again := gormCustomer{Email: many[3].Email, Tags: map[string]string{"up": "sert"}}
		require.NoError(t, g.Clauses(clause.OnConflict{DoUpdates: clause.AssignmentColumns([]string{"tags"})}).
			Create(&again).Error)
		none := gormCustomer{Email: many[3].Email}
		require.NoError(t, g.Clauses(clause.OnConflict{DoNothing: true}).Create(&none).Error)
		var third gormCustomer
		require.NoError(t, g.Where(gormCustomer{Email: many[3].Email}).FirstOrCreate(&third).Error)
		require.Equal(t, []any{many[3].ID, again.Tags}, []any{third.ID, third.Tags})

		var page []string
		require.NoError(t, g.Model(&gormCustomer{}).Where("id > ?", many[9].ID).Order("id").Limit(2).Offset(1).
			Pluck("email", &page).Error)
		require.Equal(t, []string{many[11].Email, many[12].Email}, page)
		batches, seen := 0, 0
		require.NoError(t, g.FindInBatches(&[]gormCustomer{}, 10, func(tx *gorm.DB, batch int) error {
			batches, seen = batch, seen+int(tx.RowsAffected)
			return nil
		}).Error)
		require.Equal(t, []int{3, 25}, []int{batches, seen})

		require.NoError(t, g.Transaction(func(tx *gorm.DB) error {
			require.NoError(t, tx.Clauses(clause.Locking{Strength: "UPDATE"}).First(&third).Error)
			require.ErrorIs(t, tx.Transaction(func(tx *gorm.DB) error { // a savepoint
				require.NoError(t, tx.Delete(&third).Error)
				return errRefused
			}), errRefused)
			require.ErrorIs(t, tx.Model(&third).Update("email", many[4].Email).Error, gorm.ErrDuplicatedKey)
			return tx.Model(&third).Update("email", "third@example.com").Error
		}))
		before := time.Now()
		time.Sleep(5 * time.Millisecond)
		require.NoError(t, g.Model(&third).Updates(map[string]any{"email": "3@example.com", "tags": nil}).Error)
		var was gormCustomer
		require.NoError(t, g.Raw("SELECT * FROM gorm_customers FOR SYSTEM_TIME AS OF ? WHERE id = ?", before, third.ID).
			Scan(&was).Error)
		require.Equal(t, []any{"third@example.com", again.Tags}, []any{was.Email, was.Tags})

		require.NoError(t, g.Delete(&third).Error)
		require.ErrorIs(t, g.First(&gormCustomer{}, third.ID).Error, gorm.ErrRecordNotFound)
		var gone gormCustomer
		require.NoError(t, g.Unscoped().First(&gone, third.ID).Error)
		require.True(t, gone.DeletedAt.Valid)
		require.Nil(t, gone.Tags)
		require.NoError(t, g.Unscoped().Delete(&gone).Error)
		var left int64
		require.NoError(t, g.Unscoped().Model(&gormCustomer{}).Count(&left).Error)
		require.EqualValues(t, 24, left)
		rows, err := g.Model(&gormCustomer{}).Where("deleted_at IS NULL").Rows()
		require.NoError(t, err)
		require.True(t, rows.Next())
		var scanned gormCustomer
		require.NoError(t, g.ScanRows(rows, &scanned))
		require.NoError(t, rows.Close())
		require.Equal(t, many[0].Email, scanned.Email)
	})
}
