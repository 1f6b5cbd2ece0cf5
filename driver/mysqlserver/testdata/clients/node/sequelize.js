'use strict';
const s = require('./scenario');
const { Sequelize, DataTypes, Op } = require('sequelize');
const db = new Sequelize(s.byPort.database, 'root', '', { dialect: 'mysql', host: '127.0.0.1', port: s.byPort.port, logging: false });

const bytes = n => ({ type: 'VARBINARY(' + n + ')', allowNull: false, primaryKey: true });
const model = (name, V) => db.define(name, {
  K: bytes(100), Q: bytes(100), T: { type: DataTypes.BIGINT, allowNull: false, primaryKey: true }, V: { type: V },
}, { tableName: 'c$' + name, timestamps: false });
const P = model('p', 'VARBINARY(1000)');
const N = model('n', 'VARBINARY(1000)');
const W = model('w', DataTypes.BLOB('long'));

s.main(async () => {
  await db.authenticate();
  s.step('connect');
  await db.sync();
  await db.sync(); // which finds them there
  await db.query(s.tables.view);
  s.step('create');
  const cell = ([K, Q, T, V]) => ({ K, Q, T, V });
  await P.bulkCreate(s.rows().map(cell));
  await N.bulkCreate(s.side().map(cell));
  s.step('insert');
  const described = await db.getQueryInterface().describeTable('c$p');
  s.same([described.K.type, described.K.primaryKey, described.V.allowNull], ['VARBINARY(100)', true, true]);
  s.same((await db.getQueryInterface().showAllTables()).map(t => t.tableName || t).sort(), ['c$n', 'c$p', 'c$w']);
  s.step('reflect');

  const city = { Q: 'city' };
  const keys = async options => (await P.findAll({ attributes: ['K'], raw: true, ...options })).map(r => r.K);
  s.same((await P.findOne({ where: { K: s.key(8), Q: 'name' } })).V, s.name(8));
  s.same((await P.findOne({ where: { K: s.key(7), Q: 'name' } })).V, null);
  s.step('point');
  s.same(await keys({ where: { ...city, K: { [Op.like]: 'u01%' } } }), s.range(10, 20).map(s.key));
  s.step('prefix');
  s.same(await keys({ where: { ...city, K: { [Op.in]: [s.key(3), s.key(50)] } } }), [s.key(3), s.key(50)]);
  s.step('in');
  s.same(await keys({ where: city, order: [['K', 'DESC']], limit: 2 }), [s.key(99), s.key(98)]);
  s.step('order');
  const page = await P.findAndCountAll({ where: city, order: ['K'], limit: 2, offset: 40, raw: true });
  s.same([page.count, page.rows.map(r => r.K)], [100, [s.key(40), s.key(41)]]);
  s.step('page');
  const groups = await P.findAll({
    where: city, attributes: ['V', [db.fn('COUNT', db.col('K')), 'n']], group: ['V'], order: ['V'], raw: true,
  });
  s.same(groups.map(g => [String(g.V), g.n]), [['C0', 34], ['C1', 33], ['C2', 33]]);
  s.step('aggregate');
  const [joined] = await db.query('SELECT SUM(n.V) AS sum FROM `c$p` p JOIN `c$n` n ON p.K = n.K WHERE p.Q = ?', { replacements: ['city'] });
  s.same(s.plain(joined), [{ sum: 45 }]);
  s.step('join');
  s.same(await P.update({ V: Buffer.from('x') }, { where: { K: s.key(1), Q: 'city' } }), [1]);
  s.step('update');
  s.same(await P.destroy({ where: { K: s.key(2) } }), 2);
  s.step('delete');
  await db.transaction(async t => {
    await N.create({ K: Buffer.from('tx'), Q: Buffer.from('q'), T: 1, V: Buffer.from('x') }, { transaction: t });
    throw new Error('undo');
  }).catch(e => s.same(e.message, 'undo'));
  s.same(await N.count({ where: { K: 'tx' } }), 0);
  await N.create({ K: Buffer.from('tx'), Q: Buffer.from('q'), T: 1, V: Buffer.from('x') });
  s.step('transaction');
  const again = N.create({ K: Buffer.from('tx'), Q: Buffer.from('q'), T: 1, V: Buffer.from('x') });
  s.same(await again.then(() => null, e => e.name), 'SequelizeUniqueConstraintError');
  s.step('1062');
  await s.fails('ER_PARSE_ERROR', 1064, db.query('SELEKT'), e => e.original);
  await s.fails('ER_NO_SUCH_TABLE', 1146, db.query('SELECT * FROM missing'), e => e.original);
  await N.upsert({ K: Buffer.from('tx'), Q: Buffer.from('q'), T: 1, V: Buffer.from('z') });
  await W.create({ K: Buffer.from('large'), Q: Buffer.from('q'), T: 1, V: s.big() });
  s.same((await W.findOne()).V.equals(s.big()), true);
  s.step('large');
  await db.close();
  const second = new Sequelize(s.byPort.database, 'root', '', { dialect: 'mysql', host: '127.0.0.1', port: s.byPort.port, logging: false });
  s.same((await second.query('SELECT COUNT(*) AS n FROM `c$p`', { plain: true })).n, 198);
  s.step('reconnect');
});
