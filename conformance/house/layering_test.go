package house

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hbasekv/hbasekv/conformance/internal/harness"
)

// policy is the import order, one package per line: what it may import of these modules, in code
// and in the package's own tests. A package that is not listed must not exist; a name that ends
// with /... stands for all packages below it, too. The internal packages of the Pebble store, of
// the command and of HBase's server are listed without the folders above them. All tests may
// import kv/kvtest/testseed and kv/kvtest/testgc.
const policy = `
kv/caught                :
partition                :
partition/rowkey         : partition
kv/sorted                :
kv/attribute             :
kv/permission            :
kv                       : kv/attribute kv/sorted partition | kv/pebblekv
kv/sample                : kv
kv/keyspace              : kv partition | kv/attribute
kv/kvtest/internal/model : kv kv/keyspace partition
kv/kvtest/internal/fixture  : kv partition kv/attribute
kv/kvtest/testseed       :
kv/kvtest/testgc         :
kv/kvtest/internal/tandem   : kv/kvtest/testseed kv/kvtest/internal/fixture kv/kvtest/internal/model kv partition kv/attribute
kv/kvtest/internal/reads    : kv/kvtest/testseed kv/kvtest/internal/fixture kv/kvtest/internal/tandem kv partition
kv/kvtest/internal/writes   : kv/kvtest/testseed kv/kvtest/internal/fixture kv/kvtest/internal/tandem kv partition
kv/kvtest/internal/txns     : kv/kvtest/internal/fixture kv partition
kv/kvtest/internal/catalogs : kv/kvtest/internal/fixture kv partition kv/attribute
kv/kvtest                : kv/kvtest/internal/... kv kv/keyspace partition
kv/index                 : kv kv/sample partition | kv/kvtest kv/pebblekv kv/rowapi
kv/temporary             : kv kv/index partition | kv/kvtest
kv/rowapi/filter         :
kv/rowapi                : kv/rowapi/filter kv | kv/pebblekv kv/kvtest partition
kv/hbase/internal/viewtext : kv
kv/hbase/internal/timeouts :
kv/hbase/internal/certificates :
kv/hbase/internal/kerberos : kv/caught
kv/hbase/internal/zookeeper : kv/hbase/internal/kerberos
kv/hbase/internal/registry :
kv/hbase/internal/tablename :
kv/hbase/internal/hidden : kv/hbase/internal/tablename
kv/hbase/internal/permissions : kv kv/permission
kv/hbase                 : kv/caught kv partition kv/hbase/internal/viewtext kv/hbase/internal/timeouts kv/hbase/internal/certificates kv/hbase/internal/kerberos kv/hbase/internal/zookeeper kv/hbase/internal/registry kv/hbase/internal/tablename kv/hbase/internal/hidden kv/hbase/internal/permissions kv/permission kv/attribute | kv/rowapi kv/rowapi/filter kv/pebblekv kv/kvtest driver sqlfront/storeerr
pebblekv/dirlock         : kv
kv/pebblekv              : pebblekv/pebbledb pebblekv/dirlock pebblekv/records pebblekv/counter pebblekv/bulk pebblekv/txn pebblekv/collect pebblekv/move pebblekv/check pebblekv/backup pebblekv/tablebuild pebblekv/layout pebblekv/estimate pebblekv/read pebblekv/views pebblekv/overlay pebblekv/rowlock pebblekv/faultfs pebblekv/cellkey pebblekv/pacer kv/keyspace kv partition kv/sample | kv/kvtest kv/attribute
pebblekv/pacer          :
pebblekv/pebbledb       :
pebblekv/cellkey         : pebblekv/pacer kv/keyspace kv
pebblekv/faultfs         : kv
pebblekv/rowlock         : kv
pebblekv/spill           : pebblekv/pebbledb pebblekv/faultfs pebblekv/cellkey
pebblekv/overlay         : pebblekv/spill pebblekv/rowlock pebblekv/cellkey kv/keyspace kv
pebblekv/tablebuild     : kv/caught pebblekv/cellkey kv/keyspace kv
pebblekv/views           : pebblekv/overlay pebblekv/rowlock pebblekv/faultfs pebblekv/cellkey kv/keyspace kv kv/sample
pebblekv/read            : pebblekv/views pebblekv/overlay pebblekv/rowlock pebblekv/faultfs pebblekv/cellkey pebblekv/pacer kv/keyspace kv partition kv/sample
pebblekv/estimate        : pebblekv/read pebblekv/views pebblekv/cellkey pebblekv/faultfs kv partition
pebblekv/layout          : pebblekv/read pebblekv/views pebblekv/faultfs pebblekv/cellkey kv/keyspace kv partition
pebblekv/records         : pebblekv/faultfs pebblekv/cellkey kv/keyspace kv kv/attribute | partition
pebblekv/counter         : pebblekv/layout pebblekv/views pebblekv/faultfs pebblekv/cellkey kv
pebblekv/move            : pebblekv/layout pebblekv/estimate pebblekv/read pebblekv/views pebblekv/overlay pebblekv/faultfs pebblekv/cellkey kv/keyspace kv
pebblekv/collect         : pebblekv/layout pebblekv/read pebblekv/views pebblekv/overlay pebblekv/faultfs pebblekv/cellkey kv/keyspace kv
pebblekv/txn             : pebblekv/tablebuild pebblekv/spill pebblekv/collect pebblekv/move pebblekv/layout pebblekv/read pebblekv/views pebblekv/overlay pebblekv/rowlock pebblekv/faultfs pebblekv/cellkey pebblekv/pacer kv/keyspace kv kv/sample
pebblekv/bulk            : pebblekv/txn pebblekv/move pebblekv/tablebuild pebblekv/layout pebblekv/read pebblekv/views pebblekv/rowlock pebblekv/faultfs pebblekv/cellkey kv/keyspace kv
pebblekv/check           : pebblekv/records pebblekv/layout pebblekv/read pebblekv/views pebblekv/faultfs pebblekv/cellkey kv/keyspace kv
pebblekv/backup          : pebblekv/faultfs kv
pebblekv/suite           : | kv/pebblekv pebblekv/bulk pebblekv/move pebblekv/tablebuild pebblekv/txn kv/kvtest kv
sqlfront/mysqlerr        :
sqlfront/cancelcheck           : kv/caught
sqlfront/schema          : kv partition kv/attribute
sqlfront/collation       :
sqlfront/charset         : sqlfront/collation sqlfront/schema sqlfront/mysqlerr
sqlfront/clause          :
sqlfront/parse/ast       : sqlfront/clause
sqlfront/parse/lex       : sqlfront/mysqlerr sqlfront/parse/ast sqlfront/cancelcheck
sqlfront/parse/account   : sqlfront/mysqlerr sqlfront/parse/ast sqlfront/parse/lex
sqlfront/parse           : sqlfront/parse/account sqlfront/clause sqlfront/mysqlerr sqlfront/cancelcheck sqlfront/parse/ast sqlfront/parse/lex
sqlfront/value/ascii     :
sqlfront/value/calendar  : sqlfront/value/ascii
sqlfront/value/fixed     :
sqlfront/value           : sqlfront/value/calendar sqlfront/collation sqlfront/mysqlerr sqlfront/value/fixed sqlfront/value/ascii | sqlfront/value/arithmetic
sqlfront/value/arithmetic : sqlfront/value sqlfront/value/fixed sqlfront/mysqlerr
sqlfront/recode          :
sqlfront/spill/rowmem    : sqlfront/cancelcheck sqlfront/value
sqlfront/spill           : sqlfront/spill/rowmem sqlfront/clause sqlfront/value sqlfront/mysqlerr sqlfront/cancelcheck
sqlfront/function        : partition/rowkey sqlfront/collation sqlfront/recode sqlfront/value sqlfront/mysqlerr sqlfront/cancelcheck
sqlfront/function/crypt  : sqlfront/function sqlfront/mysqlerr sqlfront/cancelcheck sqlfront/value
sqlfront/function/text   : sqlfront/collation sqlfront/function sqlfront/mysqlerr sqlfront/recode sqlfront/cancelcheck sqlfront/value sqlfront/value/arithmetic
sqlfront/function/jsondoc: sqlfront/collation sqlfront/function sqlfront/function/text sqlfront/mysqlerr sqlfront/cancelcheck sqlfront/value
sqlfront/function/numeric: sqlfront/function sqlfront/mysqlerr sqlfront/value sqlfront/value/arithmetic
sqlfront/function/regex  : sqlfront/function sqlfront/function/text sqlfront/mysqlerr sqlfront/cancelcheck sqlfront/value
sqlfront/function/rowkeys: partition/rowkey sqlfront/function sqlfront/mysqlerr sqlfront/value
sqlfront/function/temporal: sqlfront/function sqlfront/mysqlerr sqlfront/value/calendar sqlfront/value
sqlfront/coltype         : sqlfront/collation sqlfront/charset sqlfront/schema sqlfront/function sqlfront/function/jsondoc sqlfront/value/calendar sqlfront/value sqlfront/mysqlerr sqlfront/parse/ast sqlfront/value/arithmetic | sqlfront/parse
sqlfront/rowcodec        : sqlfront/function/jsondoc sqlfront/coltype sqlfront/collation sqlfront/value/calendar sqlfront/value sqlfront/mysqlerr | sqlfront/function sqlfront/schema sqlfront/parse sqlfront/parse/ast
sqlfront/expr            : sqlfront/collation sqlfront/charset sqlfront/function sqlfront/recode sqlfront/value/calendar sqlfront/value sqlfront/mysqlerr sqlfront/cancelcheck sqlfront/function/crypt sqlfront/function/jsondoc sqlfront/function/numeric sqlfront/function/regex sqlfront/function/rowkeys sqlfront/function/temporal sqlfront/function/text sqlfront/value/fixed sqlfront/value/arithmetic | sqlfront/aggregate sqlfront/parse sqlfront/expr/bind sqlfront/expr/setfunc sqlfront/parse/ast
sqlfront/expr/setfunc    : sqlfront/expr sqlfront/value sqlfront/mysqlerr sqlfront/value/fixed
sqlfront/expr/member     : sqlfront/expr sqlfront/value sqlfront/value/ascii
sqlfront/expr/bind       : sqlfront/expr sqlfront/expr/member sqlfront/expr/setfunc sqlfront/charset sqlfront/collation sqlfront/function sqlfront/function/crypt sqlfront/function/jsondoc sqlfront/function/numeric sqlfront/function/regex sqlfront/function/rowkeys sqlfront/function/temporal sqlfront/function/text sqlfront/recode sqlfront/value sqlfront/mysqlerr sqlfront/cancelcheck sqlfront/parse/ast sqlfront/parse/lex sqlfront/value/arithmetic
sqlfront/aggregate       : sqlfront/expr sqlfront/function sqlfront/spill/rowmem sqlfront/spill sqlfront/value sqlfront/mysqlerr sqlfront/function/jsondoc sqlfront/expr/setfunc sqlfront/value/fixed sqlfront/value/arithmetic | sqlfront/parse sqlfront/parse/ast sqlfront/expr/bind
sqlfront/constrain/interval : kv
sqlfront/constrain/keyspans : sqlfront/expr/member sqlfront/constrain/interval sqlfront/expr sqlfront/function sqlfront/rowcodec sqlfront/typed sqlfront/value
sqlfront/constrain       : sqlfront/constrain/interval sqlfront/collation sqlfront/expr sqlfront/function sqlfront/value kv partition sqlfront/cancelcheck sqlfront/constrain/keyspans | sqlfront/parse sqlfront/parse/ast sqlfront/expr/bind sqlfront/mysqlerr
sqlfront/kernel          : sqlfront/aggregate sqlfront/expr sqlfront/value/calendar sqlfront/value sqlfront/function/text sqlfront/expr/setfunc | sqlfront/function sqlfront/expr/bind
sqlfront/window          : sqlfront/aggregate sqlfront/clause sqlfront/expr sqlfront/spill/rowmem sqlfront/spill sqlfront/value sqlfront/mysqlerr sqlfront/cancelcheck sqlfront/function/temporal sqlfront/expr/setfunc
sqlfront/rights          : kv/permission sqlfront/mysqlerr
sqlfront/explain         : sqlfront/value kv
sqlfront/versions        : sqlfront/clause sqlfront/expr sqlfront/value sqlfront/mysqlerr kv
sqlfront/ordering        : sqlfront/expr/member sqlfront/typed sqlfront/constrain sqlfront/expr sqlfront/value kv
sqlfront/mayfail            : sqlfront/expr sqlfront/value sqlfront/expr/setfunc
sqlfront/typed           : sqlfront/collation sqlfront/coltype sqlfront/rowcodec sqlfront/schema sqlfront/expr sqlfront/function sqlfront/value sqlfront/mysqlerr kv sqlfront/parse/lex kv/index kv/attribute partition
sqlfront/pruning         : sqlfront/constrain kv partition
sqlfront/grouping        : sqlfront/aggregate sqlfront/expr sqlfront/spill/rowmem sqlfront/spill sqlfront/value sqlfront/cancelcheck sqlfront/expr/setfunc | sqlfront/parse sqlfront/function sqlfront/parse/ast sqlfront/expr/bind
sqlfront/exec/cost       : kv
sqlfront/exec/op         : sqlfront/exec/cost sqlfront/explain sqlfront/expr sqlfront/function sqlfront/kernel sqlfront/mysqlerr sqlfront/ordering sqlfront/rights sqlfront/spill sqlfront/cancelcheck sqlfront/value sqlfront/versions kv partition
sqlfront/exec/correlated : sqlfront/aggregate sqlfront/exec/op sqlfront/expr sqlfront/kernel sqlfront/mayfail sqlfront/spill sqlfront/value sqlfront/expr/setfunc
sqlfront/exec/scan       : kv partition sqlfront/constrain sqlfront/exec/cost sqlfront/exec/op sqlfront/explain sqlfront/expr sqlfront/kernel sqlfront/mayfail sqlfront/mysqlerr sqlfront/ordering sqlfront/pruning sqlfront/value sqlfront/versions sqlfront/expr/setfunc
sqlfront/exec/typedscan  : kv sqlfront/coltype sqlfront/exec/op sqlfront/exec/scan sqlfront/explain sqlfront/expr sqlfront/kernel sqlfront/mayfail sqlfront/ordering sqlfront/typed sqlfront/value
sqlfront/exec/lookup     : sqlfront/expr/member kv sqlfront/coltype sqlfront/constrain sqlfront/exec/cost sqlfront/exec/op sqlfront/exec/scan sqlfront/explain sqlfront/expr sqlfront/function sqlfront/kernel sqlfront/ordering sqlfront/typed sqlfront/value
sqlfront/exec/pipeline   : kv kv/caught sqlfront/clause sqlfront/exec/cost sqlfront/exec/op sqlfront/exec/scan sqlfront/explain sqlfront/expr sqlfront/kernel sqlfront/mysqlerr sqlfront/spill sqlfront/spill/rowmem sqlfront/value sqlfront/mayfail
sqlfront/exec/pivot      : kv sqlfront/exec/op sqlfront/exec/scan sqlfront/explain sqlfront/expr sqlfront/expr/setfunc sqlfront/kernel sqlfront/value
sqlfront/exec/agg        : kv sqlfront/aggregate sqlfront/constrain sqlfront/exec/op sqlfront/exec/pipeline sqlfront/exec/scan sqlfront/explain sqlfront/expr sqlfront/grouping sqlfront/kernel sqlfront/mayfail sqlfront/ordering sqlfront/spill sqlfront/spill/rowmem sqlfront/cancelcheck sqlfront/value sqlfront/expr/setfunc sqlfront/exec/pivot
sqlfront/exec/order      : kv sqlfront/exec/op sqlfront/exec/pipeline sqlfront/exec/scan sqlfront/explain sqlfront/expr sqlfront/kernel sqlfront/ordering sqlfront/spill sqlfront/value sqlfront/window
sqlfront/exec/join       : kv partition sqlfront/exec/agg sqlfront/exec/cost sqlfront/exec/op sqlfront/exec/pipeline sqlfront/exec/scan sqlfront/explain sqlfront/expr sqlfront/kernel sqlfront/mayfail sqlfront/ordering sqlfront/spill sqlfront/value sqlfront/exec/pivot
sqlfront/exec/query      : partition sqlfront/exec/agg sqlfront/exec/op sqlfront/exec/order sqlfront/exec/pipeline sqlfront/exec/scan sqlfront/explain sqlfront/expr sqlfront/kernel sqlfront/ordering sqlfront/spill sqlfront/value
sqlfront/exec/setop      : sqlfront/clause sqlfront/exec/agg sqlfront/exec/op sqlfront/exec/order sqlfront/exec/pipeline sqlfront/exec/query sqlfront/exec/scan sqlfront/explain sqlfront/expr sqlfront/kernel sqlfront/mysqlerr sqlfront/spill sqlfront/value
sqlfront/exec/subquery   : kv partition sqlfront/exec/agg sqlfront/exec/cost sqlfront/exec/join sqlfront/exec/op sqlfront/exec/order sqlfront/exec/pipeline sqlfront/exec/query sqlfront/exec/scan sqlfront/exec/setop sqlfront/explain sqlfront/expr sqlfront/kernel sqlfront/mayfail sqlfront/mysqlerr sqlfront/spill sqlfront/value sqlfront/exec/correlated
sqlfront/exec            : sqlfront/exec/typedscan sqlfront/exec/op sqlfront/explain sqlfront/expr sqlfront/value kv sqlfront/exec/scan sqlfront/exec/pipeline sqlfront/exec/query sqlfront/exec/subquery sqlfront/expr/setfunc | sqlfront/parse kv/kvtest sqlfront/parse/ast sqlfront/exec/computed sqlfront/function sqlfront/versions sqlfront/clause sqlfront/exec/agg sqlfront/exec/join sqlfront/exec/order sqlfront/exec/setop sqlfront/ordering sqlfront/spill sqlfront/expr/bind
sqlfront/plan/relation   : sqlfront/clause sqlfront/constrain sqlfront/exec/computed sqlfront/expr sqlfront/mysqlerr sqlfront/parse/ast sqlfront/pruning sqlfront/rights sqlfront/schema sqlfront/cancelcheck sqlfront/value sqlfront/versions kv sqlfront/exec/scan sqlfront/exec/setop sqlfront/exec/subquery sqlfront/expr/bind sqlfront/typed sqlfront/parse
sqlfront/plan/condition  : sqlfront/constrain sqlfront/expr sqlfront/ordering sqlfront/cancelcheck sqlfront/value sqlfront/window sqlfront/exec/subquery sqlfront/expr/setfunc
sqlfront/plan/block      : sqlfront/plan/condition sqlfront/plan/relation sqlfront/clause sqlfront/constrain sqlfront/exec/computed sqlfront/expr sqlfront/mysqlerr sqlfront/ordering sqlfront/parse/ast sqlfront/cancelcheck sqlfront/value sqlfront/window sqlfront/exec/pipeline sqlfront/exec/agg sqlfront/exec/order sqlfront/exec/query sqlfront/exec/setop sqlfront/exec/subquery sqlfront/expr/bind sqlfront/expr/setfunc
sqlfront/plan/physical   : sqlfront/exec/typedscan sqlfront/exec/lookup sqlfront/plan/block sqlfront/plan/condition sqlfront/plan/relation sqlfront/exec/computed sqlfront/exec/cost sqlfront/expr sqlfront/mayfail sqlfront/ordering sqlfront/value sqlfront/window sqlfront/exec/scan sqlfront/exec/pipeline sqlfront/exec/agg sqlfront/exec/order sqlfront/exec/join sqlfront/exec/query sqlfront/exec/setop sqlfront/exec/subquery sqlfront/exec/op sqlfront/expr/setfunc sqlfront/exec/correlated
sqlfront/plan            : sqlfront/expr/member sqlfront/plan/block sqlfront/plan/condition sqlfront/plan/physical sqlfront/plan/relation sqlfront/mayfail sqlfront/ordering sqlfront/versions sqlfront/schema sqlfront/rights sqlfront/clause sqlfront/exec sqlfront/explain sqlfront/window sqlfront/expr sqlfront/value sqlfront/parse sqlfront/mysqlerr kv sqlfront/parse/ast sqlfront/parse/lex sqlfront/function/jsondoc sqlfront/exec/computed sqlfront/exec/pipeline sqlfront/exec/order sqlfront/exec/query sqlfront/exec/setop sqlfront/exec/subquery sqlfront/exec/op sqlfront/expr/bind sqlfront/expr/setfunc sqlfront/typed | sqlfront/cancelcheck sqlfront/spill partition kv/kvtest sqlfront/function kv/attribute
sqlfront/exec/computed   : sqlfront/exec/cost sqlfront/exec/op sqlfront/explain sqlfront/expr sqlfront/function/jsondoc sqlfront/kernel sqlfront/mayfail sqlfront/mysqlerr sqlfront/value
sqlfront/textfile        : sqlfront/clause
sqlfront/write/change    : kv sqlfront/exec sqlfront/expr sqlfront/function sqlfront/mysqlerr sqlfront/parse/ast sqlfront/plan sqlfront/plan/relation sqlfront/pruning sqlfront/rights sqlfront/schema sqlfront/value sqlfront/expr/bind sqlfront/typed sqlfront/textfile
sqlfront/write/rows      : kv sqlfront/coltype sqlfront/exec sqlfront/expr sqlfront/expr/bind sqlfront/mysqlerr sqlfront/parse/ast sqlfront/plan sqlfront/plan/relation sqlfront/typed sqlfront/value sqlfront/value/calendar sqlfront/write/change sqlfront/textfile
sqlfront/write           : sqlfront/pruning sqlfront/versions sqlfront/schema sqlfront/rights sqlfront/textfile sqlfront/plan sqlfront/plan/relation sqlfront/exec sqlfront/expr sqlfront/value sqlfront/mysqlerr kv sqlfront/parse/ast sqlfront/function/text sqlfront/expr/bind sqlfront/value/arithmetic sqlfront/write/change sqlfront/write/rows sqlfront/typed | kv/kvtest sqlfront/parse partition sqlfront/function
sqlfront/ddl/retention   : kv sqlfront/mysqlerr sqlfront/parse/ast
sqlfront/ddl/turns       :
sqlfront/ddl/rekey       : sqlfront/mysqlerr sqlfront/typed sqlfront/value kv
sqlfront/ddl/declare     : sqlfront/ddl/rekey partition sqlfront/charset sqlfront/coltype sqlfront/ddl/retention sqlfront/expr sqlfront/function sqlfront/mysqlerr sqlfront/parse/ast sqlfront/schema sqlfront/typed sqlfront/value sqlfront/value/calendar kv sqlfront/expr/bind sqlfront/collation kv/index kv/attribute
sqlfront/ddl/parts       : partition sqlfront/coltype sqlfront/mysqlerr sqlfront/parse/ast sqlfront/parse/lex sqlfront/typed sqlfront/value kv
sqlfront/ddl             : sqlfront/ddl/parts sqlfront/coltype sqlfront/function kv/index sqlfront/typed sqlfront/schema sqlfront/rights sqlfront/plan sqlfront/plan/relation sqlfront/charset sqlfront/expr sqlfront/value sqlfront/parse sqlfront/mysqlerr kv partition sqlfront/parse/ast sqlfront/parse/lex sqlfront/ddl/retention sqlfront/expr/bind sqlfront/ddl/declare sqlfront/ddl/turns sqlfront/storeerr kv/attribute | kv/kvtest kv/keyspace
sqlfront/sysvar          : sqlfront/quota sqlfront/charset sqlfront/function sqlfront/rights sqlfront/spill sqlfront/versions sqlfront/value/calendar sqlfront/value sqlfront/mysqlerr sqlfront/function/crypt sqlfront/exec/setop
sqlfront/answers         : sqlfront/plan sqlfront/plan/relation sqlfront/exec sqlfront/value sqlfront/mysqlerr kv sqlfront/exec/pipeline
sqlfront/fileio          : sqlfront/spill sqlfront/answers sqlfront/charset sqlfront/exec sqlfront/function sqlfront/plan sqlfront/plan/relation sqlfront/schema sqlfront/storeerr sqlfront/textfile sqlfront/transaction sqlfront/value sqlfront/write sqlfront/mysqlerr kv sqlfront/parse/ast sqlfront/expr/bind sqlfront/write/change
sqlfront/statement       : sqlfront/metrics sqlfront/quota sqlfront/rights sqlfront/write sqlfront/plan sqlfront/plan/relation sqlfront/function sqlfront/value sqlfront/parse sqlfront/mysqlerr kv sqlfront/parse/ast sqlfront/parse/lex sqlfront/expr/bind sqlfront/write/change
sqlfront/storeerr        : kv/caught sqlfront/mysqlerr sqlfront/typed kv
sqlfront/locks           : sqlfront/quota sqlfront/function sqlfront/value sqlfront/mysqlerr
sqlfront/transaction     : sqlfront/locks sqlfront/sysvar sqlfront/storeerr sqlfront/quota sqlfront/mysqlerr kv
sqlfront/temptable       : sqlfront/schema kv/index kv/temporary sqlfront/transaction sqlfront/statement sqlfront/ddl sqlfront/ddl/turns sqlfront/quota sqlfront/value sqlfront/mysqlerr kv sqlfront/parse/ast
sqlfront/diagnostics     : sqlfront/plan sqlfront/plan/relation sqlfront/quota sqlfront/sysvar sqlfront/value sqlfront/parse/ast
sqlfront/interrupt       : sqlfront/mysqlerr
sqlfront/process         : sqlfront/infoschema sqlfront/interrupt sqlfront/metrics sqlfront/parse/lex kv
sqlfront/maintain        : kv/index sqlfront/metrics sqlfront/infoschema sqlfront/ddl sqlfront/plan/relation sqlfront/value sqlfront/mysqlerr kv sqlfront/parse/ast sqlfront/schema sqlfront/typed
sqlfront/quota           : sqlfront/mysqlerr
sqlfront/metrics         : sqlfront/exec sqlfront/function sqlfront/mysqlerr kv partition
sqlfront/privilege          : sqlfront/schema sqlfront/rights sqlfront/plan sqlfront/plan/relation sqlfront/parse sqlfront/mysqlerr kv sqlfront/parse/ast sqlfront/parse/lex sqlfront/ddl/retention
sqlfront/infoschema      : sqlfront/schema sqlfront/rights sqlfront/plan sqlfront/plan/relation sqlfront/exec sqlfront/charset sqlfront/expr sqlfront/function sqlfront/value sqlfront/mysqlerr kv partition sqlfront/parse/ast sqlfront/parse/lex sqlfront/function/text sqlfront/value/calendar sqlfront/exec/computed sqlfront/expr/bind sqlfront/coltype sqlfront/typed | kv/kvtest sqlfront/ddl sqlfront/versions sqlfront/parse
sqlfront                 : kv/permission kv/index sqlfront/typed sqlfront/temptable sqlfront/answers sqlfront/fileio sqlfront/diagnostics sqlfront/interrupt sqlfront/transaction sqlfront/locks sqlfront/storeerr sqlfront/statement sqlfront/sysvar sqlfront/quota sqlfront/maintain sqlfront/metrics sqlfront/schema sqlfront/privilege sqlfront/rights sqlfront/infoschema sqlfront/ddl sqlfront/charset sqlfront/write sqlfront/plan sqlfront/plan/relation sqlfront/exec sqlfront/expr sqlfront/function sqlfront/spill sqlfront/value sqlfront/parse sqlfront/mysqlerr kv sqlfront/cancelcheck sqlfront/parse/ast sqlfront/parse/lex sqlfront/exec/op sqlfront/expr/bind sqlfront/process sqlfront/write/change sqlfront/ddl/turns | kv/kvtest kv/pebblekv partition
driver/internal/accept   :
driver/internal/values   : sqlfront sqlfront/answers sqlfront/value/calendar sqlfront/value sqlfront/mysqlerr
driver                   : driver/internal/values sqlfront sqlfront/answers sqlfront/fileio sqlfront/privilege sqlfront/sysvar sqlfront/quota sqlfront/metrics sqlfront/value/calendar sqlfront/value sqlfront/mysqlerr kv kv/index kv/pebblekv | kv/kvtest partition partition/rowkey sqlfront/expr/bind
driver/cellio            :
mysqlserver/socket       :
mysqlserver/packet       : sqlfront sqlfront/metrics
mysqlserver/wire         : mysqlserver/packet sqlfront sqlfront/answers sqlfront/recode sqlfront/value/calendar sqlfront/value sqlfront/mysqlerr
driver/mysqlserver       : driver/internal/accept mysqlserver/wire mysqlserver/packet mysqlserver/socket kv/caught sqlfront/answers sqlfront/fileio sqlfront/sysvar sqlfront/metrics sqlfront/privilege sqlfront/rights driver sqlfront sqlfront/charset sqlfront/recode sqlfront/value sqlfront/mysqlerr driver/internal/client | driver/mysqlserver/mysqlservertest sqlfront/parse sqlfront/parse/ast
hbaseserver/rpc          : kv/caught
hbaseserver/zookeeper    :
hbaseserver/tcpio        :
hbaseserver/wire         : hbaseserver/rpc kv/rowapi kv/rowapi/filter
hbaseserver/tables       : hbaseserver/rpc kv/rowapi kv partition | kv/kvtest
driver/hbaseserver       : driver/internal/accept driver/internal/client hbaseserver/rpc hbaseserver/zookeeper hbaseserver/tcpio hbaseserver/wire hbaseserver/tables hbaseserver/guard hbaseserver/faulty driver kv/caught kv/rowapi kv/rowapi/filter kv sqlfront sqlfront/privilege sqlfront/metrics sqlfront/mysqlerr sqlfront/rights
driver/internal/client   : sqlfront/rights
hbaseserver/faulty       : hbaseserver/rpc hbaseserver/tables
hbaseserver/guard        : hbaseserver/rpc hbaseserver/tables hbaseserver/wire kv/rowapi sqlfront sqlfront/metrics sqlfront/rights
driver/hbaseserver/hbaseservertest : driver/hbaseserver | driver/hbasekvtest
driver/hbasekvtest       : driver driver/cellio kv
driver/cmd/hbasekv/advise: driver kv partition
hbasekv/seqfile          : driver/cellio
hbasekv/parquetfile      : driver/cellio
hbasekv/sheet            : partition/rowkey
hbasekv/hbasedoors       : driver/hbaseserver sqlfront/privilege
driver/mysqlserver/mysqlservertest : driver driver/mysqlserver | driver/hbasekvtest
hbasekv/cli              : driver
hbasekv/target           : hbasekv/cli driver/cellio
hbasekv/fileformat       : driver/cellio
hbasekv/load             : hbasekv/cli hbasekv/target hbasekv/fileformat hbasekv/seqfile hbasekv/parquetfile hbasekv/sheet driver driver/cellio
hbasekv/export           : hbasekv/cli hbasekv/target hbasekv/fileformat hbasekv/parquetfile driver driver/cellio
hbasekv/transfer         : hbasekv/cli hbasekv/target hbasekv/export driver
hbasekv/shell            : hbasekv/cli driver
hbasekv/heat             : kv kv/sample sqlfront sqlfront/metrics sqlfront/process sqlfront/schema | driver
hbasekv/console          : kv partition driver driver/internal/client driver/internal/values driver/cmd/hbasekv/advise hbasekv/export hbasekv/fileformat hbasekv/heat kv/caught sqlfront sqlfront/mysqlerr sqlfront/parse/ast sqlfront/parse/lex sqlfront/privilege sqlfront/rights sqlfront/schema sqlfront/value | kv/hbase
driver/cmd/hbasekv       : hbasekv/console hbasekv/cli hbasekv/load hbasekv/export hbasekv/transfer hbasekv/shell kv/hbase driver driver/cmd/hbasekv/advise driver/mysqlserver driver/hbaseserver hbasekv/hbasedoors sqlfront/privilege | hbasekv/fileformat driver/mysqlserver/mysqlservertest
conformance/internal/harness  : kv/kvtest/testgc driver driver/mysqlserver/mysqlservertest
conformance/internal/oracle   : conformance/internal/harness
conformance/internal/generate : conformance/internal/harness conformance/internal/oracle
conformance/internal/suite    : conformance/internal/harness conformance/internal/oracle
conformance/...          : | driver driver/mysqlserver driver/mysqlserver/mysqlservertest kv kv/hbase kv/rowapi conformance/internal/...
conformance/peers        : driver
conformance/orm          : driver driver/mysqlserver/mysqlservertest conformance/orm/ent/... | kv/hbase
conformance/orm/ent/...  : driver conformance/orm/ent/...
docs/examples/...        : driver | driver/hbasekvtest driver/hbaseserver driver/hbaseserver/hbaseservertest driver/mysqlserver
`

