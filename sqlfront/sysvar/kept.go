package sysvar

import (
	"maps"
	"slices"
	"strings"

	"github.com/hbasekv/hbasekv/sqlfront/function/crypt"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// kept are the system variables that tools set and read, and that have no effect: they are stored and shown,
// for the session and by SET GLOBAL for new sessions. The defaults are MySQL 5.7's. The page of the server
// lists them.
var kept = map[string]variable{
	"binlog_cache_size":                {intVar, "32768"},
	"binlog_format":                    {textVar, "ROW"},
	"binlog_row_image":                 {textVar, "FULL"},
	"binlog_rows_query_log_events":     {boolVar, "0"},
	"bulk_insert_buffer_size":          {intVar, "8388608"},
	"concurrent_insert":                {textVar, "AUTO"},
	"delay_key_write":                  {textVar, "ON"},
	"end_markers_in_json":              {boolVar, "0"},
	"eq_range_index_dive_limit":        {intVar, "200"},
	"expire_logs_days":                 {intVar, "0"},
	"flush":                            {boolVar, "0"},
	"flush_time":                       {intVar, "0"},
	"general_log":                      {boolVar, "0"},
	"innodb_buffer_pool_chunk_size":    {intVar, "134217728"},
	"innodb_buffer_pool_instances":     {intVar, "1"},
	"innodb_buffer_pool_size":          {intVar, "134217728"},
	"innodb_flush_log_at_trx_commit":   {intVar, "1"},
	"innodb_ft_enable_stopword":        {boolVar, "1"},
	"innodb_log_buffer_size":           {intVar, "16777216"},
	"innodb_log_file_size":             {intVar, "50331648"},
	"innodb_log_files_in_group":        {intVar, "2"},
	"innodb_stats_on_metadata":         {boolVar, "0"},
	"innodb_support_xa":                {boolVar, "1"},
	"innodb_table_locks":               {boolVar, "1"},
	"innodb_thread_concurrency":        {intVar, "0"},
	"insert_id":                        {intVar, "0"},
	"join_buffer_size":                 {intVar, "262144"},
	"keep_files_on_create":             {boolVar, "0"},
	"key_buffer_size":                  {intVar, "8388608"},
	"key_cache_block_size":             {intVar, "1024"},
	"log_bin_trust_function_creators":  {boolVar, "0"},
	"log_queries_not_using_indexes":    {boolVar, "0"},
	"max_delayed_threads":              {intVar, "20"},
	"max_length_for_sort_data":         {intVar, "1024"},
	"max_seeks_for_key":                {intVar, "18446744073709551615"},
	"max_sp_recursion_depth":           {intVar, "0"},
	"max_tmp_tables":                   {intVar, "32"},
	"min_examined_row_limit":           {intVar, "0"},
	"myisam_sort_buffer_size":          {intVar, "8388608"},
	"myisam_stats_method":              {textVar, "nulls_unequal"},
	"net_retry_count":                  {intVar, "10"},
	"new":                              {boolVar, "0"},
	"old_alter_table":                  {boolVar, "0"},
	"open_files_limit":                 {intVar, "5000"},
	"optimizer_prune_level":            {intVar, "1"},
	"optimizer_search_depth":           {intVar, "62"},
	"optimizer_trace":                  {textVar, "enabled=off,one_line=off"},
	"optimizer_trace_features":         {textVar, "greedy_search=on,range_optimizer=on,dynamic_range=on,repeated_subselect=on"},
	"optimizer_trace_limit":            {intVar, "1"},
	"optimizer_trace_max_mem_size":     {intVar, "16384"},
	"preload_buffer_size":              {intVar, "32768"},
	"profiling_history_size":           {intVar, "15"},
	"pseudo_slave_mode":                {boolVar, "0"},
	"query_alloc_block_size":           {intVar, "8192"},
	"query_cache_wlock_invalidate":     {boolVar, "0"},
	"query_prealloc_size":              {intVar, "8192"},
	"rand_seed1":                       {intVar, "0"},
	"rand_seed2":                       {intVar, "0"},
	"range_alloc_block_size":           {intVar, "4096"},
	"range_optimizer_max_mem_size":     {intVar, "8388608"},
	"read_buffer_size":                 {intVar, "131072"},
	"read_rnd_buffer_size":             {intVar, "262144"},
	"show_create_table_verbosity":      {boolVar, "0"},
	"show_old_temporals":               {boolVar, "0"},
	"sort_buffer_size":                 {intVar, "262144"},
	"sql_buffer_result":                {boolVar, "0"},
	"sync_binlog":                      {intVar, "1"},
	"table_definition_cache":           {intVar, "1400"},
	"table_open_cache":                 {intVar, "2000"},
	"thread_cache_size":                {intVar, "9"},
	"thread_stack":                     {intVar, "262144"},
	"transaction_alloc_block_size":     {intVar, "8192"},
	"transaction_prealloc_size":        {intVar, "4096"},
	"transaction_write_set_extraction": {textVar, "OFF"},
}

// Kept are the names of the variables without effect, sorted.
func Kept() []string { return slices.Sorted(maps.Keys(kept)) }

// choices are the values of variables that accept one of a few words.
var choices = map[string][]string{
	"binlog_format":                    {"ROW", "STATEMENT", "MIXED"},
	"binlog_row_image":                 {"FULL", "MINIMAL", "NOBLOB"},
	crypt.BlockEncryptionMode:          crypt.BlockModes,
	"concurrent_insert":                {"NEVER", "AUTO", "ALWAYS"},
	"delay_key_write":                  {"OFF", "ON", "ALL"},
	"myisam_stats_method":              {"nulls_unequal", "nulls_equal", "nulls_ignored"},
	"transaction_write_set_extraction": {"OFF", "MURMUR32", "XXHASH64"},
}

// checkChoice returns a value of one of these as MySQL shows it; it is given as its word or its number.
func checkChoice(name string, v value.Value) (value.Value, error) {
	words, ok := choices[name]
	if !ok {
		return v, nil
	}
	if n, isInt := v.ToInt(); isInt && !v.IsString() && n >= 0 && n < int64(len(words)) {
		return value.NewString(words[n]), nil
	}
	i := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, v.String()) })
	if i < 0 {
		return v, wrongValue(name, v.String())
	}
	return value.NewString(words[i]), nil
}

// timestampVar is the current time for the session's statements, in seconds; 0 is the store's clock. The T
// that the server assigns is always the clock's.
const timestampVar = "timestamp"

// mostTimestamp is the last second of MySQL's TIMESTAMP.
const mostTimestamp = 1<<31 - 1

// checkTimestamp checks a value of timestampVar.
func checkTimestamp(v value.Value) (value.Value, error) {
	if v.IsNull() || v.IsString() {
		return v, mysqlerr.New(mysqlerr.WrongTypeForVar, "Incorrect argument type to variable '%s'", timestampVar)
	}
	if n := v.AsFloat(); n != 0 && !(n >= 1 && n <= mostTimestamp) {
		return v, wrongValue(timestampVar, v.String())
	}
	return secondsValue(v.AsFloat()), nil
}
