package sysvar

import (
	"maps"
	"strconv"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/exec/setop"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/function/crypt"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
)

// ServerVersion is the result of VERSION(). Its first part is a version of MySQL, since clients depend on it.
const ServerVersion = "5.7.25-hbasekv-0.1.0"

// DefaultQueryMemory is the default memory of a statement, in bytes.
const DefaultQueryMemory = 64 << 20

// MaxParallelism is the largest number of goroutines that may read for a statement.
const MaxParallelism = 256

// defaultSQLMode is MySQL 5.7's default.
const defaultSQLMode = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE," +
	"ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION"

// systemZone is the abbreviation of the zone behind time_zone SYSTEM.
func systemZone() string {
	name, _ := time.Now().Zone()
	return name
}

// Variables that only SET GLOBAL sets: maxAllowedPacket for new sessions, the others for all.
const (
	localInfile          = "local_infile"
	maxAllowedPacket     = "max_allowed_packet"
	maxPreparedStmtCount = "max_prepared_stmt_count"
)

// dumpVersions is the view for the statements by which dumps read a table: a copy without the history would
// be a silent loss.
const dumpVersions = "hbasekv_dump_versions"

const secureFilePriv = "secure_file_priv"

// longQueryTime is the duration from which on a statement is slow.
const longQueryTime = "long_query_time"

// trackVariables are the variables whose changes a server reports to its client.
const (
	trackVariables = "session_track_system_variables"
	defaultTracked = "time_zone,autocommit,character_set_client,character_set_results,character_set_connection"
)

// variables are all variables.
var variables = func() map[string]variable {
	all := maps.Clone(kept)
	maps.Copy(all, knownVariables)
	return all
}()

