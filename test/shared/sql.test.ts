import { describe } from "vitest";
import { sqlContract } from "../contracts/sql-contract.ts";
import { nodeSql, openDatabase } from "../support/node-sql.ts";

describe("node:sqlite behind the port", () => {
  sqlContract((test) => {
    const database = openDatabase();
    test(nodeSql(database));
    database.close();
    return Promise.resolve();
  });
});
