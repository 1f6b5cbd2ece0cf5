# DBI by the driver that the first argument names (mysql or MariaDB), with the server's
# prepared statements where there is a second.
use strict;
use warnings;
use utf8;
use DBI;

my ($driver, $prepared) = @ARGV;
my $columns = 'K varbinary(100) NOT NULL, Q varbinary(100) NOT NULL, T bigint NOT NULL, ';
$| = 1;
binmode STDOUT, ':utf8';

sub step { print "step $_[0]\n" }

sub same {
    my ($got, $want) = map { join('|', map { defined $_ ? $_ : 'NULL' } ref $_ ? @$_ : $_) } @_;
    die "$got is not $want" if $got ne $want;
}

sub key { sprintf('u%03d', $_[0]) . "\x00\xff'\\" }

sub open_db {
    my $p = $driver eq 'mysql' ? 'mysql' : 'mariadb';
    my $db = DBI->connect("dbi:$driver:database=$ENV{HBASEKV_DATABASE};${p}_socket=$ENV{HBASEKV_SOCKET}", 'root', '',
        {RaiseError => 1, PrintError => 0, AutoCommit => 1, "${p}_server_prepare" => $prepared ? 1 : 0,
            ($driver eq 'mysql' ? (mysql_enable_utf8mb4 => 1) : ())});
    return $db;
}

my $db = open_db();

sub run {
    my ($sql, @args) = @_;
    my $st = $db->prepare($sql);
    for my $i (0 .. $#args) {
        my $a = $args[$i];
        if (ref $a) { $st->bind_param($i + 1, $$a, DBI::SQL_INTEGER) }
        else { $st->bind_param($i + 1, $a, DBI::SQL_VARBINARY) }
    }
    my $n = $st->execute;
    return $st->{NUM_OF_FIELDS} ? $st->fetchall_arrayref : $n + 0;
}

sub column { [map { $_->[0] } @{run(@_)}] }

sub fails {
    my ($number, $sql) = @_;
    eval { run($sql); 1 } and die "no error: $sql";
    same($db->err, $number);
    step($number);
}

same(run('SELECT 1 + 1')->[0], [2]);
same(column("SELECT 'né €'"), ['né €']);
step('connect');
$db->do("CREATE TABLE `c\$$_->[0]` (${columns}V $_->[1], PRIMARY KEY (K, Q, T))")
    for ['p', 'varbinary(1000)'], ['n', 'varbinary(1000)'], ['w', 'longblob'];
$db->do("CREATE VIEW c_people AS SELECT K AS id, MAX(CASE WHEN Q = 'name' THEN V END) AS name, "
    . "MAX(CASE WHEN Q = 'city' THEN V END) AS city FROM `c\$p` GROUP BY K");
