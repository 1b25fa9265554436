import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { dayIn } from "../../src/shared/time-zone.ts";
import { outside, resetOutside } from "../support/outside.ts";
import { NativeClient } from "./native-client.ts";
import { breathe } from "./session-object.ts";

/** They are a day apart, whatever time it is. */
const [EAST, WEST] = ["Pacific/Kiritimati", "Pacific/Pago_Pago"] as const;

const settings = (method: string, timeZone?: string | null): Promise<Response> =>
  exports.default.fetch("http://localhost/v1/me/settings", {
    method,
    headers: { "x-carrel-user": "zoe", "content-type": "application/json" },
    ...(timeZone === undefined ? {} : { body: JSON.stringify({ timeZone }) }),
  });

/** The date that the newest request to the model names. */
const date = () => /Today's date: (.*)/.exec(outside().witness.requests.at(-1)?.system ?? "")?.[1];

describe("a person's time zone", () => {
  it("[C1] is a setting of the user for all sessions, and what a message tells for its own", async () => {
    resetOutside().pause = breathe;
    expect(dayIn(EAST, Date.now())).not.toBe(dayIn(WEST, Date.now()));
    expect(await (await settings("GET")).json()).toEqual({ timeZone: null });
    expect((await settings("PUT", "Mars/Olympus")).status).toBe(400);
    expect(await (await settings("PUT", EAST)).json()).toEqual({ timeZone: EAST });
    expect(await (await settings("GET")).json()).toEqual({ timeZone: EAST });

    const chat = new NativeClient("zone-1", "asking", "zoe");
    await chat.say([{ text: "one" }], "a");
    await chat.say([{ text: "two" }], "b");
    expect(date()).toMatch(/\(Pacific\/Kiritimati\)$/);
    const east = date();
    await chat.say([{ text: "three" }], "c", { timeZone: WEST });
    expect(date()).toMatch(/\(Pacific\/Pago_Pago\)$/);
    expect(date()?.slice(0, 12)).not.toBe(east?.slice(0, 12));
    await chat.say([{ text: "four" }], "d");
    expect(date()).toMatch(/\(Pacific\/Pago_Pago\)$/);
  });
});
