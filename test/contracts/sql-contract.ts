import { describe, expect, it } from "vitest";
import type { Sql } from "../../src/shared/sql.ts";

type Thing = { id: string; size: number | null };

/**
 * What a session relies on in its SQLite. `withSql` runs a test over an empty database.
 */
export function sqlContract(withSql: (test: (sql: Sql) => void) => Promise<void>): void {
  const over = (test: (sql: Sql) => void) => () =>
    withSql((sql) => {
      sql.run("CREATE TABLE thing(id TEXT PRIMARY KEY, size INTEGER) WITHOUT ROWID");
      test(sql);
    });
  const add = (sql: Sql, ...ids: string[]) => {
    for (const id of ids) sql.run("INSERT INTO thing(id, size) VALUES (?, 1)", id);
  };
  const ids = (sql: Sql) =>
    sql.all<Thing>("SELECT id FROM thing ORDER BY id").map((thing) => thing.id);

  describe("rows", () => {
    it(
      "come all at once, or none",
      over((sql) => {
        expect(sql.all("SELECT * FROM thing")).toEqual([]);
        add(sql, "b", "a");
        expect(sql.all("SELECT * FROM thing ORDER BY id")).toEqual([
          { id: "a", size: 1 },
          { id: "b", size: 1 },
        ]);
      }),
    );

    it(
      "come one by one, and the loop may stop early, write, and run the same query",
      over((sql) => {
        add(sql, "a", "b", "c");
        const seen: string[] = [];
        const query = "SELECT id FROM thing WHERE id >= ? ORDER BY id";
        for (const { id } of sql.each<Thing>(query, "a")) {
          for (const inner of sql.each<Thing>(query, "b")) {
            seen.push(id + inner.id);
            break;
          }
          if (id === "b") break;
        }
        expect(seen).toEqual(["ab", "bb"]);
        add(sql, "d");
        expect([...sql.each<Thing>(query, "b")].map(({ id }) => id)).toEqual(["b", "c", "d"]);
      }),
    );

    it(
      "can be asked for by a JSON list",
      over((sql) => {
        add(sql, "a", "b", "c");
        const wanted = JSON.stringify(["c", "a", "no", 'q"']);
        const query =
          "SELECT count(*) AS n FROM thing WHERE id IN (SELECT value FROM json_each(?))";
        expect(sql.all(query, wanted)).toEqual([{ n: 2 }]);
      }),
    );
  });

  describe("run tells whether it wrote a row:", () => {
    it(
      "insert",
      over((sql) => {
        const insert = "INSERT INTO thing(id) VALUES (?) ON CONFLICT DO NOTHING";
        expect(sql.run(insert, "a")).toBe(true);
        expect(sql.run(insert, "a")).toBe(false);
        expect(sql.run(insert, "b")).toBe(true);
        expect(() => sql.run("INSERT INTO thing(id) VALUES (?)", "a")).toThrow();
        expect(ids(sql)).toEqual(["a", "b"]);
      }),
    );

    it(
      "upsert",
      over((sql) => {
        const upsert =
          "INSERT INTO thing(id, size) VALUES (?, ?) ON CONFLICT(id) DO UPDATE SET size = excluded.size";
        expect(sql.run(upsert, "a", 1)).toBe(true);
        expect(sql.run(upsert, "a", 2)).toBe(true);
        expect(sql.all("SELECT * FROM thing")).toEqual([{ id: "a", size: 2 }]);
      }),
    );

    it(
      "update",
      over((sql) => {
        add(sql, "a", "b");
        const update = "UPDATE thing SET size = ? WHERE id = ?";
        expect(sql.run(update, 2, "a")).toBe(true);
        expect(sql.run(update, 2, "a")).toBe(true);
        expect(sql.run(update, 2, "c")).toBe(false);
        expect(sql.run("UPDATE thing SET size = 3")).toBe(true);
        expect(sql.run("UPDATE thing SET size = 4 WHERE size IS coalesce(?, 3)", 4)).toBe(false);
        expect(sql.run("UPDATE thing SET size = 4 WHERE size IS coalesce(?, 3)", null)).toBe(true);
      }),
    );

    it(
      "delete",
      over((sql) => {
        add(sql, "a");
        expect(sql.run("DELETE FROM thing WHERE id = ?", "b")).toBe(false);
        expect(sql.run("DELETE FROM thing WHERE id = ?", "a")).toBe(true);
        expect(sql.run("DELETE FROM thing WHERE id = ?", "a")).toBe(false);
      }),
    );
  });

  describe("a transaction", () => {
    it(
      "gives what its work gives",
      over((sql) => {
        const result = sql.transaction(() => {
          add(sql, "a", "b");
          return ids(sql);
        });
        expect(result).toEqual(["a", "b"]);
        expect(ids(sql)).toEqual(["a", "b"]);
      }),
    );

    it(
      "leaves nothing behind when its work throws, and the next one is not disturbed",
      over((sql) => {
        add(sql, "a");
        const failing = () =>
          sql.transaction(() => {
            add(sql, "b");
            sql.run("DELETE FROM thing WHERE id = 'a'");
            throw new RangeError("no");
          });
        expect(failing).toThrow(RangeError);
        expect(ids(sql)).toEqual(["a"]);
        sql.transaction(() => add(sql, "c"));
        expect(ids(sql)).toEqual(["a", "c"]);
      }),
    );

    it(
      "is undone as a whole when one of its statements fails",
      over((sql) => {
        add(sql, "a");
        expect(() => sql.transaction(() => add(sql, "b", "a"))).toThrow();
        expect(ids(sql)).toEqual(["a"]);
      }),
    );

    it(
      "goes on after a failure that its work handled",
      over((sql) => {
        add(sql, "a");
        sql.transaction(() => {
          add(sql, "b");
          expect(() => add(sql, "a")).toThrow();
          add(sql, "c");
        });
        expect(ids(sql)).toEqual(["a", "b", "c"]);
      }),
    );
  });

  describe("values", () => {
    const keep = (sql: Sql, size: number | null) => {
      sql.run("INSERT INTO thing(id, size) VALUES ('x', ?)", size);
      return sql.all<Thing & { kind: string }>("SELECT size, typeof(size) AS kind FROM thing")[0];
    };

    for (const size of [0, -1, 2 ** 31, 2 ** 53 - 1, -(2 ** 53 - 1)]) {
      it(
        `keep the integer ${size}`,
        over((sql) => {
          expect(keep(sql, size)).toEqual({ size, kind: "integer" });
          expect(sql.all("SELECT id FROM thing WHERE size = ?", size)).toEqual([{ id: "x" }]);
        }),
      );
    }

    it(
      "keep NULL, which is no number and not equal to itself",
      over((sql) => {
        expect(keep(sql, null)).toEqual({ size: null, kind: "null" });
        expect(sql.all("SELECT max(size) AS size FROM thing WHERE id = 'no'")).toEqual([
          { size: null },
        ]);
        expect(sql.all("SELECT id FROM thing WHERE size = ?", null)).toEqual([]);
        expect(sql.all("SELECT id FROM thing WHERE size IS ?", null)).toEqual([{ id: "x" }]);
      }),
    );

    for (const [name, id] of [
      ["an empty text", ""],
      ["quotes, line ends and other alphabets", "'\"\n\r\n\t§ 漢字 é"],
      ["characters outside of the basic plane", "👩‍💻𝄞"],
      ["1.9 million characters", "a".repeat(1_900_000)],
      ["600,000 three-byte characters", "漢".repeat(600_000)],
    ] as const) {
      it(
        `keep ${name}`,
        over((sql) => {
          add(sql, id);
          expect(ids(sql)[0] === id).toBe(true);
          expect(sql.all("SELECT size FROM thing WHERE id = ?", id)).toEqual([{ size: 1 }]);
        }),
      );
    }
  });
}
