<?php
// PDO (with its own prepared statements or the server's) or mysqli, as the argument says.
declare(strict_types=1);

const COLUMNS = 'K varbinary(100) NOT NULL, Q varbinary(100) NOT NULL, T bigint NOT NULL, ';
const TABLES = [
    'CREATE TABLE `c$p` (' . COLUMNS . 'V varbinary(1000), PRIMARY KEY (K, Q, T))',
    'CREATE TABLE `c$n` (' . COLUMNS . 'V varbinary(1000), PRIMARY KEY (K, Q, T))',
    'CREATE TABLE `c$w` (' . COLUMNS . 'V longblob, PRIMARY KEY (K, Q, T))',
    "CREATE VIEW c_people AS SELECT K AS id, MAX(CASE WHEN Q = 'name' THEN V END) AS name, "
        . "MAX(CASE WHEN Q = 'city' THEN V END) AS city FROM `c\$p` GROUP BY K",
];

function step(string $name): void { echo "step $name\n"; }

function same(mixed $got, mixed $want): void
{
    if ($got !== $want) {
        throw new Exception(var_export($got, true) . ' is not ' . var_export($want, true));
    }
}

function key_of(int $i): string { return sprintf('u%03d', $i) . "\x00\xff'\\"; }

/** What the scenario needs of a driver. */
interface Client
{
    /** Rows of a query as lists, or the number of rows that a statement has changed. */
    public function ask(string $sql, array $args = []): array|int;
    public function begin(): void;
    public function commit(): void;
    public function rollback(): void;
    /** Each row of a long result, which is not kept. */
    public function stream(string $sql): iterable;
    public static function number(Throwable $e): int;
}

final class ByPDO implements Client
{
    private PDO $db;

    public function __construct(bool $emulated)
    {
        $this->db = new PDO('mysql:unix_socket=' . getenv('HBASEKV_SOCKET') . ';charset=utf8mb4;dbname=' . getenv('HBASEKV_DATABASE'),
            'root', '', [PDO::ATTR_EMULATE_PREPARES => $emulated]);
    }

    public function ask(string $sql, array $args = []): array|int
    {
        $st = $this->db->prepare($sql);
        foreach ($args as $i => $a) {
            $st->bindValue($i + 1, $a, is_int($a) ? PDO::PARAM_INT : ($a === null ? PDO::PARAM_NULL : PDO::PARAM_STR));
        }
        $st->execute();
        return $st->columnCount() > 0 ? $st->fetchAll(PDO::FETCH_NUM) : $st->rowCount();
    }

    public function begin(): void { $this->db->beginTransaction(); }
    public function commit(): void { $this->db->commit(); }
    public function rollback(): void { $this->db->rollBack(); }

    public function stream(string $sql): iterable
    {
        $this->db->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
        foreach ($this->db->query($sql, PDO::FETCH_NUM) as $row) {
            yield $row;
        }
    }

    public static function number(Throwable $e): int
    {
        same($e instanceof PDOException, true);
        return $e->errorInfo[1];
    }
}

final class ByMysqli implements Client
{
    private mysqli $db;

    public function __construct()
    {
        mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
        $this->db = new mysqli(null, 'root', '', getenv('HBASEKV_DATABASE'), 0, getenv('HBASEKV_SOCKET'));
        $this->db->set_charset('utf8mb4');
        $this->db->options(MYSQLI_OPT_INT_AND_FLOAT_NATIVE, true);
    }

    public function ask(string $sql, array $args = []): array|int
    {
        $st = $this->db->prepare($sql);
        $st->execute($args ?: null);
        $result = $st->get_result();
        return $result ? $result->fetch_all(MYSQLI_NUM) : $st->affected_rows;
    }

    public function begin(): void { $this->db->begin_transaction(); }
    public function commit(): void { $this->db->commit(); }
    public function rollback(): void { $this->db->rollback(); }

    public function stream(string $sql): iterable
    {
        $result = $this->db->query($sql, MYSQLI_USE_RESULT);
        while ($row = $result->fetch_row()) {
            yield $row;
        }
        $result->free();
    }

    public static function number(Throwable $e): int
    {
        same($e instanceof mysqli_sql_exception, true);
        return $e->getCode();
    }
}

function open(string $how): Client
{
    return $how === 'mysqli' ? new ByMysqli() : new ByPDO($how === 'emulated');
}

function column(Client $db, string $sql, mixed ...$args): array { return array_column($db->ask($sql, $args), 0); }

function fails(Client $db, int $number, string $sql): void
{
    try {
        $db->ask($sql);
    } catch (Exception $e) {
        same($db::number($e), $number);
        step((string) $number);
        return;
    }
    throw new Exception("no error: $sql");
}

function fill(Client $db): void
{
    $values = [];
    for ($i = 0; $i < 100; $i++) {
        array_push($values, key_of($i), 'city', 1, 'C' . $i % 3, key_of($i), 'name', 1, $i % 7 === 0 ? null : "\xff\x00N$i");
    }
    same($db->ask('INSERT INTO `c$p` (K, Q, T, V) VALUES ' . implode(', ', array_fill(0, 200, '(?, ?, ?, ?)')), $values), 200);
    for ($i = 0; $i < 10; $i++) {
        same($db->ask('INSERT INTO `c$n` VALUES (?, ?, ?, ?)', [key_of($i), 'n', $i, (string) $i]), 1);
    }
    step('insert');
    $tables = array_filter($db->ask('SHOW FULL TABLES'), fn ($r) => $r[1] === 'BASE TABLE');
    same(array_values(array_column($tables, 0)), ['c$n', 'c$p', 'c$w']);
    same(array_map(fn ($r) => array_slice($r, 0, 4), $db->ask('DESCRIBE `c$p`')), [['K', 'varbinary(100)', 'NO', 'PRI'],
        ['Q', 'varbinary(100)', 'NO', 'PRI'], ['T', 'bigint(20)', 'NO', 'PRI'], ['V', 'varbinary(1000)', 'YES', '']]);
    step('reflect');
}

