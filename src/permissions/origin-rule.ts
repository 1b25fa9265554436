/** The origins that a rule is for. */
export type OriginPattern = {
  readonly protocol: string;
  readonly hostname: string;
  /** Empty for the default one. */
  readonly port: string;
  /** Any name below the host, and not the host itself. */
  readonly isBelow: boolean;
};

const ORIGIN = /^((?:https?|wss?):\/\/)(\*\.)?([^/?#@\\\s*]+)\/?$/i;

/** `https://api.example.com`, with a port if need be, or `https://*.example.com`; `null` for anything else. */
export function parseOriginPattern(text: string): OriginPattern | null {
  const [, scheme = "", below, host = ""] = ORIGIN.exec(text) ?? [];
  const url = parseUrl(scheme + host);
  if (!url) return null;
  return {
    protocol: url.protocol,
    hostname: hostOf(url),
    port: url.port,
    isBelow: below !== undefined,
  };
}

/** Whether every reader of `text` takes it for a URL of the origin. */
export function isSurelyOf(pattern: OriginPattern, text: string): boolean {
  const url = parseUrl(text);
  if (!url || !isOf(pattern, url)) return false;
  return (
    /^[a-z]+:\/\/[^/\\]/i.test(text) &&
    !/[\s\p{Cc}\\]/u.test(text) &&
    !authorityOf(text).includes("@")
  );
}

/** Whether some reader of `text`, or of a word in it, may take it for a URL of the origin. */
export const mayBeOf = (pattern: OriginPattern, text: string): boolean =>
  wordsOf(text).some((word) => readings(word).some((url) => isOf(pattern, url)));

function isOf({ protocol, hostname, port, isBelow }: OriginPattern, url: URL): boolean {
  if (url.protocol !== protocol || url.port !== port) return false;
  const host = hostOf(url);
  return isBelow ? host.endsWith(`.${hostname}`) : host === hostname;
}

/** Longer words name no host at their end. */
const MAX_WORD = 4_096;

/** A URL has no space in it, but what reads one drops line breaks and tabs. */
const wordsOf = (text: string): string[] =>
  [...text.split(/[\s"'`()<>,;|]+/), text.replaceAll(/[\t\r\n]/g, "").trim()].flatMap((word) => {
    const cut = word.slice(0, MAX_WORD);
    const at = cut.indexOf("=");
    return at < 0 ? [cut] : [cut, cut.slice(at + 1)];
  });

function readings(word: string): URL[] {
  if (!/[.:]/.test(word)) return [];
  // Without a scheme a program adds one; behind a backslash or an @ programs differ about where the host begins.
  const bare = word.replace(/^[\\/]+/, "");
  const hasScheme = /^[a-z][a-z0-9+.-]*:[\\/]/i.test(word);
  const absolute = hasScheme ? [word] : [word, ...SCHEMES.map((scheme) => scheme + bare)];
  const all = absolute.flatMap((text) => {
    const authority = authorityOf(text);
    const at = authority.lastIndexOf("@");
    return at < 0 ? [text] : [text, text.replace(authority, () => authority.slice(at + 1))];
  });
  return all.map(parseUrl).filter((url) => url !== null);
}

const SCHEMES = ["https://", "http://", "wss://", "ws://"] as const;

const authorityOf = (text: string): string => /^[a-z]+:\/*([^/?#]*)/i.exec(text)?.[1] ?? "";

/** A name with a dot at its end is the same name. */
const hostOf = (url: URL): string => url.hostname.replace(/\.$/, "");

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
