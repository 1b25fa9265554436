import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CarrelError } from "../../src/shared/errors.ts";
import { compareCursors, formatCursor, parseCursor } from "../../src/shared/events.ts";
import {
  parseId,
  parseKey,
  parseSessionKey,
  replyId,
  sessionAddress,
  sessionKey,
  turnOfMessage,
} from "../../src/shared/ids.ts";

const often = { numRuns: 1_000 };
const invalid = expect.objectContaining<Partial<CarrelError>>({ code: "invalid" });

/** Ids that are made to be mistaken for one another, or for the words between them. */
const id = fc.oneof(
  fc.constantFrom(
    "a",
    "A",
    "a.",
    "a-b",
    "users",
    "sessions",
    "agents",
    "v1",
    "skills",
    "shared",
    "0",
  ),
  fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/),
);
const address = fc
  .tuple(id, id, id)
  .map(([agent, user, session]) => sessionAddress(agent, user, session));

const badIds = " |a b|a/b|../a|.|..|.a|-a|_a|a\n|a\u0000|a%2fb|a:b|a@b|é|漢|a\u200b|a\u202e|😀|"
  .split("|")
  .concat("a".repeat(129));

describe("ids", () => {
  it.each(["a", "0", "A.b_c-d", "skills", "agents", "__proto__".slice(2), "a".repeat(128)])(
    "[I2] are taken as they are: %s",
    (raw) => expect(parseId("The id", raw)).toBe(raw),
  );

  it.each(badIds)("[I2] are refused, never repaired: %j", (raw) => {
    expect(() => parseId("The id", raw)).toThrow(invalid);
    expect(() => sessionAddress(raw, "u", "s")).toThrow(invalid);
    expect(() => sessionAddress("a", raw, "s")).toThrow(invalid);
    expect(() => sessionAddress("a", "u", raw)).toThrow(invalid);
  });

  it("[I2] of any text are taken whole or refused", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (raw) => {
        try {
          expect(parseId("The id", raw)).toBe(raw);
          expect(raw).toMatch(/^[A-Za-z0-9]/);
        } catch (error) {
          expect(error).toMatchObject({ code: "invalid" });
        }
      }),
      often,
    );
  });
});

describe("the key of a session", () => {
  it("[I2, I3] is another one for each agent, user and session, and no key begins another", () => {
    fc.assert(
      fc.property(address, address, (one, other) => {
        const [a, b] = [sessionKey(one), sessionKey(other)];
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(a === b).toBe(isSame);
        expect(a.startsWith(b)).toBe(isSame);
      }),
      often,
    );
  });

  it("[I2] gives its address back, and nothing else does", () => {
    fc.assert(
      fc.property(address, (one) => {
        expect(parseSessionKey(sessionKey(one))).toEqual(one);
      }),
      often,
    );
    const bad = [
      undefined,
      "",
      "v1/agents/a/users/b/sessions/c",
      "v1/agents/a/users/b/sessions/c/d/",
      "v1/agents//users/b/sessions/c/",
      "x/v1/agents/a/users/b/sessions/c/",
      "v1/agents/../users/b/sessions/c/",
    ];
    for (const key of bad) expect(() => parseSessionKey(key), key).toThrow();
  });
});

describe("an idempotency key", () => {
  it.each(["a", "0f8fad5b-d9cb-469f-a165-70867728950e", "!~/\\?&=%", "k".repeat(128)])(
    "is taken: %s",
    (raw) => expect(parseKey(raw)).toBe(raw),
  );

  it.each(["", " ", "a b", "a\n", "é", "\u007f", "k".repeat(129)])("is refused: %j", (raw) =>
    expect(() => parseKey(raw)).toThrow(invalid),
  );
});

describe("the id of an answer", () => {
  it("leads back to its turn, as the turn's own id does", () => {
    const key = fc.stringMatching(/^[\x21-\x7e]{1,20}$/).filter((raw) => !raw.endsWith(".reply"));
    fc.assert(
      fc.property(key, (turn) => {
        expect(turnOfMessage(replyId(turn))).toBe(turn);
        expect(turnOfMessage(turn)).toBe(turn);
      }),
      often,
    );
  });
});

describe("a cursor", () => {
  const cursor = fc.record({ seq: fc.nat(), offset: fc.nat() });

  it("[S1] is read as it was written, and ordered by seq, then offset", () => {
    fc.assert(
      fc.property(cursor, cursor, (one, other) => {
        expect(parseCursor(formatCursor(one))).toEqual(one);
        const order = one.seq - other.seq || one.offset - other.offset;
        expect(Math.sign(compareCursors(one, other))).toBe(Math.sign(order));
      }),
      often,
    );
  });

  it.each([
    "",
    "1",
    "1.",
    ".1",
    "1.2.3",
    "-1.0",
    "1.-1",
    "1e3.0",
    " 1.0",
    "1.0 ",
    "１.0",
    "1.0000000000000000",
  ])("is nothing else: %j", (text) => expect(parseCursor(text)).toBeNull());
});
