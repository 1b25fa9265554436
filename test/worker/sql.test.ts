import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { describe } from "vitest";
import { platformSql } from "../../durable-objects/sql.ts";
import { sessionKey } from "../../src/shared/ids.ts";
import { sqlContract } from "../contracts/sql-contract.ts";

describe("a Durable Object's SQLite behind the port", () => {
  let count = 0;
  sqlContract((test) => {
    const session = `sql-${count++}`;
    const stub = env.SESSIONS.getByName(sessionKey({ agent: "main", user: "sql", session }));
    return runInDurableObject(stub, (_, { storage }) => test(platformSql(storage)));
  });
});
