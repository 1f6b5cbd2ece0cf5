'use strict';
require('reflect-metadata');
const s = require('./scenario');
const { DataSource, EntitySchema, In, Like, QueryFailedError } = require('typeorm');

const column = (type, more) => ({ type, ...more });
const cells = (name, V) => new EntitySchema({
  name,
  tableName: 'c$' + name,
  columns: {
    K: column('varbinary', { length: 100, primary: true }),
    Q: column('varbinary', { length: 100, primary: true }),
    T: column('bigint', { primary: true }),
    V: column(V, { nullable: true, ...(V === 'varbinary' ? { length: 1000 } : {}) }),
  },
});
const entities = [cells('p', 'varbinary'), cells('n', 'varbinary'), cells('w', 'longblob')];
const source = new DataSource({ type: 'mysql', connectorPackage: 'mysql2', ...s.byPort, username: 'root', entities, synchronize: false });

s.main(async () => {
  await source.initialize();
  s.step('connect');
  await source.synchronize();
  await source.synchronize(); // which finds them as they should be
  await source.query(s.tables.view);
  s.step('create');
  const [P, N, W] = ['p', 'n', 'w'].map(n => source.getRepository(n));
  const cell = ([K, Q, T, V]) => ({ K, Q, T, V });
  await P.insert(s.rows().map(cell));
  await N.insert(s.side().map(cell));
  s.step('insert');
  const runner = source.createQueryRunner();
  const table = await runner.getTable('c$p');
  s.same(table.columns.map(c => [c.name, c.type, c.length, c.isPrimary, c.isNullable]), [
    ['K', 'varbinary', '100', true, false], ['Q', 'varbinary', '100', true, false], ['T', 'bigint', '', true, false],
    ['V', 'varbinary', '1000', false, true]]);
  await runner.release();
  s.step('reflect');

  const city = Buffer.from('city');
  const keys = async options => (await P.find({ select: { K: true, Q: true, T: true }, ...options })).map(r => r.K);
  s.same((await P.findOneBy({ K: s.key(8), Q: Buffer.from('name') })).V, s.name(8));
  s.same((await P.findOneBy({ K: s.key(7), Q: Buffer.from('name') })).V, null);
  s.step('point');
  s.same(await keys({ where: { Q: city, K: Like('u01%') } }), s.range(10, 20).map(s.key));
  s.step('prefix');
  s.same(await keys({ where: { Q: city, K: In([s.key(3), s.key(50)]) } }), [s.key(3), s.key(50)]);
  s.step('in');
  s.same(await keys({ where: { Q: city }, order: { K: 'DESC' }, take: 2 }), [s.key(99), s.key(98)]);
  s.step('order');
  const [page, count] = await P.findAndCount({ where: { Q: city }, order: { K: 'ASC' }, skip: 40, take: 2 });
  s.same([page.map(r => r.K), count], [[s.key(40), s.key(41)], 100]);
  s.step('page');
  const groups = await P.createQueryBuilder('p').select('p.V', 'v').addSelect('COUNT(*)', 'n').where('p.Q = :q', { q: 'city' })
    .groupBy('p.V').orderBy('p.V').getRawMany();
  s.same(groups.map(g => [String(g.v), +g.n]), [['C0', 34], ['C1', 33], ['C2', 33]]);
  s.step('aggregate');
  const joined = await P.createQueryBuilder('p').innerJoin('n', 'n', 'p.K = n.K').where('p.Q = :q', { q: 'city' })
    .select('SUM(n.V)', 'sum').getRawOne();
  s.same(+joined.sum, 45);
  s.step('join');
  s.same((await P.update({ K: s.key(1), Q: city }, { V: Buffer.from('x') })).affected, 1);
  s.step('update');
  s.same((await P.delete({ K: s.key(2) })).affected, 2);
  s.step('delete');
  const tx = { K: Buffer.from('tx'), Q: Buffer.from('q'), T: 1, V: Buffer.from('x') };
  await source.transaction(async m => {
    await m.getRepository('n').insert(tx);
    throw new Error('undo');
  }).catch(e => s.same(e.message, 'undo'));
  s.same(await N.countBy({ K: tx.K }), 0);
  await source.transaction(m => m.getRepository('n').insert(tx));
  s.step('transaction');
  const failed = async (code, number, promise) => s.fails(code, number, promise, e => {
    s.same(e instanceof QueryFailedError, true);
    return e.driverError;
  });
  await failed('ER_DUP_ENTRY', 1062, N.insert(tx));
  await failed('ER_PARSE_ERROR', 1064, source.query('SELEKT'));
  await failed('ER_NO_SUCH_TABLE', 1146, source.query('SELECT * FROM missing'));
  await N.upsert({ ...tx, V: Buffer.from('z') }, ['K', 'Q', 'T']);
  await W.insert({ K: Buffer.from('large'), Q: Buffer.from('q'), T: 1, V: s.big() });
  s.same((await W.findOneBy({ K: Buffer.from('large') })).V.equals(s.big()), true);
  s.step('large');
  const n = Math.round(Math.sqrt(s.stream));
  for (let i = 0; i < n; i += 200) {
    await W.insert(s.range(i, Math.min(n, i + 200)).map(j => ({ K: Buffer.from('s' + j), Q: Buffer.from('s'), T: j, V: Buffer.alloc(0) })));
  }
  let rows = 0;
  const all = await source.createQueryBuilder().select('a.T', 't').from('c$w', 'a').innerJoin('c$w', 'b', "a.Q = 's' AND b.Q = 's'").stream();
  for await (const row of all) rows += row.t >= 0 ? 1 : 0;
  s.same(rows, n * n);
  s.step('stream');
  await source.destroy();
  await source.initialize();
  s.same(await source.getRepository('p').count(), 198);
  s.step('reconnect');
});
