// What each program here does with the server that it is told of. A program prints a
// line for each step that it has seen to work; the test that runs it asks for all.
'use strict';
const assert = require('node:assert');

const env = process.env;
const server = { socketPath: env.HBASEKV_SOCKET, user: 'root', database: env.HBASEKV_DATABASE };
const byPort = { host: '127.0.0.1', port: +env.HBASEKV_PORT, user: 'root', database: env.HBASEKV_DATABASE };
const large = +env.HBASEKV_LARGE;
const stream = +env.HBASEKV_STREAM;

const columns = 'K varbinary(100) NOT NULL, Q varbinary(100) NOT NULL, T bigint NOT NULL, ';
const tables = {
  profile: 'CREATE TABLE `c$p` (' + columns + 'V varbinary(1000), PRIMARY KEY (K, Q, T))',
  side: 'CREATE TABLE `c$n` (' + columns + 'V varbinary(1000), PRIMARY KEY (K, Q, T))',
  wide: 'CREATE TABLE `c$w` (' + columns + 'V longblob, PRIMARY KEY (K, Q, T))',
  view: "CREATE VIEW c_people AS SELECT K AS id, MAX(CASE WHEN Q = 'name' THEN V END) AS name, " +
    "MAX(CASE WHEN Q = 'city' THEN V END) AS city FROM `c$p` GROUP BY K",
};

const key = i => Buffer.concat([Buffer.from('u' + String(i).padStart(3, '0')), Buffer.from([0, 255, 39, 92])]);
const name = i => (i % 7 === 0 ? null : Buffer.concat([Buffer.from([255, 0]), Buffer.from('N' + i)]));
const range = (n, m) => Array.from({ length: m - n }, (_, i) => n + i);
const rows = () => range(0, 100).flatMap(i => [
  [key(i), Buffer.from('city'), 1, Buffer.from('C' + (i % 3))],
  [key(i), Buffer.from('name'), 1, name(i)],
]);
const side = () => range(0, 10).map(i => [key(i), Buffer.from('n'), i, Buffer.from(String(i))]);
const big = () => Buffer.alloc(large, Buffer.from(range(0, 256)));

const step = s => console.log('step ' + s);
const same = (got, want) => assert.deepStrictEqual(got, want);
const sleep = ms => new Promise(done => setTimeout(done, ms));
const plain = got => JSON.parse(JSON.stringify(got)); // without the classes of rows

async function fails(code, number, promise, find = e => e) {
  const e = await promise.then(() => assert.fail('no error'), e => find(e));
  same([e.code, e.errno], [code, number]);
  step(String(number));
}

function main(run) {
  run().then(() => process.exit(0), e => { console.error(e); process.exit(1); });
}

module.exports = { server, byPort, large, stream, columns, tables, key, name, range, rows, side, big, step, same, sleep, plain, fails, main };