function read(Client $db): void
{
    $city = "SELECT K FROM `c\$p` WHERE Q = 'city' ";
    same(column($db, 'SELECT V FROM `c$p` WHERE K = ? AND Q = ?', key_of(8), 'name'), ["\xff\x00N8"]);
    same(column($db, 'SELECT V FROM `c$p` WHERE K = ? AND Q = ?', key_of(7), 'name'), [null]);
    step('point');
    same(column($db, $city . 'AND K LIKE ?', 'u01%'), array_map('key_of', range(10, 19)));
    step('prefix');
    same(column($db, $city . 'AND K IN (?, ?)', key_of(3), key_of(50)), [key_of(3), key_of(50)]);
    step('in');
    same(column($db, $city . 'ORDER BY K DESC LIMIT 2'), [key_of(99), key_of(98)]);
    step('order');
    same(column($db, $city . 'ORDER BY K LIMIT ? OFFSET ?', 2, 40), [key_of(40), key_of(41)]);
    step('page');
    same($db->ask("SELECT V, COUNT(*) FROM `c\$p` WHERE Q = 'city' GROUP BY V ORDER BY V"), [['C0', 34], ['C1', 33], ['C2', 33]]);
    step('aggregate');
    same((float) column($db, "SELECT SUM(n.V) FROM `c\$p` p JOIN `c\$n` n ON p.K = n.K WHERE p.Q = 'city'")[0], 45.0);
    same($db->ask('SELECT name, city FROM c_people WHERE id = ?', [key_of(8)]), [["\xff\x00N8", 'C2']]);
    step('join');
}

function write(Client $db, string $how): void
{
    same($db->ask("UPDATE `c\$p` SET V = ? WHERE K = ? AND Q = 'city'", ['é€', key_of(1)]), 1);
    same(column($db, "SELECT V FROM `c\$p` WHERE K = ? AND Q = 'city'", key_of(1)), ['é€']);
    step('update');
    same($db->ask('DELETE FROM `c$p` WHERE K = ?', [key_of(2)]), 2);
    step('delete');
    $other = open($how);
    $count = fn () => (int) column($db, "SELECT COUNT(*) FROM `c\$n` WHERE K = 'tx'")[0];
    foreach (['rollback' => 0, 'commit' => 1] as $end => $n) {
        $other->begin();
        $other->ask("INSERT INTO `c\$n` VALUES ('tx', 'q', 2, 'y')");
        same($count(), 0);
        $other->$end();
        same($count(), $n);
    }
    step('transaction');
    fails($db, 1062, "INSERT INTO `c\$n` VALUES ('tx', 'q', 2, 'z')");
    fails($db, 1064, 'SELEKT');
    fails($db, 1146, 'SELECT * FROM missing');
}

function long(Client $db, string $how): void
{
    $value = str_repeat(implode('', array_map('chr', range(0, 255))), (int) (getenv('HBASEKV_LARGE') / 256));
    $db->ask("INSERT INTO `c\$w` VALUES ('large', 'q', 1, ?)", [$value]);
    same(column($db, "SELECT V FROM `c\$w` WHERE K = 'large'")[0] === $value, true);
    step('large');
    $n = (int) round(sqrt((float) getenv('HBASEKV_STREAM')));
    $db->begin();
    for ($i = 0; $i < $n; $i++) {
        $db->ask("INSERT INTO `c\$w` VALUES (?, 's', ?, '')", [sprintf('s%06d', $i), $i]);
    }
    $db->commit();
    [$count, $total] = [0, 0];
    foreach (open($how)->stream("SELECT a.T * $n + b.T FROM `c\$w` a JOIN `c\$w` b WHERE a.Q = 's' AND b.Q = 's'") as [$t]) {
        $count++;
        $total += $t;
    }
    same([$count, $total], [$n * $n, intdiv($n * $n * ($n * $n - 1), 2)]);
    step('stream');
}

function interrupt(Client $db, string $how): void
{
    $number = column($db, 'SELECT CONNECTION_ID()')[0];
    $later = fn (string $what) => proc_open(['sh', '-c', 'sleep 0.3; exec "$@"', 'sh', PHP_BINARY, '-r',
        '(new mysqli(null, "root", "", "", 0, getenv("HBASEKV_SOCKET")))->query($argv[1]);', "$what $number"], [], $pipes);
    $killer = $later('KILL QUERY');
    $begin = microtime(true);
    try {
        same((int) column($db, 'SELECT SLEEP(20)')[0], 1);
    } catch (PDOException | mysqli_sql_exception $e) {
        same($db::number($e), 1317);
    }
    proc_close($killer);
    same(microtime(true) - $begin < 10, true);
    step('cancel');
    proc_close($later('KILL'));
    try {
        @$db->ask('SELECT 1');
        throw new LogicException('the connection was killed');
    } catch (PDOException | mysqli_sql_exception $e) {
        same(in_array($db::number($e), [2006, 2013], true), true);
    }
    same((int) column(open($how), 'SELECT COUNT(*) FROM `c$p`')[0], 198);
    step('reconnect');
}

$how = $argv[1];
$db = open($how);
same($db->ask("SELECT 1 + 1, 'né €'"), [[2, 'né €']]);
step('connect');
foreach (TABLES as $t) {
    $db->ask($t);
}
step('create');
fill($db);
read($db);
write($db, $how);
long($db, $how);
interrupt($db, $how);
