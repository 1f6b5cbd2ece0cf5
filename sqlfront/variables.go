package sqlfront

import (
	"context"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hbasekv/hbasekv/sqlfront/charset"
	"github.com/hbasekv/hbasekv/sqlfront/exec"
	"github.com/hbasekv/hbasekv/sqlfront/function"
	"github.com/hbasekv/hbasekv/sqlfront/mysqlerr"
	"github.com/hbasekv/hbasekv/sqlfront/rights"
	"github.com/hbasekv/hbasekv/sqlfront/schema"
	"github.com/hbasekv/hbasekv/sqlfront/value"
)

// variableKind is what values a system variable takes.
type variableKind uint8

const (
	textVar      variableKind = iota
	boolVar                   // ON, OFF, 1, 0
	intVar                    // an integer
	readOnlyVar               // cannot be set (1238)
	readOnlyFlag              // a boolVar that cannot be set
	secondsVar                // a number of seconds, with a fraction
)

// variable is a system variable: what MySQL 5.7 answers for it, as far as
// clients ask (https://dev.mysql.com/doc/refman/5.7/en/server-system-variables.html).
type variable struct {
	kind variableKind
	text string // the default, as text; numbers as digits
}

// defaultSQLMode is MySQL 5.7's.
const defaultSQLMode = "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE," +
	"ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_CREATE_USER,NO_ENGINE_SUBSTITUTION"

// systemZone is the abbreviation of the zone that time_zone SYSTEM stands for.
func systemZone() string {
	name, _ := time.Now().Zone()
	return name
}

// These variables only SET GLOBAL sets: maxAllowedPacket for sessions to come,
// the others for all.
const (
	localInfile          = "local_infile"
	maxAllowedPacket     = "max_allowed_packet"
	maxPreparedStmtCount = "max_prepared_stmt_count"
)

// dumpVersions is the view of the statements by which dumps read a table: a copy without
// the history would be a loss that nobody is told of.
const dumpVersions = "hbasekv_dump_versions"

const secureFilePriv = "secure_file_priv"

// longQueryTime is how long a statement takes that is slow.
const longQueryTime = "long_query_time"

// trackVariables are the variables whose changes a server tells its client.
const (
	trackVariables = "session_track_system_variables"
	defaultTracked = "time_zone,autocommit,character_set_client,character_set_results,character_set_connection"
)

// variables are all there are.
var variables = func() map[string]variable {
	all := maps.Clone(kept)
	maps.Copy(all, knownVariables)
	return all
}()

