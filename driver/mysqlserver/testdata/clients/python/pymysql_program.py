import pymysql

from scenario import DATABASE, SOCKET, Program, main


class PyMySQL(Program):
    errors = pymysql.err

    def connect(self):
        return pymysql.connect(unix_socket=SOCKET, user="root", database=DATABASE)

    def stream(self, db):
        return db.cursor(pymysql.cursors.SSCursor)

    def reconnect(self):
        self.db.ping(reconnect=True)


main(PyMySQL())
