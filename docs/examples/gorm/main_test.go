package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCustomersKeepTheirHistory(t *testing.T) {
	db, err := open(t.TempDir())
	require.NoError(t, err)
	pool, err := db.DB()
	require.NoError(t, err)
	defer pool.Close()
	handler := service(db)
	call := func(method, path, body string) (int, string) {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
		return w.Code, w.Body.String()
	}

	var between time.Time
	for _, city := range []string{"Oslo", "Rome"} {
		code, body := call("PUT", "/customers/ann", fmt.Sprintf(`{"City": %q}`, city))
		require.Equal(t, http.StatusOK, code, body)
		time.Sleep(10 * time.Millisecond)
		if between.IsZero() {
			between = time.Now()
			time.Sleep(10 * time.Millisecond)
		}
	}
	_, body := call("GET", "/customers/ann", "")
	require.JSONEq(t, `{"Name": "ann", "City": "Rome"}`, body)
	_, body = call("GET", "/customers/ann?at="+url.QueryEscape(between.Format(time.RFC3339Nano)), "")
	require.JSONEq(t, `{"Name": "ann", "City": "Oslo"}`, body)

	_, body = call("GET", "/customers/ann/history", "")
	var history []Moment
	require.NoError(t, json.Unmarshal([]byte(body), &history))
	require.Len(t, history, 2)
	require.Equal(t, "Oslo", history[0].City)
	require.Equal(t, "Rome", history[1].City)
	require.Less(t, history[0].Since, history[1].Since)

	code, _ := call("GET", "/customers/bob", "")
	require.Equal(t, http.StatusNotFound, code)
	code, _ = call("GET", "/customers/ann?at=yesterday", "")
	require.Equal(t, http.StatusBadRequest, code)
	code, _ = call("PUT", "/customers/ann", "Oslo")
	require.Equal(t, http.StatusBadRequest, code)
}