// knownVariables are those that have an effect here, or say that something is not supported.
var knownVariables = map[string]variable{
	"auto_increment_increment":        {intVar, "1"},
	"auto_increment_offset":           {intVar, "1"},
	"autocommit":                      {boolVar, "1"},
	"basedir":                         {readOnlyVar, ""},
	"big_tables":                      {boolVar, "0"},
	crypt.BlockEncryptionMode:         {textVar, crypt.BlockModes[0]},
	"character_set_client":            {textVar, "utf8mb4"},
	"character_set_connection":        {textVar, "utf8mb4"},
	"character_set_database":          {textVar, "utf8mb4"},
	"character_set_filesystem":        {textVar, "binary"},
	"character_set_results":           {textVar, "utf8mb4"},
	"character_set_server":            {textVar, "utf8mb4"},
	"character_set_system":            {readOnlyVar, "utf8"},
	"character_sets_dir":              {readOnlyVar, ""},
	"collation_connection":            {textVar, "utf8mb4_general_ci"},
	"collation_database":              {textVar, "utf8mb4_general_ci"},
	"collation_server":                {textVar, "utf8mb4_general_ci"},
	"completion_type":                 {readOnlyVar, "NO_CHAIN"},
	"cte_max_recursion_depth":         {intVar, strconv.Itoa(setop.DefaultRecursion)},
	"datadir":                         {readOnlyVar, ""},
	"default_authentication_plugin":   {readOnlyVar, rights.DefaultPlugin},
	"default_storage_engine":          {textVar, "InnoDB"},
	"default_tmp_storage_engine":      {textVar, "InnoDB"},
	"default_week_format":             {readOnlyVar, "0"},
	"div_precision_increment":         {intVar, "4"},
	"error_count":                     {readOnlyVar, "0"},
	"event_scheduler":                 {textVar, "OFF"},
	"explicit_defaults_for_timestamp": {boolVar, "0"},
	"foreign_key_checks":              {boolVar, "1"},
	"group_concat_max_len":            {intVar, "1024"},
	"gtid_mode":                       {readOnlyVar, "OFF"},
	"have_compress":                   {readOnlyVar, "NO"},
	"have_openssl":                    {readOnlyVar, "DISABLED"},
	"have_profiling":                  {readOnlyVar, "NO"},
	"have_query_cache":                {readOnlyVar, "NO"},
	"have_ssl":                        {readOnlyVar, "DISABLED"},
	"have_symlink":                    {readOnlyVar, "DISABLED"},
	"hbasekv_batch_cells":             {intVar, "0"},
	"hbasekv_join_rows":               {intVar, "0"},
	dumpVersions:                      {textVar, "all"},
	"hbasekv_exact_statistics":        {boolVar, "0"},
	fullScanVar:                       {textVar, allowFullScan},
	"hbasekv_parallelism":             {intVar, "0"},
	scanLimitVar:                      {intVar, "0"},
	"hbasekv_versions":                {textVar, "latest"},
	"hostname":                        {readOnlyVar, "localhost"},
	"identity":                        {readOnlyVar, "0"},
	"information_schema_stats_expiry": {intVar, "0"},
	"init_connect":                    {textVar, ""},
	"innodb_default_row_format":       {readOnlyVar, "dynamic"},
	"innodb_file_per_table":           {readOnlyFlag, "0"},
	"innodb_lock_wait_timeout":        {intVar, "10"},
	"innodb_read_only":                {readOnlyFlag, "0"},
	"innodb_strict_mode":              {boolVar, "1"},
	"innodb_version":                  {readOnlyVar, "5.7.25"},
	"interactive_timeout":             {intVar, "28800"},
	"last_insert_id":                  {readOnlyVar, "0"},
	"lc_messages":                     {textVar, "en_US"},
	"lc_time_names":                   {textVar, "en_US"},
	"license":                         {readOnlyVar, ""},
	localInfile:                       {boolVar, "1"},
	"lock_wait_timeout":               {intVar, "31536000"},
	longQueryTime:                     {secondsVar, "10"},
	"log_bin":                         {readOnlyFlag, "0"},
	"log_error":                       {readOnlyVar, ""},
	"low_priority_updates":            {boolVar, "0"},
	"lower_case_file_system":          {readOnlyVar, "OFF"},
	"lower_case_table_names":          {readOnlyVar, "0"},
	maxAllowedPacket:                  {intVar, strconv.Itoa(function.DefaultAllowedPacket)},
	"max_connections":                 {readOnlyVar, "100000"},
	"max_error_count":                 {intVar, strconv.Itoa(DefaultErrorCount)},
	"max_execution_time":              {intVar, "0"},
	"max_heap_table_size":             {intVar, strconv.Itoa(DefaultQueryMemory)},
	"max_join_size":                   {intVar, "18446744073709551615"},
	maxPreparedStmtCount:              {intVar, "16382"},
	"max_sort_length":                 {intVar, "1024"},
	"max_user_connections":            {readOnlyVar, "0"},
	"net_buffer_length":               {intVar, "16384"},
	"net_read_timeout":                {intVar, "30"},
	"net_write_buffer":                {intVar, "0"},
	"net_write_timeout":               {intVar, "60"},
	"old_passwords":                   {intVar, "0"},
	"optimizer_switch":                {textVar, ""},
	"performance_schema":              {readOnlyFlag, "0"},
	"pid_file":                        {readOnlyVar, ""},
	"plugin_dir":                      {readOnlyVar, ""},
	"port":                            {readOnlyVar, "0"},
	"profiling":                       {boolVar, "0"},
	"protocol_version":                {readOnlyVar, "10"},
	"pseudo_thread_id":                {readOnlyVar, "0"},
	"query_cache_limit":               {readOnlyVar, "0"},
	"query_cache_size":                {intVar, "0"},
	"query_cache_type":                {textVar, "OFF"},
	"read_only":                       {readOnlyFlag, "0"},
	secureFilePriv:                    {readOnlyVar, ""},
	"server_id":                       {readOnlyVar, "1"},
	"session_track_gtids":             {textVar, "OFF"},
	"session_track_schema":            {boolVar, "1"},
	"session_track_state_change":      {boolVar, "0"},
	trackVariables:                    {textVar, defaultTracked},
	"session_track_transaction_info":  {textVar, "OFF"},
	"skip_networking":                 {readOnlyFlag, "1"},
	"slow_query_log":                  {readOnlyFlag, "0"},
	"socket":                          {readOnlyVar, ""},
	"sql_auto_is_null":                {boolVar, "0"},
	"sql_big_selects":                 {boolVar, "1"},
	"sql_log_bin":                     {boolVar, "1"},
	"sql_log_off":                     {boolVar, "0"},
	sqlMode:                           {textVar, defaultSQLMode},
	"sql_notes":                       {boolVar, "1"},
	"sql_quote_show_create":           {boolVar, "1"},
	"sql_safe_updates":                {boolVar, "0"},
	"sql_select_limit":                {intVar, "18446744073709551615"},
	"sql_warnings":                    {boolVar, "0"},
	"storage_engine":                  {textVar, "InnoDB"},
	"super_read_only":                 {readOnlyFlag, "0"},
	"system_time_zone":                {readOnlyVar, systemZone()},
	"time_zone":                       {textVar, "SYSTEM"},
	timestampVar:                      {secondsVar, "0"},
	"tls_version":                     {readOnlyVar, ""},
	"tmp_table_size":                  {intVar, strconv.Itoa(DefaultQueryMemory)},
	"tmpdir":                          {readOnlyVar, ""},
	"transaction_isolation":           {textVar, "REPEATABLE-READ"},
	"transaction_read_only":           {boolVar, "0"},
	"tx_isolation":                    {textVar, "REPEATABLE-READ"},
	"tx_read_only":                    {boolVar, "0"},
	"unique_checks":                   {boolVar, "1"},
	"updatable_views_with_limit":      {textVar, "YES"},
	"version":                         {readOnlyVar, ServerVersion},
	"version_comment":                 {readOnlyVar, "hbasekv: HBase's data model on Pebble"},
	"version_compile_machine":         {readOnlyVar, "any"},
	"version_compile_os":              {readOnlyVar, "any"},
	"wait_timeout":                    {intVar, "28800"},
	"warning_count":                   {readOnlyVar, "0"},
}
