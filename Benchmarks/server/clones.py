"""Many published games, made of one that was really published.

Publishing 100,000 packages one by one takes an hour of flushing to the disk. What a server reads of them is rows of its
catalogue; those of one game are copied under other ids, all naming the same package. The tables are found by asking the
catalogue, so that a later schema needs no change here.
"""

import sqlite3


def game_id(number):
    """The id of a copy; number 0 is the game that was published."""
    return f"game-{number:06}"


def multiply(catalogue, count):
    """Copies all that belongs to game 0 under the ids 1 ..< count."""
    database = sqlite3.connect(catalogue, isolation_level=None)
    stride = database.execute("SELECT max(sequence) FROM releases").fetchone()[0]
    tables = [row[0] for row in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    database.execute("BEGIN")
    for table in ["games", "releases"] + [name for name in tables if name not in ("games", "releases")]:
        copy_rows(database, table, count, stride)
    database.execute("COMMIT")
    damage = database.execute("PRAGMA foreign_key_check").fetchall()
    if damage:
        raise RuntimeError(f"the copied rows do not fit together: {damage[:3]}")
    database.execute("ANALYZE")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()


def copy_rows(database, table, count, stride):
    """Copies one table's rows, if they belong to a game or to a release."""
    moved = {"games": {"id", "folded", "title"}, "releases": set()}.get(table, set())
    shifted = {"sequence"} if table == "releases" else set()
    for _, _, parent, column, target, *_ in database.execute(f"PRAGMA foreign_key_list({table})"):
        if (parent, target) == ("games", "id"):
            moved = moved | {column}
        if (parent, target) == ("releases", "sequence"):
            shifted = shifted | {column}
    if not moved and not shifted:
        return
    names = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
    values = [
        "printf('game-%06d', n)" if name in moved else f"{name} + n * {stride}" if name in shifted else name
        for name in names
    ]
    database.execute(
        f"""INSERT INTO {table} ({', '.join(names)})
        WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < {count})
        SELECT {', '.join(values)} FROM (SELECT * FROM {table}), numbers"""
    )
