"""phpMyAdmin, in PHP's own web server: databases, a table's structure and rows, a
statement, a search and an export, over HTTP as a browser asks."""

import html
import http.cookiejar
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

import pymysql

SOURCE, DATABASE = "/usr/share/phpmyadmin", os.environ["HBASEKV_DATABASE"]
home = tempfile.mkdtemp()
root = os.path.join(home, "phpmyadmin")
shutil.copytree(SOURCE, root, symlinks=True)
with open(os.path.join(home, "config.inc.php"), "w") as f:
    f.write("""<?php
$cfg['blowfish_secret'] = 'only for the cookies of a test__';
$cfg['Servers'][1] = ['auth_type' => 'config', 'host' => 'localhost', 'socket' => '%s', 'user' => 'root', 'password' => '',
    'AllowNoPassword' => true];
$cfg['TempDir'] = '%s';
$cfg['SendErrorReports'] = 'never';
$cfg['VersionCheck'] = false;
""" % (os.environ["HBASEKV_SOCKET"], home))
vendor = os.path.join(root, "libraries", "vendor_config.php")
with open(vendor) as f:
    text = f.read()
with open(vendor, "w") as f:
    f.write(re.sub(r"'configFile' => [^\n]*", "'configFile' => '%s/config.inc.php'," % home, text))


def step(name):
    print("step", name, flush=True)


with pymysql.connect(unix_socket=os.environ["HBASEKV_SOCKET"], user="root", database=DATABASE, autocommit=True).cursor() as cur:
    cur.execute("CREATE TABLE `c$p` (K varbinary(100) NOT NULL, Q varbinary(100) NOT NULL, T bigint NOT NULL, V varbinary(1000), PRIMARY KEY (K, Q, T))")
    cur.execute("CREATE VIEW c_people AS SELECT CAST(K AS CHAR(20)) AS id, CAST(MAX(V) AS CHAR(40)) AS city FROM `c$p` GROUP BY K")
    cur.executemany("INSERT INTO `c$p` VALUES (%s, 'city', 1, %s)", [("u%03d" % i, "Town of %d" % i) for i in range(60)])

with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    port = s.getsockname()[1]
web = subprocess.Popen(["php", "-S", "127.0.0.1:%d" % port, "-t", root], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def get(route, post=None, **query):
    url = "http://127.0.0.1:%d/index.php?%s" % (port, urllib.parse.urlencode({"route": route, "server": 1, **query}))
    data = None if post is None else urllib.parse.urlencode({"token": token, "server": 1, **post}).encode()
    with opener.open(url, data, timeout=60) as response:
        page = html.unescape(response.read().decode("utf-8", "replace"))
    page = re.sub(r'(?s)<noscript>.*?</noscript>', '', page)
    for bad in ("alert-danger", "Fatal error", "MySQL said"):
        assert bad not in page, (route, page[page.index(bad):][:1500])
    return page


def holds(page, *parts):
    for p in parts:
        assert p in page, (p, page[:3000])


token = ""
try:
    for attempt in range(50):
        try:
            first = get("/")
            break
        except urllib.error.URLError:
            time.sleep(0.1)
    token = re.search(r'name="token" value="([^"]+)"|token:"([^"]+)"', first)
    token = next(g for g in token.groups() if g)
    holds(first, "5.7.25-hbasekv", "root@localhost")
    step("connect")
    holds(get("/server/databases"), DATABASE)
    holds(get("/database/structure", db=DATABASE), "c$p", "c_people")
    holds(get("/table/structure", db=DATABASE, table="c$p"), "varbinary(100)", "bigint(20)", "PRIMARY")
    step("structure")
    holds(get("/sql", db=DATABASE, table="c_people", pos=0), "Town of 7", "u007")
    step("browse")
    page = get("/sql", post={"db": DATABASE, "sql_query": "SELECT COUNT(*) AS people, MAX(city) AS last FROM c_people WHERE id < 'u010'",
                             "sql_delimiter": ";", "is_js_confirmed": 0})
    holds(page, "people", "Town of 9")
    step("sql")
    page = get("/database/export", db=DATABASE)
    holds(page, "c$p")
    dump = get("/export", post={
        "db": DATABASE, "export_type": "database", "export_method": "quick", "quick_or_custom": "custom", "what": "sql", "output_format": "sendit",
        "table_select[]": "c$p", "table_structure[]": "c$p", "table_data[]": "c$p", "sql_structure_or_data": "structure_and_data",
        "sql_create_table": "something", "sql_include_comments": "something", "asfile": "sendit", "filename_template": "@DATABASE@", "charset": "utf-8", "compression": "none",
        "sql_type": "INSERT", "sql_insert_syntax": "both", "sql_max_query_size": 50000})
    holds(dump, "phpMyAdmin SQL Dump", "CREATE TABLE `c$p`")
    step("export")
    for page in ("/server/status", "/server/status/processes", "/server/status/variables", "/server/variables", "/server/collations",
                 "/server/engines", "/server/plugins", "/server/privileges"):
        get(page)
    step("server")
finally:
    web.terminate()
    web.wait()
    shutil.rmtree(home)
sys.exit(0)
