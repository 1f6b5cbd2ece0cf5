package generate

// expressions is the grammar of MySQL's expressions. It omits those without a
// single answer: the clock, random numbers, the session.
var expressions = grammar{
	"any": {"{num}", "{num}", "{str}", "{str}", "{bytes}", "{cond}", "{choice}", "NULL"},

	"num": {
		"0", "1", "-1", "2", "3", "7", "10", "255", "-128", "1.5", "-0.25", "2.50", "1e0", "-2.5e0", "1e10", "1e308", "-1e308", "1e-308", "-0e0", "-0.0",
		"9223372036854775807", "-9223372036854775808", "18446744073709551615", "9007199254740993", "99999999999999999999",
		"12345678901234567890.123456789", "0.00000000000000000001", "TRUE", "FALSE", "NULL", "4294967296",
		"({num} + {num})", "({num} - {num})", "({num} * {num})", "({num} / {num})", "({num} DIV {num})", "({num} % {num})", "({num} + {small})", "({num} * {small})",
		"({num} & {num})", "({num} | {num})", "({num} ^ {num})", "({num} << {small})", "({num} >> {small})", "(-{num})", "(~{num})",
		"ABS({num})", "SIGN({num})", "CEIL({num})", "FLOOR({num})", "ROUND({num})", "ROUND({num}, {digits})", "TRUNCATE({num}, {digits})", "MOD({num}, {num})",
		"POW({num}, {count})", "SQRT({num})",

		"BIT_COUNT({num})", "CRC32({bytes})", "GREATEST({num}, {num})", "LEAST({num}, {num}, {num})",
		"LENGTH({str})", "LENGTH({bytes})", "CHAR_LENGTH({str})", "BIT_LENGTH({bytes})", "ASCII({bytes})", "ORD({str})", "INSTR({str}, {str})", "INSTR({bytes}, {bytes})",
		"LOCATE({str}, {str})", "LOCATE({bytes}, {bytes}, {small})", "POSITION({str} IN {str})", "FIELD({str}, {str}, {str})", "FIELD({any}, {any}, {any})", "FIELD({num}, {num}, {num})",
		"FIND_IN_SET({str}, {str})", "STRCMP({str}, {str})", "STRCMP({bytes}, {bytes})", "INTERVAL({num}, {num}, {num})",
		"CAST({any} AS SIGNED)", "CAST({any} AS UNSIGNED)", "CAST({any} AS DECIMAL)", "CAST({any} AS DECIMAL(10,2))", "CAST({any} AS DECIMAL(30,5))", "CAST({any} AS DOUBLE)",
		"CONVERT({any}, SIGNED)", "CONVERT({bytes}, DECIMAL(20,3))",
		"YEAR({date})", "MONTH({date})", "DAY({date})", "DAYOFMONTH({date})", "DAYOFWEEK({date})", "DAYOFYEAR({date})", "WEEKDAY({date})", "WEEK({date})", "WEEK({date}, {mode})",
		"WEEKOFYEAR({date})", "YEARWEEK({date})", "YEARWEEK({date}, {mode})", "QUARTER({date})", "HOUR({time})", "MINUTE({time})", "SECOND({time})", "MICROSECOND({time})",
		"TO_DAYS({date})", "TO_SECONDS({date})", "TIME_TO_SEC({time})", "DATEDIFF({date}, {date})", "TIMESTAMPDIFF({unit}, {date}, {date})", "EXTRACT({dunit} FROM DATE({date}))", "EXTRACT({cunit} FROM {moment})", "EXTRACT({tunit} FROM {time})",
		"UNIX_TIMESTAMP(DATE_ADD(DATE '2001-01-01', INTERVAL {whole} {unit}))", "PERIOD_ADD({period}, {small})", "PERIOD_DIFF({period}, {period})",
		"JSON_LENGTH({json})", "JSON_LENGTH({json}, {spath})", "JSON_VALID({json})", "JSON_OVERLAPS(JSON_ARRAY({scalar}, {scalar}), JSON_ARRAY({scalar}))", "REGEXP_INSTR({str}, {regexp})", "REGEXP_INSTR({bytes}, {regexp})", "UNCOMPRESSED_LENGTH(COMPRESS({bytes}))", "LENGTH(CONVERT({str} USING {set}))", "CRC32(CONVERT({str} USING {set}))", "JSON_VALID({any})", "JSON_DEPTH({json})", "JSON_CONTAINS({json}, {json})", "JSON_CONTAINS_PATH({json}, 'one', {path}, {path})",
		"JSON_CONTAINS_PATH({json}, 'all', {path}, {path})", "INET_ATON({ip})", "ISNULL({any})",
	},
	// The last digits of these depend on the library: they are not converted to text.
	"real": {
		"LOG({num})", "LN({num})", "LOG2({num})", "LOG10({num})", "LOG({small}, {num})", "EXP({count})", "SIN({count})", "COS({count})", "TAN({count})", "COT({count})", "ASIN({count})", "ACOS({count})", "ATAN({num})",
		"ATAN2({small}, {small})", "ATAN({small}, {small})", "DEGREES({count})", "RADIANS({num})", "POW({num}, {count})", "ROUND(LOG({num}), 3)", "SQRT({num})", "-EXP({count})", "(LN({num}) * 2)",
	},
	// Dates of anything; only a cast alone has a defined result for a bad date.
	"odate": {
		"CAST({baddate} AS DATE)", "CAST({any} AS DATE)", "CAST({any} AS DATETIME)", "DATE({baddate})", "YEAR({baddate})", "MONTH({baddate})", "LAST_DAY({baddate})", "DATE_FORMAT({baddate}, '%Y')", "DATEDIFF({baddate}, '2020-01-01')", "DATE_ADD({baddate}, INTERVAL 1 DAY)",
		"CAST({whole} AS TIME)", "TIME('10:20:30.55')", "CAST('10:20:30.55' AS TIME(2))", "TO_DAYS({baddate})", "WEEKDAY({baddate})", "STR_TO_DATE({str}, '%Y')", "TIMEDIFF({moment}, {moment})", "SEC_TO_TIME({small})", "TIME('838:59:59')",
	},
	"amount": {"0", "1", "-1", "31", "NULL", "LENGTH({K})", "100000", "-1000000", "1.5"}, "whole": {"0", "1", "2", "5", "31", "59", "60", "-3", "NULL", "LENGTH({Q})"},
	"clock": {"'10:20:30'", "'-01:02:03'", "102030", "TIME '01:02:03'", "NULL", "'00:00:00.5'"},
	"small": {"0", "1", "2", "3", "4", "-1", "-2", "5", "8", "30", "64", "-64", "100", "NULL", "1.5", "0.5", "'2'", "-0.4", "LENGTH({K})", "LENGTH({V})", "-1e0", "2147483648", "9223372036854775807", "-9223372036854775808"}, "count": {"0", "1", "2", "3", "5", "-1", "NULL", "'2'", "1.5", "LENGTH({Q})", "9"},
	"digits":  {"0", "1", "2", "5", "-1", "-3", "NULL", "'2'", "1.5"},
	"letter":  {"65", "97.6", "'66'", "32", "NULL"},
	"letters": {"''", "'x'", "'ab'", "'é'", "HEX(1)"},
	"mode":    {"0", "1", "2", "3", "4", "5", "6", "7", "NULL"}, "period": {"202001", "9912", "7001", "201912", "NULL", "'202006'"},
	"unit":  {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND"},
	"cunit": {"YEAR", "QUARTER", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND", "YEAR_MONTH", "DAY_HOUR", "DAY_MINUTE", "DAY_SECOND", "HOUR_MINUTE", "MINUTE_SECOND", "HOUR_SECOND", "WEEK"},
	"ip":    {"'10.0.5.9'", "'255.255.255.255'", "'1.2'", "''", "'abc'", "'1.2.3.256'", "NULL"},
	"base":  {"2", "8", "10", "16", "36", "-10", "-16", "1", "37", "NULL"},

	"str": {
		"'a'", "'A'", "'abc'", "''", "' '", "'a '", "' a'", "'10'", "'9'", "'-3.5'", "'1e3'", "' 12abc'", "'%'", "'a_b'", "'user1'", "'1,2,3'", "'x,y'", "'ÄÖü'", "'ß'", "'日本語'", "'9223372036854775808'", "NULL", "'q'", "'true'", "'a.b.c'",
		"CONCAT({str}, {str})", "CONCAT({str}, {any})", "CONCAT({num}, {num})", "CONCAT_WS({str}, {str}, {any}, {str})", "CONCAT_WS(',', {any}, {num})", "SUBSTRING({str}, {small})", "SUBSTRING({str}, {small}, {small})",
		"SUBSTRING({str} FROM {small} FOR {small})", "MID({str}, {small}, {small})", "SUBSTRING_INDEX({str}, '.', {count})", "SUBSTRING_INDEX({str}, {str}, {count})", "LEFT({str}, {count})", "RIGHT({str}, {count})", "REVERSE({str})",
		"LPAD({str}, {count}, {str})", "RPAD({str}, {count}, {str})", "TRIM({str})", "LTRIM({str})", "RTRIM({str})", "TRIM(BOTH {str} FROM {str})", "TRIM(LEADING 'a' FROM {str})", "TRIM(TRAILING ' ' FROM {str})", "REPLACE({str}, {str}, {letters})",
		"REPEAT({str}, {count})", "SPACE({count})", "UPPER({str})", "LOWER({str})", "UCASE({str})", "LCASE({str})", "HEX({any})", "HEX({num})", "HEX({bytes})", "BIN({num})", "OCT({num})", "CONV({any}, {base}, {base})", "CONV({num}, 10, {base})",
		"FORMAT({num}, {count})", "FORMAT({num}, {count}, {locale})", "HEX(CONVERT({str} USING {set}))", "CONVERT(CONVERT({str} USING {set}) USING utf8mb4)", "HEX(WEIGHT_STRING({str}))", "IFNULL(REGEXP_SUBSTR({str}, {regexp}), '')", "JSON_VALUE(JSON_OBJECT('a', {scalar}), '$.a')",
		"REGEXP_REPLACE({str}, {oneormore}, {letters})", "ELT({count}, {str}, {str})", "INSERT({str}, {small}, {small}, {str})", "TO_BASE64({bytes})", "TO_BASE64({str})", "MD5({bytes})", "MD5({any})", "SHA1({any})", "PASSWORD({bytes})", "SHA({str})", "SHA2({bytes}, {sha})", "QUOTE({letters})", "SOUNDEX({str})",
		"CHAR({letter}, {letter} USING utf8mb4)", "MAKE_SET({num}, {str}, {str})", "EXPORT_SET({count}, {str}, {str}, ',', 4)", "INET_NTOA({num})",
		"CAST({num} AS CHAR)", "CAST({date} AS CHAR)", "CONVERT({num} USING utf8mb4)", "DATE_FORMAT({date}, {format})", "TIME_FORMAT({time}, '%H:%i:%s %p %f')", "DAYNAME({date})", "MONTHNAME({date})",
		"JSON_UNQUOTE({jstr})", "JSON_QUOTE({letters})", "JSON_TYPE({json})", "JSON_UNQUOTE({str})", "GREATEST({str}, {str})", "LEAST({str}, {str}, {str})", "NULLIF({str}, {str})", "IFNULL({str}, {str})",
	},
	"jstr":      {`JSON_EXTRACT('{"a": "x y", "b": 12, "c": null, "d": "\\"q\\""}', '$.a')`, `JSON_EXTRACT('{"a": "x y", "b": 12}', '$.b')`, `JSON_EXTRACT('["é", 1.5]', '$[0]')`, `JSON_EXTRACT('["é", 1.5]', '$[9]')`},
	"cell":      {"{T}", "LENGTH({V})", "HEX({V})", "NULL", "'x'", "{scalar}", "1.5"},
	"set":       {"latin1", "latin2", "cp1251", "koi8r", "ascii", "ucs2", "utf16", "utf16le", "utf32", "utf8mb3"},
	"locale":    {"'en_US'", "'de_DE'", "'fr_FR'", "'ru_RU'", "'en_IN'", "'de_CH'", "'nosuch'", "NULL"},
	"oneormore": {"'a'", "'b+'", "'[0-9]+'", "'a|b'", "'^a'", "'b$'", "'.'", "NULL", "'[^a]'"},
	"place":     {"'$[0]'", "'$[1]'", "'$[9]'", "'$.b[0]'", "'$[0][1]'", "NULL"},
	"sha":       {"0", "224", "256", "384", "512"},
	"format":    {"'%Y-%m-%d'", "'%W %M %e %y'", "'%j %a %b %c %d'", "'%H:%i:%s.%f'", "'%h %l %p %r %T'", "'%U %u %V %v %X %x'", "'%D %%'", "'%w'", "'%k:%S'", "''", "'x%qy'", "NULL"},

	"bytes": {
		"UNHEX('00FF')", "UNHEX('')", "UNHEX('61')", "BINARY 'b'", "BINARY 'Ab'", "_binary 'abc'", "UNHEX('FF')", "BINARY '12'", "NULL", "CAST('é' AS BINARY)",
		"UNCOMPRESS(COMPRESS({bytes}))", "AES_ENCRYPT({bytes}, {bytes})", "AES_DECRYPT(AES_ENCRYPT({bytes}, {str}), {str})", "CONVERT(CONVERT({str} USING {set}) USING binary)",
		"CONCAT({bytes}, {bytes})", "CONCAT({bytes}, {str})", "SUBSTRING({bytes}, {small})", "SUBSTRING({bytes}, {small}, {count})", "LEFT({bytes}, {count})", "RIGHT({bytes}, {count})", "REVERSE({bytes})", "REPLACE({bytes}, {bytes}, {letters})",
		"UNHEX(HEX({any}))", "UNHEX({str})", "FROM_BASE64(TO_BASE64({bytes}))", "FROM_BASE64({str})", "CHAR({small}, {num})", "CAST({any} AS BINARY)", "CAST({bytes} AS BINARY(3))", "CONVERT({str} USING binary)", "TRIM({bytes})", "LPAD({bytes}, {count}, {bytes})", "RPAD({bytes}, {count}, 'x')",
		"UPPER({bytes})", "REPEAT({bytes}, {count})", "INSERT({bytes}, {small}, {count}, {bytes})", "ELT({count}, {bytes}, {bytes})", "COALESCE({bytes}, {bytes})", "GREATEST({bytes}, {bytes})", "IF({cond}, {bytes}, {bytes})", "CONCAT_WS({bytes}, {bytes}, {bytes})", "SUBSTRING_INDEX({bytes}, 'a', {count})",
	},

	"date": {
		"'2020-02-29'", "'2020-01-31 10:20:30'", "'2019-12-31 23:59:59.999999'", "20200131", "20200131102030", "DATE '2020-02-29'", "TIMESTAMP '2021-03-04 05:06:07'", "TIMESTAMP '1999-12-31 23:59:59.123456'", "'9999-12-31'", "'1970-01-01'", "'20-1-2'", "NULL", "DATE '0001-01-01'",
		"DATE({date})", "TIMESTAMP({date})", "CAST({date} AS DATE)", "CAST({date} AS DATETIME)", "CAST({date} AS DATETIME(3))", "LAST_DAY({date})", "DATE_ADD({date}, INTERVAL {amount} {unit})", "DATE_SUB({date}, INTERVAL {amount} {unit})", "{date} + INTERVAL {amount} DAY",
		"({date} - INTERVAL {amount} MONTH)", "DATE_ADD({date}, INTERVAL '1 2' DAY_HOUR)", "DATE_ADD({date}, INTERVAL '1:30' MINUTE_SECOND)", "DATE_ADD({date}, INTERVAL '1-2' YEAR_MONTH)", "ADDDATE({date}, {count})", "SUBDATE({date}, INTERVAL {count} WEEK)", "TIMESTAMPADD({unit}, {whole}, {date})", "FROM_UNIXTIME({epoch})", "FROM_DAYS({days})",
		"STR_TO_DATE({sdate}, {sformat})", "MAKEDATE({year}, {yday})", "CONVERT_TZ({date}, '+00:00', '+05:30')", "ADDTIME({moment}, {time})", "SUBTIME({moment}, '1:01:01')", "IFNULL(DATE({date}), DATE({date}))", "IF({cond}, DATE({date}), TIMESTAMP(DATE({date})))", "COALESCE(DATE({date}), DATE({date}))", "TIMESTAMP({date}, {clock})",
	},
	"epoch": {"0", "1", "1500000000", "1500000000.5", "-1", "2147483647", "NULL"}, "days": {"366", "730000", "737000", "NULL", "3652424"},
	"sdate": {"'2020-02-29'", "'29.2.2020'", "'10:20:30'", "'Feb 3 2020'", "'20200203102030'", "'abc'", "''", "NULL", "'2020-02-29 10:11:12'"}, "sformat": {"'%Y-%m-%d'", "'%d.%m.%Y'", "'%H:%i:%s'", "'%b %e %Y'", "'%Y%m%d%H%i%s'", "'%Y-%m-%d %T'"},
	"year": {"2020", "2019", "70", "0", "9999", "NULL"}, "yday": {"1", "60", "366", "0", "1000", "NULL"},
	"time": {
		"'10:20:30'", "'-01:02:03'", "102030", "'abc'", "NULL", "TIME '01:02:03'", "0",
		"TIME({moment})", "TIME({time})", "CAST({time} AS TIME)", "CAST({time} AS TIME(2))", "SEC_TO_TIME({whole})", "MAKETIME({whole}, {whole}, {whole})", "TIMEDIFF({time}, {time})", "ADDTIME({time}, {time})", "SUBTIME({time}, {time})",
	},

	"json": {
		`'{"a": 1, "b": [1, 2, null]}'`, `'[]'`, `'{}'`, `'"x"'`, `'1'`, `'null'`, `'[1, "a", {"b": 2.5}]'`, `'{"b": {"b": [true, false]}}'`, `'2.5'`, `NULL`, `'[[1, 2], [3]]'`,
		"JSON_ARRAY({scalar}, {scalar})", "JSON_ARRAY()", "JSON_OBJECT('a', {scalar}, 'b', {scalar})", "JSON_OBJECT()", "JSON_EXTRACT({json}, {path})", "JSON_KEYS({json})", "JSON_KEYS({json}, {spath})",
		"JSON_SET({json}, {spath}, {scalar})", "JSON_INSERT({json}, {spath}, {scalar})", "JSON_REPLACE({json}, {spath}, {scalar})", "JSON_REMOVE({json}, {spath})", "JSON_ARRAY_APPEND({json}, '$', {scalar})", "JSON_ARRAY_INSERT({json}, {place}, {scalar})", "JSON_MERGE_PRESERVE({json}, {json})", "JSON_MERGE_PATCH({json}, {json})",
		"JSON_SEARCH({json}, 'one', 'a')", "JSON_SEARCH({json}, 'all', 'x')", "JSON_ARRAY({json})",
	}, "scalar": {"1", "'x'", "NULL", "2.5", "'é'", "-7", "''"},
	"path":  {"'$'", "'$.a'", "'$.b'", "'$.b[0]'", "'$[0]'", "'$[1]'", "'$.*'", "'$**.b'", "'$[*]'", "'$.nosuch'", "NULL", "'$[2].b'", `'$."a"'`},
	"spath": {"'$.a'", "'$.b'", "'$.b[0]'", "'$[0]'", "'$[1]'", "'$.c'", "'$[9]'", "NULL"},

	"choice": {
		"IF({cond}, {any}, {any})", "IF({any}, {num}, {num})", "IFNULL({any}, {any})", "NULLIF({any}, {any})", "COALESCE({any}, {any}, {any})", "CASE WHEN {cond} THEN {any} WHEN {cond} THEN {any} ELSE {any} END", "CASE {any} WHEN {any} THEN {any} WHEN {any} THEN {any} END",
		"CASE {str} WHEN {str} THEN {num} ELSE {str} END", "IFNULL({num}, {str})", "CASE WHEN {cond} THEN {num} END", "ELT({count}, {any}, {any}, {any})",
	},

	"cond": {
		"TRUE", "FALSE", "NULL", "{T} > 0", "{V} IS NULL", "{K} = 'a'",
		"({num} {cmp} {num})", "({str} {cmp} {str})", "({bytes} {cmp} {bytes})", "({any} {cmp} {any})", "({date} {cmp} DATE({date}))", "({bytes} {cmp} {num})", "({bytes} {cmp} {str})", "({str} {cmp} {num})",
		"({cond} AND {cond})", "({cond} OR {cond})", "({cond} XOR {cond})", "(NOT {cond})", "({any} AND {any})",
		"({any} IN ({any}, {any}, {any}))", "({num} NOT IN ({num}, {num}))", "({str} IN ({str}, {str}, {num}))", "({bytes} IN ({bytes}, {bytes}))", "({plain} BETWEEN {plain} AND {plain})", "({num} BETWEEN {num} AND {num})", "({str} NOT BETWEEN {str} AND {str})", "({bytes} BETWEEN {bytes} AND {bytes})", "(DATE({date}) BETWEEN DATE({date}) AND TIMESTAMP({date}))",
		"({str} LIKE {like})", "({bytes} LIKE {like})", "({str} NOT LIKE {like})", "({any} LIKE {like})", "({str} LIKE {like} ESCAPE '|')", "({str} LIKE {str})", "({str} REGEXP {regexp})", "({str} NOT RLIKE {regexp})", "({bytes} REGEXP {regexp})",
		"({any} IS NULL)", "({any} IS NOT NULL)", "({any} IS TRUE)", "({any} IS NOT FALSE)", "({any} IS UNKNOWN)", "(NOT {any})", "(({num}, {str}) IN (({num}, {str}), ({num}, {str})))",
	},
	"cmp":    {"=", "<>", "<", "<=", ">", ">=", "<=>", "!="},
	"like":   {"'a%'", "'%'", "'_'", "'%1'", "'A_c'", "''", `'a\\%'`, "'%0'", "'%|%%'", "'_%_'", "'%b%'", "'ä%'", "NULL", "'1_'"},
	"regexp": {"'^a'", "'b$'", "'a|b'", "'[0-9]+'", "'^[a-z]+$'", "'^$'", "'.'", "'a.c'", "'^.{2,3}$'", "'(ab)+'", "'[^a]'", "'x*'", "NULL", "'[[:digit:]]'"},

	"agg": {
		"COUNT(*)", "SUM({num})", "SUM({any})", "AVG({num})", "AVG({any})", "MIN({plain})", "MAX({plain})", "MIN({num})", "MAX({str})", "MIN({bytes})", "COUNT({any})", "COUNT(DISTINCT {any})", "COUNT(DISTINCT {str}, {num})", "SUM(DISTINCT {num})", "AVG(DISTINCT {small})",
		"BIT_AND({num})", "BIT_OR({num})", "BIT_XOR({num})",
		"GROUP_CONCAT({any} ORDER BY {key})", "GROUP_CONCAT({str} ORDER BY {key} SEPARATOR '|')", "GROUP_CONCAT(DISTINCT {bytes1} ORDER BY {bytes1=1} DESC SEPARATOR '')", "GROUP_CONCAT({num}, ':', {bytes} ORDER BY {bytes}, {key})",
		"MAX(CASE WHEN {cond} THEN {bytes} END)", "SUM({cond})", "SUM(IF({cond}, 1, 0))", "COUNT(NULLIF({any}, {any}))", "({agg} + 1)", "CONCAT({exact}, '')", "IFNULL({exact}, {agg})", "MAX(DISTINCT {str})",
	}, "exact": {"COUNT(*)", "COUNT({any})", "MIN({bytes})", "MAX({str})", "MAX({num})", "BIT_OR({num})", "SUM({cond})", "COUNT(DISTINCT {any})"},
	"spread":  {"STDDEV({small2})", "STDDEV_SAMP({small2})", "VAR_POP({small2})", "VAR_SAMP({small2})", "VARIANCE({small2})", "STD({small2})", "STDDEV_POP({small2})", "AVG({small2})", "MAX(DATE({date}))", "MIN({date})"},
	"wide":    {"CAST({any} AS SIGNED)", "CAST({num} AS DECIMAL(30,5))", "LENGTH({str}) * 4294967296", "{T}"},
	"plain":   {"{num}", "{num}", "{str}", "{bytes}", "NULL"},
	"baddate": {"'2020-02-30'", "'abc'", "'2020-13-01'", "''"},
	"moment":  {"'2020-01-31 10:20:30'", "'2019-12-31 23:59:59.999999'", "TIMESTAMP '2021-03-04 05:06:07'", "TIMESTAMP '1999-12-31 23:59:59.123456'", "20200131102030", "NULL"},
	"dunit":   {"YEAR", "QUARTER", "MONTH", "DAY", "WEEK", "YEAR_MONTH"}, "tunit": {"HOUR", "MINUTE", "SECOND", "MICROSECOND", "HOUR_MINUTE", "MINUTE_SECOND", "HOUR_SECOND"},
	"small2": {"LENGTH({K}) * 1e0", "LENGTH({Q}) * 1.5e0", "LENGTH({V}) * 1e0", "({V} IS NULL) * 3e0"},
	"bytes1": {"{K}", "{Q}", "LEFT({K}, 1)", "{V}", "HEX({V})"},
}

// pure are the kinds for which no expression of another kind may be used.
var pure = map[string]bool{"json": true, "date": true, "odate": true, "real": true, "amount": true, "whole": true, "time": true, "spread": true, "exact": true, "agg": true, "small": true, "count": true, "small2": true, "bytes1": true, "cell": true}
