type Origin = {
  readonly protocol: string;
  readonly hostname: string;
  /** Empty for the default one. */
  readonly port: string;
};

/** The origins that a rule is for. */
export type OriginPattern = Origin & {
  /** Any name below the host, and not the host itself. */
  readonly isBelow: boolean;
};

const ORIGIN = /^((?:https?|wss?):\/\/)(\*\.)?([^/?#@\\\s*]+)\/?$/i;

/** `https://api.example.com`, with a port if need be, or `https://*.example.com`; `null` for anything else. */
export function parseOriginPattern(text: string): OriginPattern | null {
  const [, scheme = "", below, host = ""] = ORIGIN.exec(text) ?? [];
  const url = parseUrl(scheme + host);
  return url && { ...originOf(url), isBelow: below !== undefined };
}

/** An origin that some reader may find in a text; `hostname` is `null` where it may be any. */
export type SeenOrigin = Origin | { readonly protocol: string; readonly hostname: null };

/** Whether every reader of `text` takes it for a URL of the origin. */
export function isSurelyOf(pattern: OriginPattern, text: string): boolean {
  const url = parseUrl(text);
  if (!url || !isOf(pattern, originOf(url)) || url.hostname.endsWith("..")) return false;
  return (
    /^[a-z]+:\/\/[^/\\]/i.test(text) &&
    !/[\s\p{Cc}\\]/u.test(text) &&
    !(/^[a-z]+:\/*([^/?#]*)/i.exec(text)?.[1] ?? "").includes("@")
  );
}

/** Whether the rule is for the origin. */
export function isOf(pattern: OriginPattern, origin: SeenOrigin): boolean {
  if (origin.protocol !== pattern.protocol) return false;
  if (origin.hostname === null) return true;
  if (origin.port !== pattern.port) return false;
  return pattern.isBelow
    ? origin.hostname.endsWith(`.${pattern.hostname}`)
    : origin.hostname === pattern.hostname;
}

/** What some reader of `text`, or of a word in it, may take for an origin. `isHost`: a word without a dot may be one too. */
export function originsIn(text: string, isHost: boolean): readonly SeenOrigin[] {
  // A URL has no space in it, but what reads one drops line breaks and tabs.
  const words = [...text.split(/[\s"'`()<>,;|]+/), text.replaceAll(/[\t\r\n]/g, "").trim()];
  return words.flatMap((word) => {
    const at = word.indexOf("=");
    const found = originsOf(word, isHost);
    return at < 0 ? found : [...found, ...withoutScheme(word.slice(at + 1), isHost)];
  });
}

/** The same of a word into which a shell puts something: where that may be in the host, it may be any. */
export const originsOfPattern = (word: string): readonly SeenOrigin[] =>
  [...word.matchAll(SCHEME)].flatMap(({ 0: written, 1: scheme = "", index }) => {
    const [authority = ""] = word.slice(index + written.length).split(/[/#]/, 1);
    return /[*?[{$`]/.test(authority) ? [anyOf(scheme)] : [];
  });

const SCHEME = /(https?|wss?):[\\/]*/gi;

const SCHEMES = ["https", "http", "wss", "ws"] as const;

const anyOf = (scheme: string): SeenOrigin => ({
  protocol: `${scheme.toLowerCase()}:`,
  hostname: null,
});

/** Longer hosts are read from their end a few times in one word; then they may be any. */
const MAX_HOST = 4_096;
const MAX_LONG = 8;

function originsOf(word: string, isHost: boolean): SeenOrigin[] {
  const found: SeenOrigin[] = [];
  let long = 0;
  for (const { 0: written, 1: scheme = "", index } of word.matchAll(SCHEME)) {
    const from = index + written.length;
    const isLong =
      !/[/?#\s]/.test(word.slice(from, from + MAX_HOST)) && word.length - from > MAX_HOST;
    if (isLong) long += 1;
    const hosts = isLong && long > MAX_LONG ? null : hostsAt(word, from);
    if (hosts === null) found.push(anyOf(scheme));
    else for (const host of hosts) found.push(...parseOrigin(scheme, host));
  }
  return [...found, ...withoutScheme(word, isHost)];
}

/** Without a scheme a program adds one. */
function withoutScheme(word: string, isHost: boolean): readonly SeenOrigin[] {
  if (!(isHost || /[.:]/.test(word)) || /^[a-z][a-z0-9+.-]*:[\\/]/i.test(word)) return [];
  const hosts = hostsAt(word, /[^\\/]|$/.exec(word)?.index ?? 0) ?? [];
  return [...hosts].flatMap((host) => {
    const [first] = parseOrigin("https", host);
    if (!first) return [];
    return /:\d*$/.test(host)
      ? SCHEMES.flatMap((scheme) => parseOrigin(scheme, host))
      : SCHEMES.map((scheme) => ({ ...first, protocol: `${scheme}:` }));
  });
}

/**
 * What may be the host here, with its port: programs differ about whether a backslash ends it, and about where it begins
 * before an @. `null`: it is longer than any.
 */
function hostsAt(word: string, from: number): ReadonlySet<string> | null {
  const [authority = ""] = /^[^/?#\s]*/.exec(word.slice(from)) ?? [];
  const [short = ""] = authority.split("\\", 1);
  const hosts = new Set<string>();
  for (const one of [authority, short]) {
    const host = one.slice(one.lastIndexOf("@") + 1).replace(/:0+(?=\d)/, ":");
    if (host.length > MAX_HOST) return null;
    hosts.add(host);
    // To some a backslash behind the name of a user begins the path.
    hosts.add(host.split("\\", 1)[0] ?? "");
  }
  return hosts;
}

const parseOrigin = (scheme: string, host: string): readonly Origin[] => {
  const url = host === "" ? null : parseUrl(`${scheme}://${host}`);
  return url ? [originOf(url)] : [];
};

const originOf = (url: URL): Origin => ({
  protocol: url.protocol,
  hostname: hostOf(url),
  port: url.port,
});

/** Dots at the end of a name say nothing, and an IPv4 address may be written as one of IPv6. */
function hostOf({ hostname }: URL): string {
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname) ?? [];
  if (high === undefined || low === undefined) return hostname.replace(/\.+$/, "");
  return [high, low]
    .map((half) => Number.parseInt(half, 16))
    .flatMap((half) => [half >> 8, half & 0xff])
    .join(".");
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
