import mysql.connector
from mysql.connector import errors

from scenario import DATABASE, PORT, Program, main, same, step


class Connector(Program):
    errors = errors
    number_of = staticmethod(lambda e: e.errno)

    def connect(self):
        return mysql.connector.connect(host="127.0.0.1", port=PORT, user="root", database=DATABASE, use_pure=True)

    def reconnect(self):
        self.db.reconnect()
        cur = self.db.cursor(prepared=True)
        for i in (3, 5):
            cur.execute("SELECT K, T FROM `c$n` WHERE T = ? AND Q = 'n'", (i,))
            same([r[1] for r in cur.fetchall()], [i])
        cur.close()
        step("prepared")


main(Connector())