step('create');
for my $i (0 .. 99) {
    same(run('INSERT INTO `c$p` (K, Q, T, V) VALUES (?, ?, ?, ?), (?, ?, ?, ?)', key($i), 'city', \1, 'C' . $i % 3, key($i), 'name', \1,
        $i % 7 ? "\xff\x00N$i" : undef), 2);
}
run('INSERT INTO `c$n` VALUES (?, ?, ?, ?)', key($_), 'n', \"$_", "$_") for 0 .. 9;
step('insert');
my $info = $db->column_info(undef, $ENV{HBASEKV_DATABASE}, 'c$p', '%')->fetchall_arrayref({});
same([map { "$_->{COLUMN_NAME} $_->{TYPE_NAME}" } @$info], ['K VARBINARY', 'Q VARBINARY', 'T BIGINT', 'V VARBINARY']);
same([$db->primary_key(undef, $ENV{HBASEKV_DATABASE}, 'c$p')], ['K', 'Q', 'T']);
same([grep { !/`c`$/ } grep { /c\$/ } $db->tables(undef, undef, '%', 'TABLE')] > 2, 1);
step('reflect');
my $city = "SELECT K FROM `c\$p` WHERE Q = 'city' ";
same(column('SELECT V FROM `c$p` WHERE K = ? AND Q = ?', key(8), 'name'), ["\xff\x00N8"]);
same(column('SELECT V FROM `c$p` WHERE K = ? AND Q = ?', key(7), 'name'), [undef]);
step('point');
same(column($city . 'AND K LIKE ?', 'u01%'), [map { key($_) } 10 .. 19]);
step('prefix');
same(column($city . 'AND K IN (?, ?)', key(3), key(50)), [key(3), key(50)]);
step('in');
same(column($city . 'ORDER BY K DESC LIMIT 2'), [key(99), key(98)]);
step('order');
same(column($city . 'ORDER BY K LIMIT ? OFFSET ?', \2, \40), [key(40), key(41)]);
step('page');
same([map { @$_ } @{run("SELECT V, COUNT(*) FROM `c\$p` WHERE Q = 'city' GROUP BY V ORDER BY V")}], ['C0', 34, 'C1', 33, 'C2', 33]);
step('aggregate');
same(column("SELECT SUM(n.V) FROM `c\$p` p JOIN `c\$n` n ON p.K = n.K WHERE p.Q = 'city'"), [45]);
same(column('SELECT city FROM c_people WHERE id = ?', key(8)), ['C2']);
step('join');
same(run("UPDATE `c\$p` SET V = ? WHERE K = ? AND Q = 'city'", 'x', key(1)), 1);
step('update');
same(run('DELETE FROM `c$p` WHERE K = ?', key(2)), 2);
step('delete');
for my $end (['rollback', 0], ['commit', 1]) {
    $db->begin_work;
    run("INSERT INTO `c\$n` VALUES ('tx', 'q', 2, 'y')");
    my $do = $end->[0];
    $db->$do;
    same(column("SELECT COUNT(*) FROM `c\$n` WHERE K = 'tx'"), [$end->[1]]);
}
step('transaction');
fails(1062, "INSERT INTO `c\$n` VALUES ('tx', 'q', 2, 'z')");
fails(1064, 'SELEKT');
fails(1146, 'SELECT * FROM missing');
my $value = join('', map { chr } 0 .. 255) x ($ENV{HBASEKV_LARGE} / 256);
run("INSERT INTO `c\$w` VALUES ('large', 'q', 1, ?)", $value);
$db->{LongReadLen} = length $value;
same(column("SELECT V FROM `c\$w` WHERE K = 'large'")->[0] eq $value, 1);
step('large');
my $n = int(sqrt($ENV{HBASEKV_STREAM}) + 0.5);
$db->begin_work;
run("INSERT INTO `c\$w` VALUES (?, 's', ?, '')", sprintf('s%06d', $_), \"$_") for 0 .. $n - 1;
$db->commit;
my $st = $db->prepare("SELECT a.T * $n + b.T FROM `c\$w` a JOIN `c\$w` b WHERE a.Q = 's' AND b.Q = 's'",
    $driver eq 'mysql' && !$prepared ? {mysql_use_result => 1} : {}); # which the others do not stream
$st->execute;
my ($count, $total) = (0, 0);
while (my $row = $st->fetchrow_arrayref) { $count++; $total += $row->[0] }
same([$count, $total], [$n * $n, $n * $n * ($n * $n - 1) / 2]);
step('stream');
my $number = column('SELECT CONNECTION_ID()')->[0];
my $later = sub {
    my $child = fork;
    return $child if $child;
    $db->{InactiveDestroy} = 1;
    select undef, undef, undef, 0.3;
    open_db()->do("$_[0] $number");
    exec 'true';
};
my $child = $later->('KILL QUERY');
my $begin = time;
if (eval { same(column('SELECT SLEEP(20)'), [1]); 1 }) { } else { same($db->err, 1317) }
waitpid $child, 0;
same(time - $begin < 10, 1);
step('cancel');
waitpid $later->('KILL'), 0;
same($db->ping ? 1 : 0, 0);
$db = open_db();
same(column('SELECT COUNT(*) FROM `c$p`'), [198]);
step('reconnect');
