'use strict';
const s = require('./scenario');
const knex = require('knex')({ client: 'mysql2', connection: s.server, pool: { min: 0, max: 4 } });

s.main(async () => {
  const [[first]] = await knex.raw("SELECT 1 + 1 AS n, 'né €' AS t");
  s.same(s.plain(first), { n: 2, t: 'né €' });
  s.step('connect');
  for (const [table, v] of [['c$p', 'binary'], ['c$w', 'longblob'], ['c$n', 'binary']]) {
    await knex.schema.createTable(table, t => {
      t.specificType('K', 'varbinary(100)').notNullable();
      t.specificType('Q', 'varbinary(100)').notNullable();
      t.bigInteger('T').notNullable();
      t.specificType('V', v === 'binary' ? 'varbinary(1000)' : v);
      t.primary(['K', 'Q', 'T']);
    });
  }
  await knex.raw(s.tables.view);
  s.step('create');
  const cell = ([K, Q, T, V]) => ({ K, Q, T, V });
  await knex.batchInsert('c$p', s.rows().map(cell), 50);
  await knex('c$n').insert(s.side().map(cell));
  s.step('insert');
  s.same(await knex.schema.hasTable('c$p'), true);
  s.same(await knex.schema.hasColumn('c$p', 'V'), true);
  const info = await knex('c$p').columnInfo();
  s.same([info.K.type, info.K.maxLength, info.K.nullable, info.V.nullable], ['varbinary', 100, false, true]);
  s.step('reflect');

  const city = () => knex('c$p').where('Q', 'city');
  s.same((await knex('c$p').where({ K: s.key(8), Q: 'name' }).first()).V, s.name(8));
  s.same((await knex('c$p').where({ K: s.key(7), Q: 'name' }).first()).V, null);
  s.step('point');
  s.same(await city().where('K', 'like', 'u01%').pluck('K'), s.range(10, 20).map(s.key));
  s.step('prefix');
  s.same(await city().whereIn('K', [s.key(3), s.key(50)]).pluck('K'), [s.key(3), s.key(50)]);
  s.step('in');
  s.same(await city().orderBy('K', 'desc').limit(2).pluck('K'), [s.key(99), s.key(98)]);
  s.step('order');
  s.same(await city().orderBy('K').limit(2).offset(40).pluck('K'), [s.key(40), s.key(41)]);
  s.step('page');
  const groups = await city().select('V').count('* as n').groupBy('V').orderBy('V');
  s.same(groups.map(g => [String(g.V), g.n]), [['C0', 34], ['C1', 33], ['C2', 33]]);
  s.step('aggregate');
  const [{ sum }] = await knex('c$p as p').join('c$n as n', 'p.K', 'n.K').where('p.Q', 'city').sum('n.V as sum');
  s.same(sum, 45);
  s.step('join');
  s.same(await knex('c$p').where({ K: s.key(1), Q: 'city' }).update({ V: 'x' }), 1);
  s.step('update');
  s.same(await knex('c$p').where({ K: s.key(2) }).del(), 2);
  s.step('delete');
  await knex.transaction(async tx => {
    await tx('c$n').insert({ K: 'tx', Q: 'q', T: 1, V: 'x' });
    await tx.transaction(async inner => {
      await inner('c$n').where('K', 'tx').del();
      throw new Error('inner');
    }).catch(() => {});
  });
  s.same(await knex('c$n').where('K', 'tx').pluck('T'), [1]);
  s.step('transaction');
  await s.fails('ER_DUP_ENTRY', 1062, knex('c$n').insert({ K: 'tx', Q: 'q', T: 1, V: 'z' }));
  await s.fails('ER_PARSE_ERROR', 1064, knex.raw('SELEKT'));
  await s.fails('ER_NO_SUCH_TABLE', 1146, knex('missing'));
  await knex('c$n').insert({ K: 'tx', Q: 'q', T: 1, V: 'z' }).onConflict().merge(['V']);
  s.same((await knex('c$n').where('K', 'tx').pluck('V')).map(String), ['z']);
  await knex('c$w').insert({ K: 'large', Q: 'q', T: 1, V: s.big() });
  s.same((await knex('c$w').pluck('V'))[0].equals(s.big()), true);
  s.step('large');
  const n = Math.round(Math.sqrt(s.stream));
  await knex.batchInsert('c$w', s.range(0, n).map(i => ({ K: 's' + i, Q: 's', T: i, V: '' })), 200);
  let count = 0;
  for await (const row of knex('c$w as a').crossJoin('c$w as b').where({ 'a.Q': 's', 'b.Q': 's' }).select('a.T').stream()) {
    count += row.T >= 0 ? 1 : 0;
  }
  s.same(count, n * n);
  s.step('stream');
  const begin = Date.now();
  await knex.raw('SELECT SLEEP(20)').timeout(500, { cancel: true }).then(() => { throw new Error('no timeout'); }, e => {
    s.same(e.name, 'KnexTimeoutError');
  });
  s.same(Date.now() - begin < 10000, true);
  s.step('cancel');
  await knex.destroy();
  knex.initialize();
  s.same(await knex('c$p').count('* as n').then(r => r[0].n), 198);
  s.step('reconnect');
});
