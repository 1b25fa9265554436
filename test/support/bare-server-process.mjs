// A Worker on the runtime, by the options in the file that is named: see bare-server.ts.
import { readFileSync } from "node:fs";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

const options = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const log = new Log(LogLevel.WARN);
const server = new Miniflare(convertV4MiniflareOptions({ ...options, log }));
const url = await server.ready;
process.once("SIGTERM", () => void server.dispose().finally(() => process.exit(0)));
console.log(`Ready on ${url.origin}`);
