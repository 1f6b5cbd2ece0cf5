"""A report in Python over MySQL's protocol, printed as CSV.

    hbasekv serve ./data &
    pip install PyMySQL
    python report.py 127.0.0.1 3306
"""

import csv
import sys

import pymysql

SCHEMA = """CREATE TABLE IF NOT EXISTS sales (
  id bigint AUTO_INCREMENT PRIMARY KEY, day date NOT NULL, shop varchar(40) NOT NULL, amount decimal(10,2) NOT NULL,
  INDEX (day))"""
SALES = [
    ("2026-01-12", "Oslo", "120.00"), ("2026-01-20", "Rome", "80.50"), ("2026-02-02", "Oslo", "99.90"),
    ("2026-02-14", "Rome", "200.00"), ("2026-02-28", "Oslo", "10.10"), ("2026-03-01", "Rome", "50.00"),
]
REPORT = """SELECT month, shop, amount, SUM(amount) OVER (PARTITION BY shop ORDER BY month) AS so_far
  FROM (SELECT DATE_FORMAT(day, '%%Y-%%m') AS month, shop, SUM(amount) AS amount
        FROM sales WHERE day BETWEEN %s AND %s GROUP BY month, shop) AS months
  ORDER BY month, shop"""


def main(host="127.0.0.1", port="3306"):
    connection = pymysql.connect(host=host, port=int(port), user="root", database="default")
    with connection, connection.cursor() as cursor:
        cursor.execute(SCHEMA)
        cursor.execute("DELETE FROM sales")
        cursor.executemany("INSERT INTO sales (day, shop, amount) VALUES (%s, %s, %s)", SALES)
        connection.commit()
        cursor.execute(REPORT, ("2026-01-01", "2026-12-31"))
        out = csv.writer(sys.stdout, lineterminator="\n")
        out.writerow(column[0] for column in cursor.description)
        out.writerows(cursor)


main(*sys.argv[1:])
