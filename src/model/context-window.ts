/** Tokens of prompt and answer together, for the names that a provider's documentation gives a number for. */
type Windows = readonly (readonly [name: RegExp, tokens: number])[];

/**
 * By the name without what stands before its last slash; the first row that matches counts. Where a window can be made
 * larger on request, the one without asking. Pictures and voices are other models, of which nothing is known here.
 */
const named: Windows = [
  [/-(?:image|tts|live|audio|realtime|transcribe|search)\b/, Number.NaN],
  [/^gpt-5[\d.]*-chat/, 128_000],
  [/^gpt-5/, 400_000],
  [/^gpt-4\.1/, 1_047_576],
  [/^(?:chat)?gpt-4o|^gpt-4-turbo|^gpt-4-(?:1106|0125)|^gpt-4\.5/, 128_000],
  [/^gpt-4-32k/, 32_768],
  [/^gpt-4(?:-\d+)?$/, 8_192],
  [/^gpt-3\.5-turbo(?!-instruct)/, 16_385],
  [/^o1-(?:mini|preview)/, 128_000],
  [/^(?:o1|o3|o4-mini)(?:-|$)/, 200_000],
  [/^gpt-oss-/, 128_000],
  [/^claude-/, 200_000],
  [/^gemini-1\.5-pro/, 2_097_152],
  [/^gemini-(?:1\.5-flash|2|3)/, 1_048_576],
  [/^deepseek-(?:chat|reasoner)$/, 128_000],
  [/^grok-4/, 256_000],
];

/** Those that Workers AI runs itself: often less than the model could. */
const hosted: Windows = [
  [/llama-4-scout-17b-16e-instruct$/, 131_000],
  [/llama-3\.3-70b-instruct-fp8-fast$/, 24_000],
  [/llama-3\.1-8b-instruct-fast$/, 60_000],
  [/llama-3\.1-8b-instruct-fp8$/, 32_000],
  [/llama-3\.1-8b-instruct$/, 7_968],
  [/llama-3\.2-1b-instruct$/, 60_000],
  [/llama-3\.2-3b-instruct$/, 80_000],
  [/gpt-oss-(?:20b|120b)$/, 128_000],
  [/qwen3-30b-a3b-fp8$/, 32_768],
  [/qwen2\.5-coder-32b-instruct$/, 32_768],
  [/qwq-32b$/, 24_000],
  [/deepseek-r1-distill-qwen-32b$/, 80_000],
  [/mistral-small-3\.1-24b-instruct$/, 128_000],
  [/gemma-3-12b-it$/, 80_000],
  [/granite-4\.0-h-micro$/, 131_000],
];

/**
 * How many tokens a model of this name takes, prompt and answer together; `undefined` where that is not known. `name` is
 * as the provider knows it, also with a vendor before a slash; of Workers AI with `@cf/`.
 */
export function knownWindow(name: string): number | undefined {
  const lower = name.toLowerCase();
  const isHosted = lower.startsWith("@");
  const bare = lower.slice(lower.lastIndexOf("/") + 1);
  const found = (isHosted ? hosted : named).find(([pattern]) => pattern.test(bare))?.[1];
  return Number.isNaN(found) ? undefined : found;
}

const LEAST = 1_000;
const MOST = 100_000_000;

/**
 * The window that an operator has set, as text; `undefined` when it is blank. `null`: it is no whole number of tokens
 * from 1,000 to 100,000,000.
 */
export function givenWindow(text: string | undefined): number | null | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const tokens = /^\s*\d{4,9}\s*$/.test(text) ? Number(text) : 0;
  return tokens >= LEAST && tokens <= MOST ? tokens : null;
}
