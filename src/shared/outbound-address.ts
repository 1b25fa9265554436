import { CarrelError } from "./errors.ts";

/** Names that never lead to a public server, by their last labels. Single labels and IP literals are refused without a list. */
const privateSuffixes: readonly string[] = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "lan",
  "home",
  "corp",
  "private",
  "svc",
  "arpa",
  "test",
  "invalid",
  "onion",
  // Cloud metadata.
  "metadata.goog",
  // Public names whose answer is the address written in the name, or loopback.
  "nip.io",
  "sslip.io",
  "xip.io",
  "localtest.me",
  "lvh.me",
];

/**
 * Why a request must not go to `url`, or nothing when it may: the scheme is http or https, the URL holds no
 * user name or password, and, unless `isTrusted`, it is https on port 443 of a public host name. The URL
 * parser has already folded every spelling of an IP address (decimal, hex, octal, short, percent-encoded,
 * full-width) into one, so all of them are seen here. What a public name resolves to is not seen: Workers
 * cannot look it up, and their network reaches no private address.
 */
export function refusal(url: URL, isTrusted: boolean): CarrelError | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return refuse(url, "only https addresses can be reached");
  }
  if (url.username !== "" || url.password !== "") {
    return refuse(url, "a user name or password in an address is not allowed; send it as a header");
  }
  if (isTrusted) return undefined;
  if (url.protocol !== "https:") return refuse(url, "only https addresses can be reached");
  if (url.port !== "") return refuse(url, "only port 443 can be reached");
  if (!isPublicName(url.hostname))
    return refuse(url, "only public host names can be reached, no IP or internal address");
  return undefined;
}

/** The parser writes IPv4 with digits and dots only, and IPv6 without a dot. */
function isPublicName(hostname: string): boolean {
  const name = hostname.replace(/\.+$/, "");
  if (!name.includes(".") || /^[\d.]+$/.test(name)) return false;
  return !privateSuffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
}

/** Names the host only: a path or query may hold a secret. */
function refuse(url: URL, why: string): CarrelError {
  const where = url.host === "" ? url.protocol : url.host.slice(0, 100);
  return new CarrelError("forbidden", `The request to ${where} was refused: ${why}.`);
}
