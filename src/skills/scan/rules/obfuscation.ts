import { INTERPRETER, type ScanRule, SHELL } from "../rule.ts";

const DECODES =
  /(?<![\w.-])base(?:64|32)\s{1,9}(?:-\w{1,4}\s{1,9}){0,2}(?:-\w{0,3}[dD]\b|--decode\b)|\bopenssl\s{1,9}(?:enc\s{1,9}|base64\s{1,9})(?:-\w{1,12}\s{1,9}){0,6}-d\b|\bxxd\s{1,9}(?:-\w{1,3}\s{1,9}){0,3}-r\b|\buudecode\b|\bfrombase64string\b/gi;

/** A download that is given an address. */
const FETCHES =
  /(?<![\w.-])(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod)(?:\.exe)?\s{1,9}[^|\s]|\bDownloadString\s{0,3}\(/gi;

const PIPED = new RegExp(`\\|\\s{0,9}(?:xargs\\s{1,9})?${INTERPRETER}`, "gi");

/** A shell that runs what another command prints. */
const RUNS = new RegExp(
  `(?<![\\w.-])(?:eval|source|\\.)\\s{1,9}["']?(?:\\$\\(|<\\(|\`)|(?<![\\w.-])${SHELL}\\s{1,9}(?:<\\(|<{3}\\s{0,3}["']?\\$\\(|-\\w{0,3}c\\s{1,9}["']?(?:\\$\\(|\`))|(?<![\\w.-])(?:python[\\d.]{0,5}|perl|ruby|node|php)\\s{1,9}(?:<\\(|-\\w{0,2}[cer]\\s{1,9}["']?(?:\\$\\(|\`))|\\b(?:iex|invoke-expression)\\s{0,9}[\\s("'&$]`,
  "gi",
);

const TOOLS: readonly string[] = ["base64", "base32", "openssl", "xxd", "uudecode"];
const LOADERS: readonly string[] = [
  "curl",
  "wget",
  "fetch",
  "iwr",
  "irm",
  "invoke-",
  "downloadstring",
];

const RUNNERS: readonly string[] = ["$(", "<(", "`", "iex", "invoke-expression"];

/** Code that nobody has read, or that is not to be read. */
export const obfuscation: readonly ScanRule[] = [
  {
    rule: "decoded-to-shell",
    category: "obfuscation",
    verdict: "dangerous",
    why: "It decodes something and runs it.",
    words: [TOOLS],
    steps: [DECODES, PIPED],
  },
  {
    rule: "runs-decoded",
    category: "obfuscation",
    verdict: "dangerous",
    why: "It runs what it decodes.",
    words: [[...TOOLS, "frombase64string"], RUNNERS],
    steps: [RUNS, DECODES],
  },
  {
    rule: "download-to-shell",
    category: "obfuscation",
    verdict: "dangerous",
    why: "It runs what it downloads, unseen.",
    words: [LOADERS, ["|"]],
    steps: [FETCHES, PIPED],
  },
  {
    rule: "runs-download",
    category: "obfuscation",
    verdict: "dangerous",
    why: "It runs what it downloads, unseen.",
    words: [LOADERS, RUNNERS],
    steps: [RUNS, FETCHES],
    within: 120,
  },
  {
    rule: "program-runs-data",
    category: "obfuscation",
    verdict: "dangerous",
    why: "A program runs data that it decodes or downloads.",
    words: [["exec", "eval", "function(", "pickle", "marshal", "-enc", "-e "]],
    steps: [
      /\b(?:exec|eval)\(\s{0,9}(?:compile\(\s{0,9})?(?:__import__\(\s{0,3}["'][\w.]{1,20}["']\s{0,3}\)\.|[\w.]{1,40}\.)?(?:b(?:64|32|85|16)decode|decompress|fromhex|unhexlify|loads|atob|urlopen|(?:requests|httpx)\.get)\(|\b(?:exec|eval)\(\s{0,9}(?:requests|httpx)\.get\(|\beval\(\s{0,9}Buffer\.from\(|\b(?:new\s{1,3})?Function\(\s{0,9}(?:atob|Buffer\.from)\(|\b(?:pickle|marshal)\.loads\(\s{0,9}(?:base64|requests|httpx|urllib|zlib)|\bpowershell(?:\.exe)?\s{1,9}(?:-\w{1,16}\s{1,9}(?:\w{1,16}\s{1,9})?){0,6}-e(?:nc?|ncodedcommand)?\s{1,9}["']?[A-Za-z0-9+/=]{24}/gi,
    ],
  },
  {
    rule: "pipe-to-shell",
    category: "obfuscation",
    verdict: "caution",
    why: "It runs what another command prints.",
    words: [["sh"], ["|"]],
    steps: [new RegExp(`[^|\\s]\\s{0,9}\\|\\s{0,9}${SHELL}(?![|}\\]>]|\\s{1,9}\\|)`, "g")],
  },
  {
    rule: "downloaded-program",
    category: "obfuscation",
    verdict: "caution",
    why: "It downloads a file and makes a program of it.",
    words: [["chmod"], LOADERS],
    steps: [FETCHES, /\bchmod\s{1,9}(?:\+x|[ugoa]{1,4}\+\w{0,2}x|0?7[0-7]{2})\b/g],
    within: 400,
    across: true,
  },
  {
    rule: "spelled-in-numbers",
    category: "obfuscation",
    verdict: "caution",
    why: "It has text written as numbers, so that it cannot be read.",
    words: [["\\x", "\\u00", "chr(", "fromcharcode"]],
    steps: [
      /(?:\\x[0-9a-fA-F]{2}){24}|(?:\\u00[0-9a-fA-F]{2}){24}|(?:\bchr\(\s{0,2}\d{1,3}\s{0,2}\)\s{0,2}[+.,]?\s{0,2}){6}|\bfromCharCode\(\s{0,3}(?:(?:0x)?[\da-fA-F]{1,4}\s{0,2},\s{0,2}){9}/gi,
    ],
  },
  {
    rule: "hidden-call",
    category: "obfuscation",
    verdict: "caution",
    why: "It calls what runs programs by a way that hides it.",
    words: [["__import__", "getattr("]],
    steps: [
      /__import__\(\s{0,3}["'](?:os|subprocess|socket|ctypes|pty)["']\s{0,3}\)|\bgetattr\(\s{0,3}(?:os|subprocess|builtins|__builtins__)\s{0,3},\s{0,3}["'](?:system|popen|exec|eval|run|call)/g,
    ],
  },
];
