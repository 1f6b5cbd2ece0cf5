// mysql2 (by texts and by prepared statements) or mysql, as the argument says.
'use strict';
const s = require('./scenario');
const [which, how] = process.argv.slice(2);
const mysql = require(which);

// open is a connection whose calls give promises.
function open() {
  return new Promise((done, failed) => {
    const c = mysql.createConnection({ ...s.server, multipleStatements: true, supportBigNumbers: true });
    c.on('error', () => {});
    const call = f => (sql, args) => new Promise((ok, no) => c[f](sql, args, (e, r, fields) => (e ? no(e) : ok(r, fields))));
    const ask = call('query');
    const prepared = how === 'prepared' ? call('execute') : ask;
    const column = async (sql, ...args) => (await prepared(sql, args)).map(r => Object.values(r)[0]);
    c.connect(e => (e ? failed(e) : done({ c, ask, prepared, column })));
  });
}

async function read(db) {
  const city = 'SELECT K FROM `c$p` WHERE Q = ? ';
  s.same(await db.column('SELECT V FROM `c$p` WHERE K = ? AND Q = ?', s.key(8), 'name'), [s.name(8)]);
  s.same(await db.column('SELECT V FROM `c$p` WHERE K = ? AND Q = ?', s.key(7), 'name'), [null]);
  s.step('point');
  s.same(await db.column(city + 'AND K LIKE ?', 'city', 'u01%'), s.range(10, 20).map(s.key));
  s.step('prefix');
  s.same(await db.column(city + 'AND K IN (?, ?)', 'city', s.key(3), s.key(50)), [s.key(3), s.key(50)]);
  s.step('in');
  s.same(await db.column(city + 'ORDER BY K DESC LIMIT 2', 'city'), [s.key(99), s.key(98)]);
  s.step('order');
  const page = how === 'prepared' ? ['2', '40'] : [2, 40]; // a number is sent as a double, which LIMIT does not take
  s.same(await db.column(city + 'ORDER BY K LIMIT ? OFFSET ?', 'city', ...page), [s.key(40), s.key(41)]);
  s.step('page');
  const groups = await db.prepared('SELECT CAST(V AS CHAR) AS v, COUNT(*) AS n FROM `c$p` WHERE Q = ? GROUP BY V ORDER BY V', ['city']);
  s.same(s.plain(groups), [{ v: 'C0', n: 34 }, { v: 'C1', n: 33 }, { v: 'C2', n: 33 }]);
  s.step('aggregate');
  s.same(await db.column('SELECT SUM(n.V) FROM `c$p` p JOIN `c$n` n ON p.K = n.K WHERE p.Q = ?', 'city'), [45]);
  s.same(await db.column('SELECT city FROM c_people WHERE id = ?', s.key(8)), [Buffer.from('C2')]);
  s.step('join');
}

async function write(db) {
  const r = await db.prepared("UPDATE `c$p` SET V = ? WHERE K = ? AND Q = 'city'", ['é€', s.key(1)]);
  s.same([r.affectedRows, r.changedRows], [1, 1]);
  s.same(await db.column("SELECT V FROM `c$p` WHERE K = ? AND Q = 'city'", s.key(1)), [Buffer.from('é€')]);
  s.step('update');
  s.same((await db.prepared('DELETE FROM `c$p` WHERE K = ?', [s.key(2)])).affectedRows, 2);
  s.step('delete');
  const other = await open();
  const count = () => db.column("SELECT COUNT(*) FROM `c$n` WHERE K = 'tx'");
  for (const [end, n] of [['rollback', 0], ['commit', 1]]) {
    await new Promise(done => other.c.beginTransaction(done));
    await other.prepared("INSERT INTO `c$n` VALUES ('tx', 'q', ?, 'x')", [2]);
    s.same(await count(), [0]);
    await new Promise(done => other.c[end](done));
    s.same(await count(), [n]);
  }
  other.c.end();
  s.step('transaction');
  await s.fails('ER_DUP_ENTRY', 1062, db.prepared("INSERT INTO `c$n` VALUES ('tx', 'q', 2, 'z')"));
  await s.fails('ER_PARSE_ERROR', 1064, db.prepared('SELEKT'));
  await s.fails('ER_NO_SUCH_TABLE', 1146, db.prepared('SELECT * FROM missing'));
}

async function long(db) {
  await db.prepared("INSERT INTO `c$w` VALUES ('large', 'q', 1, ?)", [s.big()]);
  s.same((await db.column("SELECT V FROM `c$w` WHERE K = 'large'"))[0].equals(s.big()), true);
  s.step('large');
  const n = Math.round(Math.sqrt(s.stream));
  await db.ask('INSERT INTO `c$w` VALUES ?', [s.range(0, n).map(i => [Buffer.from('s' + String(i).padStart(6, '0')), 's', i, ''])]);
  let count = 0;
  let total = 0;
  const result = db.c.query('SELECT a.T * ' + n + " + b.T AS t FROM `c$w` a JOIN `c$w` b WHERE a.Q = 's' AND b.Q = 's'").stream();
  await new Promise((ok, no) => result.on('error', no).on('end', ok).on('data', row => { // as mysql's old streams can
    count += 1;
    total += Number(row.t);
  }));
  s.same([count, total], [n * n, n * n * (n * n - 1) / 2]);
  s.step('stream');
}

async function interrupt(db) {
  const killer = await open();
  const begin = Date.now();
  const sleeping = db.ask('SELECT SLEEP(20) AS s').then(r => r[0].s, e => (e.errno === 1317 ? 1 : e));
  await s.sleep(300);
  await killer.ask('KILL QUERY ' + db.c.threadId);
  s.same([await sleeping, Date.now() - begin < 10000], [1, true]);
  s.step('cancel');
  await killer.ask('KILL ' + db.c.threadId);
  const lost = await db.ask('SELECT 1').then(() => null, e => e.code);
  s.same(['PROTOCOL_CONNECTION_LOST', 'ECONNRESET', 'EPIPE'].includes(lost), true);
  const again = await open();
  s.same(await again.column('SELECT COUNT(*) FROM `c$p`'), [198]);
  s.step('reconnect');
}

s.main(async () => {
  const db = await open();
  s.same(s.plain(await db.prepared("SELECT 1 + 1 AS n, 'né €' AS t")), [{ n: 2, t: 'né €' }]);
  const [one, two] = await db.ask('SELECT 1 AS a; SELECT 2 AS b');
  s.same(s.plain([one, two]), [[{ a: 1 }], [{ b: 2 }]]);
  s.step('connect');
  for (const t of Object.values(s.tables)) await db.ask(t);
  s.step('create');
  await db.ask('INSERT INTO `c$p` (K, Q, T, V) VALUES ?', [s.rows()]);
  for (const row of s.side()) await db.prepared('INSERT INTO `c$n` VALUES (?, ?, ?, ?)', row);
  s.same(await db.column('SELECT COUNT(*) FROM `c$p`'), [200]);
  s.step('insert');
  const names = (await db.ask('SHOW FULL TABLES')).map(r => Object.values(r)).filter(r => r[1] === 'BASE TABLE').map(r => r[0]);
  s.same(names, ['c$n', 'c$p', 'c$w']);
  s.step('reflect');
  await read(db);
  await write(db);
  await long(db);
  await interrupt(db);
});
