import * as z from "zod";
import { invalid } from "../../src/shared/errors.ts";
import type { ClientTool } from "../../src/tools/tool.ts";

const Input = z.strictObject({ label: z.string().default("x") });
const Output = z.union([z.string(), z.strictObject({ city: z.string() })]);

/** `locate`: a tool that the client runs. It gives a text, or `{ city }`. */
export const clientTool: ClientTool = {
  runsOn: "client",
  name: "locate",
  description: "Test tool that the client runs.",
  effect: "read",
  inputSchema: { type: "object", properties: { label: { type: "string" } } },
  prepare(input) {
    const parsed = Input.safeParse(input ?? {});
    if (!parsed.success) throw invalid("locate takes a label and nothing else.");
    return {};
  },
  accept(output) {
    const parsed = Output.safeParse(output);
    if (!parsed.success) throw invalid("locate gives a text, or an object with a city.");
    const { data } = parsed;
    return [{ type: "text", text: typeof data === "string" ? data : JSON.stringify(data) }];
  },
};
