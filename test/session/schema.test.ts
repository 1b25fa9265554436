import { describe, expect, it } from "vitest";
import { sessionTables } from "../../src/session/schema.ts";
import type { Sql } from "../../src/shared/sql.ts";
import { nodeSql, openDatabase } from "../support/node-sql.ts";
import { emptyTables } from "./journal-fixture.ts";

const inStorage = (sql: Sql) => sql.all("SELECT name FROM sqlite_schema");

describe("the tables", () => {
  it("are made once and kept after that", () => {
    const sql = emptyTables();
    sql.run("INSERT INTO state(name, body) VALUES ('context', '{}')");
    expect(sessionTables(sql)).toBe(sql);
    expect(sql.all("SELECT name FROM state")).toEqual([{ name: "context" }]);
    expect(sql.all("SELECT step FROM schema_step")).toEqual([
      { step: 1 },
      { step: 2 },
      { step: 3 },
      { step: 4 },
    ]);
  });

  it("[S2] keep the facts that waited for a step's end before they had a table of their own", () => {
    const sql = emptyTables();
    for (const table of ["unsaid", "task", "child"]) sql.run(`DROP TABLE ${table}`);
    sql.run("DELETE FROM schema_step WHERE step > 2");
    const facts = ["DEFAULT", "EXPLORE"].map((mode) => ({ kind: "permissions", mode }));
    sql.run("INSERT INTO state(name, body) VALUES ('unsaid', ?)", JSON.stringify(facts));
    const tables = sessionTables(sql);
    const said = tables.all<{ body: string }>("SELECT body FROM unsaid ORDER BY no");
    expect(said.map(({ body }) => JSON.parse(body) as unknown)).toEqual(facts);
    expect(tables.all("SELECT name FROM state")).toEqual([]);
  });

  it("of newer code are refused, not guessed at", () => {
    const sql = emptyTables();
    sql.run("INSERT INTO schema_step(step) VALUES (99)");
    expect(() => sessionTables(sql)).toThrow("at step 99");
  });

  it("read as empty before the first write, and reading makes none", () => {
    const storage = nodeSql(openDatabase());
    const sql = sessionTables(storage);
    expect(sql.all("SELECT * FROM turn")).toEqual([]);
    expect([...sql.each("SELECT * FROM journal")]).toEqual([]);
    expect(inStorage(storage)).toEqual([]);
  });

  it.each([
    ["a statement", (sql: Sql) => sql.run("INSERT INTO state(name, body) VALUES ('a', '{}')")],
    [
      "a transaction",
      (sql: Sql) =>
        sql.transaction(() => sql.run("INSERT INTO state(name, body) VALUES ('a', '{}')")),
    ],
  ])("are made by the first write: %s", (_, write) => {
    const sql = sessionTables(nodeSql(openDatabase()));
    write(sql);
    write(sessionTables(emptyTables()));
    expect(sql.all("SELECT name FROM state")).toEqual([{ name: "a" }]);
    expect([...sql.each("SELECT name FROM state")]).toEqual([{ name: "a" }]);
  });
});