// knownVariables are those that mean something here, or say that something is not here.
var knownVariables = map[string]variable{
	"auto_increment_increment":        {intVar, "1"},
	"auto_increment_offset":           {intVar, "1"},
	"autocommit":                      {boolVar, "1"},
	"basedir":                         {readOnlyVar, ""},
	"big_tables":                      {boolVar, "0"},
	function.BlockEncryptionMode:      {textVar, function.BlockModes[0]},
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
	"cte_max_recursion_depth":         {intVar, strconv.Itoa(exec.DefaultRecursion)},
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
	"max_error_count":                 {intVar, strconv.Itoa(defaultErrorCount)},
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

// aliases are variables that MySQL has under two names.
var aliases = map[string]string{"transaction_isolation": "tx_isolation", "transaction_read_only": "tx_read_only"}

func canonical(name string) string {
	name = strings.ToLower(name)
	if other, ok := aliases[name]; ok {
		return other
	}
	return name
}

// Variables are the names of all system variables.
func Variables() []string {
	names := slices.Collect(maps.Keys(variables))
	for other := range aliases {
		names = append(names, other)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func textValue(s string) value.Value { return value.NewString(s) }
func boolValue(b bool) value.Value   { return value.NewBool(b) }

func unknownVariable(name string) error {
	return mysqlerr.New(mysqlerr.UnknownSystemVar, "Unknown system variable '%s'%s", name,
		mysqlerr.NearestOf(name, Variables()))
}

// variable is @@name; scope is empty, session or global.
func (s *Session) variable(scope, name string) (value.Value, error) {
	name = canonical(name)
	v, ok := variables[name]
	if !ok {
		return value.Value{}, unknownVariable(name)
	}
	if strings.EqualFold(scope, "global") && name == timestampVar {
		return value.Value{}, mysqlerr.New(mysqlerr.IncorrectGlobalLocal, "Variable '%s' is a SESSION variable", name)
	}
	if !strings.EqualFold(scope, "global") || isEndpointVariable(name) {
		if own, ok := s.own(name); ok {
			return v.typed(own), nil
		}
	} else if isGuardVariable(name) {
		return v.typed(s.engine.guard.value(name)), nil
	} else if set, ok := s.engine.global(name); ok {
		return v.typed(set), nil
	}
	return v.value(), nil
}

// own is what the session set, or what it keeps elsewhere.
func (s *Session) own(name string) (value.Value, bool) {
	if isEndpointVariable(name) {
		return s.options.Endpoint.variable(name)
	}
	switch name {
	case "character_set_database", "collation_database":
		if text, ok := s.databaseText(); ok && name == "collation_database" {
			return textValue(text.Collation), true
		} else if ok {
			return textValue(text.Charset), true
		}
	case "hbasekv_versions":
		return textValue(versionsText(s.view)), true
	case "innodb_lock_wait_timeout":
		if _, set := s.variables[name]; !set && s.options.LockTimeout > 0 {
			return value.NewInt(int64((s.options.LockTimeout + time.Second - 1) / time.Second)), true
		}
	case maxAllowedPacket:
		return value.NewInt(int64(s.packet)), true
	case maxPreparedStmtCount:
		return value.NewInt(s.engine.maxPrepared()), true
	case localInfile:
		return boolValue(s.engine.localInfile()), true
	case secureFilePriv:
		return s.secureFilePriv(), true
	case fullScanVar:
		return fullScanValue(s.refusesFullScans()), true
	case scanLimitVar:
		return value.NewInt(s.scanLimit()), true
	case "hbasekv_batch_cells":
		return value.NewInt(int64(max(s.settings.batchCells, 0))), true
	case "hbasekv_join_rows":
		return value.NewInt(int64(max(s.settings.joinRows, 0))), true
	case "hbasekv_parallelism":
		return value.NewInt(int64(s.settings.parallelism)), true
	case "read_only", "super_read_only", "innodb_read_only":
		return boolValue(s.options.ReadOnly), true
	case "warning_count":
		return value.NewInt(int64(s.before.all)), true
	case "error_count":
		return value.NewInt(int64(s.before.errors)), true
	case "last_insert_id", "identity":
		return value.NewInt(s.lastInsertID), true
	case "pseudo_thread_id":
		return value.NewUint(s.id), true
	case timestampVar:
		return secondsValue(float64(s.present().UnixMicro()) / 1e6), true
	case "tmp_table_size":
		return value.NewInt(s.settings.spill.Memory), true
	case "tmpdir":
		if s.options.TempDir == "" {
			return textValue(os.TempDir()), true
		}
		return textValue(s.options.TempDir), true
	}
	if v, ok := s.variables[name]; ok {
		return v, true
	}
	most, ok := s.options.Most[name]
	return value.NewUint(most), ok && variables[name].value().AsUint() > most
}

// databaseText is what the current database declares, false where there is no
// current one.
func (s *Session) databaseText() (schema.Text, bool) {
	c, err := s.engine.store.Catalog(context.Background()) // of a variable nothing can fail
	if err != nil || c.Database(s.database) == nil {
		return schema.Text{}, false
	}
	return charset.Shown(schema.TextOf(c.Database(s.database))), true
}

// value is the default.
func (v variable) value() value.Value {
	n, _ := strconv.ParseUint(v.text, 10, 64)
	switch v.typ().Kind {
	case value.Decimal:
		return secondsValue(float64(n))
	case value.Int:
		return value.NewInt(int64(n))
	case value.Uint:
		return value.NewUint(n)
	}
	return textValue(v.text)
}

// typ is the type of @@name, by MySQL's rule: flags are BIGINT, other numbers
// BIGINT UNSIGNED.
func (v variable) typ() value.Type {
	t := value.Type{Kind: value.Text, Nullable: true}
	switch v.kind {
	case secondsVar:
		t.Kind, t.Length, t.Decimals = value.Decimal, 17, 6
	case boolVar, readOnlyFlag:
		t.Kind = value.Int
	case intVar:
		t.Kind = value.Uint
	case readOnlyVar:
		if _, err := strconv.ParseUint(v.text, 10, 64); err == nil {
			t.Kind = value.Uint
		}
	}
	return t
}

// typed is a value of the variable in its type.
func (v variable) typed(val value.Value) value.Value {
	if v.typ().Kind == value.Uint && val.Kind() == value.Int {
		return value.NewUint(uint64(max(val.Int(), 0)))
	}
	return val
}

// Shown is the variable as SHOW VARIABLES prints it: ON and OFF for flags.
func (v variable) shown(val value.Value) string {
	if v.kind == boolVar || v.kind == readOnlyFlag {
		if val.AsInt() != 0 {
			return "ON"
		}
		return "OFF"
	}
	return val.String()
}

func (s *Session) store(name string, v value.Value) {
	if s.variables == nil {
		s.variables = map[string]value.Value{}
	}
	s.variables[name] = v.Clone()
	s.settle()
}

func (s *Session) hasSQLMode(mode string) bool {
	v, ok := s.variables[sqlMode]
	if !ok {
		return strings.Contains(defaultSQLMode, mode) // no mode is a part of another's name here
	}
	return slices.Contains(strings.Split(v.String(), ","), mode)
}
