const SCHEMES = new Set(["http:", "https:", "mailto:"]);

/**
 * The address a link may go to, as the browser itself reads it, or `null`: only absolute http, https and
 * mailto addresses without a user name in them (`https://bank.example@evil.example` reads as the wrong host).
 * @param {string} raw
 */
export function safeHref(raw) {
  const url = URL.canParse(raw) ? new URL(raw) : null;
  if (!url || !SCHEMES.has(url.protocol) || url.username !== "" || url.password !== "") return null;
  return url.href;
}

/** CommonMark's limit: deeper parentheses are no address, so reading one never costs more than a few lines. */
const MAX_PARENTHESES = 32;

/**
 * What follows a link's text: `(address)`, `(<address>)`, each with an optional title, which is dropped.
 * @param {string} text
 * @param {number} at Index of the opening parenthesis.
 * @returns {{ address: string, end: number } | null} `end` is the index after the closing parenthesis.
 */
export function readTarget(text, at) {
  const start = skipSpace(text, at + 1);
  const address = text[start] === "<" ? readPointed(text, start) : readBare(text, start);
  if (!address) return null;
  const end = skipTitle(text, address.end);
  if (text[end] !== ")") return null;
  return {
    address: text.slice(address.from, address.to).replaceAll(/\\([!-/:-@[-`{-~])/g, "$1"),
    end: end + 1,
  };
}

/**
 * @param {string} text
 * @param {number} start
 */
function readPointed(text, start) {
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at];
    if (char === ">") return { from: start + 1, to: at, end: at + 1 };
    if (char === "\n" || char === "<") return null;
    if (char === "\\") at++;
  }
  return null;
}

/**
 * @param {string} text
 * @param {number} start
 */
function readBare(text, start) {
  let depth = 0;
  let at = start;
  for (; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char <= " ") break;
    if (char === "\\") at++;
    else if (char === "(" && ++depth > MAX_PARENTHESES) return null;
    else if (char === ")" && --depth < 0) break;
  }
  return { from: start, to: at, end: at };
}

/**
 * @param {string} text
 * @param {number} at
 */
function skipTitle(text, at) {
  const start = skipSpace(text, at);
  const quote = text[start];
  if (start === at || (quote !== '"' && quote !== "'")) return start;
  for (let end = start + 1; end < text.length; end++) {
    if (text[end] === quote) return skipSpace(text, end + 1);
    if (text[end] === "\\") end++;
  }
  return start;
}

/**
 * @param {string} text
 * @param {number} at
 */
function skipSpace(text, at) {
  let end = at;
  while (text[end] === " " || text[end] === "\n") end++;
  return end;
}
