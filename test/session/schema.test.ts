import { describe, expect, it } from "vitest";
import { migrateSession } from "../../src/session/schema.ts";
import { emptyTables } from "./journal-fixture.ts";

describe("the tables", () => {
  it("are made once and kept after that", () => {
    const sql = emptyTables();
    sql.run("INSERT INTO state(name, body) VALUES ('context', '{}')");
    migrateSession(sql);
    expect(sql.all("SELECT name FROM state")).toEqual([{ name: "context" }]);
    expect(sql.all("SELECT step FROM schema_step")).toEqual([{ step: 1 }]);
  });

  it("of newer code are refused, not guessed at", () => {
    const sql = emptyTables();
    sql.run("INSERT INTO schema_step(step) VALUES (99)");
    expect(() => migrateSession(sql)).toThrow("at step 99");
  });
});
