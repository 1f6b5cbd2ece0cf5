// A service with gorm whose customers keep their history:
//
//	go run . ./data
//	curl -X PUT localhost:8080/customers/ann -d '{"City": "Oslo"}'
//	curl -X PUT localhost:8080/customers/ann -d '{"City": "Rome"}'
//	curl 'localhost:8080/customers/ann?at=2026-11-28T09:00:00Z'
//	curl localhost:8080/customers/ann/history
package main

import (
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"time"

	"gorm.io/driver/mysql"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"

	_ "github.com/hbasekv/hbasekv/driver"
)

// Customer is an ordinary model: nothing in it is about history.
type Customer struct {
	Name string `gorm:"primaryKey;size:100"`
	City string `gorm:"size:100"`
}

// Moment is a customer as it was from a moment on, in milliseconds since 1970.
type Moment struct {
	Since int64
	City  string
}

func main() {
	data := "./data"
	if len(os.Args) > 1 {
		data = os.Args[1]
	}
	db, err := open(data)
	if err != nil {
		log.Fatal(err)
	}
	log.Print("listening on localhost:8080")
	log.Fatal(http.ListenAndServe("localhost:8080", service(db)))
}

func open(data string) (*gorm.DB, error) {
	db, err := gorm.Open(mysql.New(mysql.Config{DriverName: "hbasekv", DSN: data + "?parseTime=true"}),
		&gorm.Config{Logger: logger.Discard})
	if err != nil {
		return nil, err
	}
	return db, db.AutoMigrate(&Customer{})
}

func service(db *gorm.DB) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /customers/{name}", func(w http.ResponseWriter, r *http.Request) {
		var c Customer
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c.Name = r.PathValue("name")
		err := db.WithContext(r.Context()).Clauses(clause.OnConflict{UpdateAll: true}).Create(&c).Error
		answer(w, c, err)
	})
	mux.HandleFunc("GET /customers/{name}", func(w http.ResponseWriter, r *http.Request) {
		from := db.WithContext(r.Context())
		if text := r.FormValue("at"); text != "" {
			at, err := time.Parse(time.RFC3339Nano, text)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			from = from.Table("customers FOR SYSTEM_TIME AS OF ?", at)
		}
		var c Customer
		err := from.Take(&c, "name = ?", r.PathValue("name")).Error
		answer(w, c, err)
	})
	mux.HandleFunc("GET /customers/{name}/history", func(w http.ResponseWriter, r *http.Request) {
		history := []Moment{}
		err := db.WithContext(r.Context()).Table("customers FOR SYSTEM_TIME ALL").Select("_T AS since, city").
			Where("name = ?", r.PathValue("name")).Order("_T").Find(&history).Error
		answer(w, history, err)
	})
	return mux
}

func answer(w http.ResponseWriter, v any, err error) {
	switch {
	case errors.Is(err, gorm.ErrRecordNotFound):
		http.Error(w, "there is no such customer", http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v) // the client may have gone
	}
}
