import MySQLdb
import MySQLdb.cursors

from scenario import DATABASE, SOCKET, Program, main


class Client(Program):
    errors = MySQLdb

    def connect(self):
        return MySQLdb.connect(unix_socket=SOCKET, user="root", database=DATABASE, charset="utf8mb4")

    def stream(self, db):
        return db.cursor(MySQLdb.cursors.SSCursor)


main(Client())
