package console

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/go-sql-driver/mysql"
)

// maxRequest is how long the body of a request may be.
const maxRequest = 1 << 20

// failure is what went wrong, as pages are told.
type failure struct {
	Number  uint16 `json:"number,omitempty"` // MySQL's, of errors of statements
	State   string `json:"state,omitempty"`
	Message string `json:"message"`
}

func failureOf(err error) failure {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return failure{e.Number, string(e.SQLState[:]), e.Message}
	}
	return failure{Message: err.Error()}
}

// fail answers with an error.
func fail(w http.ResponseWriter, status int, message string) {
	write(w, status, struct {
		Error failure `json:"error"`
	}{failure{Message: message}})
}

// reply answers, or says why not: what the rights of the account or a statement do not allow is an answer
// too.
func reply(w http.ResponseWriter, answer any, err error) {
	if err == nil {
		write(w, http.StatusOK, answer)
		return
	}
	write(w, http.StatusUnprocessableEntity, struct {
		Error failure `json:"error"`
	}{failureOf(err)})
}

func write(w http.ResponseWriter, status int, answer any) {
	text, err := json.Marshal(answer) // < > and & are escaped in it
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":{"message":"the answer cannot be written"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // whoever has gone does not want it
}

// read reads the body of a request, an object of JSON without members that nobody knows. Where it fails it
// has answered.
func read(w http.ResponseWriter, r *http.Request, into any) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		fail(w, http.StatusUnsupportedMediaType, "the request is not JSON")
		return false
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest))
	d.DisallowUnknownFields()
	if err = d.Decode(into); err == nil {
		if _, end := d.Token(); end != io.EOF {
			err = errors.New("something follows its end")
		}
	}
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		fail(w, http.StatusRequestEntityTooLarge, "the request is longer than 1 MiB")
	case err != nil:
		fail(w, http.StatusBadRequest, "the request is not as the console sends it: "+err.Error())
	}
	return err == nil
}
