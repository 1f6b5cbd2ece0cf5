package mysqlserver

// capability is the set of flags by which client and server agree on the protocol
// (https://dev.mysql.com/doc/dev/mysql-server/latest/group__group__cs__capabilities__flags.html).
type capability uint32

const (
	longPassword     capability = 1 << 0
	foundRows        capability = 1 << 1
	longFlag         capability = 1 << 2
	connectWithDB    capability = 1 << 3
	noSchema         capability = 1 << 4
	zlibCompression  capability = 1 << 5
	odbc             capability = 1 << 6
	localFiles       capability = 1 << 7
	ignoreSpace      capability = 1 << 8
	protocol41       capability = 1 << 9
	interactive      capability = 1 << 10
	ssl              capability = 1 << 11
	ignoreSigpipe    capability = 1 << 12
	transactions     capability = 1 << 13
	secureConnection capability = 1 << 15
	multiStatements  capability = 1 << 16
	multiResults     capability = 1 << 17
	psMultiResults   capability = 1 << 18
	pluginAuth       capability = 1 << 19
	connectAttrs     capability = 1 << 20
	lenencAuth       capability = 1 << 21
	sessionTrack     capability = 1 << 23
	deprecateEOF     capability = 1 << 24
	zstdCompression  capability = 1 << 26
)

// offered is what the server supports, besides TLS if it has a certificate.
const offered = longPassword | foundRows | longFlag | connectWithDB | noSchema | zlibCompression | odbc | localFiles |
	ignoreSpace | protocol41 | interactive | ignoreSigpipe | transactions | secureConnection |
	multiStatements | multiResults | psMultiResults | pluginAuth | connectAttrs | lenencAuth | sessionTrack |
	deprecateEOF | zstdCompression

func (c capability) has(flag capability) bool { return c&flag == flag }

// status is the set of flags of an OK and an EOF packet.
type status uint16

const (
	inTransaction   status = 0x0001
	autocommit      status = 0x0002
	moreResults     status = 0x0008
	cursorExists    status = 0x0040
	lastRowSent     status = 0x0080
	noBackslash     status = 0x0200 // sql_mode has NO_BACKSLASH_ESCAPES, which changes how clients quote
	readTransaction status = 0x2000
	stateChanged    status = 0x4000
)

// The commands.
const (
	comQuit            = 0x01
	comInitDB          = 0x02
	comQuery           = 0x03
	comFieldList       = 0x04
	comRefresh         = 0x07
	comStatistics      = 0x09
	comProcessInfo     = 0x0a
	comProcessKill     = 0x0c
	comDebug           = 0x0d
	comPing            = 0x0e
	comChangeUser      = 0x11
	comStmtPrepare     = 0x16
	comStmtExecute     = 0x17
	comStmtLongData    = 0x18
	comStmtClose       = 0x19
	comStmtReset       = 0x1a
	comSetOption       = 0x1b
	comStmtFetch       = 0x1c
	comResetConnection = 0x1f
)

// First bytes of packets that are not rows.
const (
	okHeader     = 0x00
	moreDataAuth = 0x01
	eofHeader    = 0xfe
	errHeader    = 0xff
)
