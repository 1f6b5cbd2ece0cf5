package shell

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/reeflective/readline"
)

// keywords are the keywords to complete.
var keywords = strings.Fields(`ADD ALL ALTER ANALYZE AND AS ASC AVG BACKUP BEGIN BETWEEN BIGINT BY CASE CAST CHECK
	COLUMNS COMMIT CONCAT COUNT CREATE DATABASE DATABASES DELETE DESC DESCRIBE DISTINCT DROP ELSE END EXCEPT EXISTS
	EXPLAIN FALSE FLUSH FOR FORMAT=TREE FROM GROUP HAVING HEX IF IFNULL IGNORE IN INDEX INNER INSERT INTERSECT INTERVAL
	INTO IS JOIN KEY KILL LEFT LIKE LIMIT MAX MEDIUMBLOB MIN NOT NULL OFFSET ON OPTIMIZE OR ORDER OUTER PARTITION
	PARTITIONS PRIMARY PROCESSLIST RANGE RENAME REORGANIZE REPLACE RIGHT ROLLBACK SAVEPOINT SELECT SERIALIZABLE SESSION
	SET SHOW SPLIT SPLITS START STATUS SUBPARTITION SUBSTRING SUM SYSTEM_TIME TABLE TABLEGROUP TABLES THAN THEN TIMERANGE
	TO TRANSACTION TRUE TRUNCATE UNION UPDATE USE USING VALUES VARBINARY VARIABLES VERSIONS VIEW WARNINGS WHEN WHERE WITH`)

var (
	lastWord = regexp.MustCompile("[\\\\A-Za-z0-9_$@.`]*$")
	// wantsTable matches the text before a table's name.
	wantsTable = regexp.MustCompile(
		`(?i)(\b(from|join|into|update|table|tables|describe|desc|analyze)\s+|,\s*|\\[dp]\s+)$`)
	wantsDatabase = regexp.MustCompile(`(?i)\b(use|database)\s+$`)
	identifier    = regexp.MustCompile("[A-Za-z0-9_$]+")
)

// completionTimeout is how long completion may query the store.
const completionTimeout = 2 * time.Second

// completions are the completions of the word before the cursor.
func (s *shell) completions(line []rune, cursor int) readline.Completions {
	before := string(line[:cursor])
	word := lastWord.FindString(before)
	before = before[:len(before)-len(word)]
	ctx, stop := context.WithTimeout(context.Background(), completionTimeout)
	defer stop()
	var out readline.Completions
	switch {
	case strings.HasPrefix(word, `\`):
		var described []string
		for _, c := range shellCommands() {
			described = append(described, c.name, c.about)
		}
		out = readline.CompleteValuesDescribed(described...).Tag("commands")
	case wantsDatabase.MatchString(before):
		out = values("databases", fitting(s.names(ctx, "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA"), word))
	case wantsTable.MatchString(before):
		out = values("tables", fitting(s.tables(ctx), word))
	default:
		tables := s.tables(ctx)
		// One list, the likely ones first: the editor does not keep the order of
		// lists.
		words := append(fitting(s.columns(ctx, tables, string(line)), word), fitting(tables, word)...)
		if word != "" {
			words = append(words, fitting(cased(word), word)...)
		}
		out = values("words", words)
	}
	out.PREFIX = word
	return out
}

func values(tag string, words []string) readline.Completions {
	return readline.CompleteValues(words...).Tag(tag).NoSort()
}

// fitting are the names that complete the word, ignoring case if none matches
// the case of the word.
func fitting(names []string, word string) []string {
	var fit, folded []string
	for _, n := range names {
		if strings.HasPrefix(n, word) {
			fit = append(fit, n)
		} else if len(n) >= len(word) && strings.EqualFold(n[:len(word)], word) {
			folded = append(folded, word+n[len(word):])
		}
	}
	if len(fit) == 0 {
		return folded
	}
	return fit
}

// cased are the keywords in the case of what is typed.
func cased(word string) []string {
	if word == "" || word != strings.ToLower(word) {
		return keywords
	}
	out := make([]string, len(keywords))
	for i, k := range keywords {
		out[i] = strings.ToLower(k)
	}
	return out
}

func (s *shell) tables(ctx context.Context) []string {
	return s.names(ctx, "SELECT TABLE_NAME FROM information_schema.TABLES "+
		"WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME LIMIT 1000")
}

// columns are the columns of the tables that the text names, or of all tables.
func (s *shell) columns(ctx context.Context, tables []string, text string) []string {
	query := "SELECT DISTINCT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()"
	var named []any
	for _, word := range identifier.FindAllString(text, -1) {
		if slices.Contains(tables, word) {
			named = append(named, word)
		}
	}
	if len(named) > 0 {
		query += " AND TABLE_NAME IN (?" + strings.Repeat(", ?", len(named)-1) + ")"
	}
	return s.names(ctx, query+" LIMIT 1000", named...)
}

// names is the one column of a query, empty if the query fails: then there is
// nothing to complete.
func (s *shell) names(ctx context.Context, query string, args ...any) []string {
	conn, err := s.aside(ctx)
	if err != nil {
		return nil
	}
	defer conn.Close()
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil
		}
		out = append(out, name)
	}
	if rows.Err() != nil {
		return nil
	}
	return out
}