type rule struct{ code, tests map[string]bool }

func parsePolicy() map[string]rule {
	rules := map[string]rule{}
	for line := range strings.Lines(strings.TrimSpace(policy)) {
		name, rest, _ := strings.Cut(line, ":")
		code, tests, _ := strings.Cut(rest, "|")
		rules[strings.TrimSpace(name)] = rule{set(code), set(code + " " + tests + " kv/kvtest/testseed kv/kvtest/testgc")}
	}
	return rules
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// TestImportOrder checks the code of all modules against the policy, and that
// the library's packages do not import what only tests and the command may use.
func TestImportOrder(t *testing.T) {
	out := harness.GoTool(t, "", "list", "-f",
		`{{.ImportPath}}|{{join .Imports " "}}|{{join .TestImports " "}} {{join .XTestImports " "}}`, "work")
	rules := parsePolicy()
	for line := range strings.Lines(strings.TrimSpace(out)) {
		part := strings.Split(strings.TrimSpace(line), "|")
		name := roomName(part[0])
		key, ok := find(rules, name)
		if !ok {
			t.Errorf("package %s is not in the policy", name)
			continue
		}
		checkImports(t, name, part[1], rules[key].code)
		checkImports(t, name+" (tests)", part[2], rules[key].tests)
		if !strings.HasPrefix(name, "conformance") && !strings.HasPrefix(name, "docs/") {
			checkOutside(t, name, part[1])
		}
	}
}

// find is the line of the policy for a package.
func find[T any](rules map[string]T, name string) (string, bool) {
	if _, ok := rules[name]; ok {
		return name, true
	}
	for up := name; up != "."; up = path.Dir(up) {
		if _, ok := rules[up+"/..."]; ok {
			return up + "/...", true
		}
	}
	return "", false
}

// roomName is a package's name in the policy.
func roomName(path string) string {
	name := strings.TrimPrefix(path, harness.Module)
	if inner, ok := strings.CutPrefix(name, "kv/pebblekv/internal/"); ok {
		return "pebblekv/" + inner
	}
	if inner, ok := strings.CutPrefix(name, "driver/mysqlserver/internal/"); ok {
		return "mysqlserver/" + inner
	}
	if inner, ok := strings.CutPrefix(name, "driver/cmd/hbasekv/internal/"); ok {
		return "hbasekv/" + inner
	}
	if inner, ok := strings.CutPrefix(name, "driver/hbaseserver/internal/"); ok {
		return "hbaseserver/" + inner
	}
	return name
}

func checkImports(t *testing.T, name, imports string, allowed map[string]bool) {
	self := strings.TrimSuffix(name, " (tests)")
	for _, path := range strings.Fields(imports) {
		room := roomName(path)
		if !strings.HasPrefix(path, harness.Module) || room == self {
			continue
		}
		if _, ok := find(allowed, room); !ok {
			t.Errorf("%s must not import %s", name, room)
		}
	}
}

func inPebbleStore(room string) bool {
	return room == "kv/pebblekv" || strings.HasPrefix(room, "pebblekv/")
}

// checkOutside allows Pebble only in the store, tests' libraries only in tests,
// and no logging in the library.
func checkOutside(t *testing.T, name, imports string) {
	for _, path := range strings.Fields(imports) {
		switch {
		case strings.HasPrefix(path, "github.com/cockroachdb/pebble") && !inPebbleStore(name):
			t.Errorf("%s must not import %s: Pebble lives in kv/pebblekv", name, path)
		case path == "log/slog" && (name == "sqlfront" || name == "sqlfront/metrics" || name == "driver"): // slow statements, to the caller's handler
		case strings.HasPrefix(path, "github.com/tsuna/gohbase") && !speaksHBase(name):
			t.Errorf("%s must not import %s: gohbase lives in kv/hbase, its messages in driver/hbaseserver too", name, path)
		case strings.HasPrefix(path, "github.com/stretchr/testify") && !strings.HasPrefix(name, "kv/kvtest"),
			path == "log", path == "log/slog" && !isServer(name):
			t.Errorf("%s must not import %s", name, path)
		}
	}
}

// speaksHBase is true for the packages that know HBase's messages.
func speaksHBase(name string) bool {
	return name == "kv/hbase" || strings.HasPrefix(name, "kv/hbase/") || name == "driver/hbaseserver" || strings.HasPrefix(name, "hbaseserver/")
}

// isServer is true for the packages that run as servers: they log to the logger that
// they are given.
func isServer(name string) bool {
	switch name {
	case "driver/mysqlserver", "driver/hbaseserver", "hbaseserver/rpc", "driver/cmd/hbasekv", "hbasekv/console":
		return true
	}
	return false
}

// TestRequirements: the library's go.mod requires only what its packages and
// their own tests import: nothing of the command, of these tests, of ORMs or
// peers.
func TestRequirements(t *testing.T) {
	var mod struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	require.NoError(t, json.Unmarshal([]byte(harness.GoTool(t, "off", "mod", "edit", "-json")), &mod))
	out := harness.GoTool(t, "off", "list", "-f", `{{join .Imports "\n"}}
{{join .TestImports "\n"}}
{{join .XTestImports "\n"}}`, "./...")
	imported := set(out)
	for _, r := range mod.Require {
		if r.Indirect {
			continue
		}
		used := false
		for path := range imported {
			used = used || path == r.Path || strings.HasPrefix(path, r.Path+"/")
		}
		require.True(t, used, "go.mod requires %s, which no package of the library imports", r.Path)
	}
	for path := range imported {
		for _, foreign := range []string{"spf13/cobra", "jedib0t/go-pretty", "schollz/progressbar", "x/term", "porcupine",
			"parquet-go", "klauspost/compress"} {
			require.NotContains(t, path, foreign, "the library imports what is the command's or the tests'")
		}
	}
}
