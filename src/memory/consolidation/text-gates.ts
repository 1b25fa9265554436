import { wordsOf } from "../../workspace/index/words.ts";
import { isTooLong } from "./document.ts";

/** A text that an entry is made of. */
export type SourceText = {
  readonly text: string;
  /** What was said there may come from outside. */
  readonly isOutside: boolean;
};

/** So much of what an entry says must have been said in its sources. */
const LEAST_SHARE = 0.2;

/** What a secret is called, and the words that give it after its name. */
const NAME = String.raw`\b(?:pass ?(?:word|wd|phrase|code)|pwd(?!\W+/)|passwort|kennwort|wachtwoord|contraseña|senha|mot de passe|(?:api|secret|access|private)[ _-]?(?:key|token)|client[ _-]?secret)\b`;
const IS = String.raw`\b(?:is|was|ist|war|lautet|es|est)\b`;

const SECRETS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /\bsk-[A-Za-z0-9_-]{16,}|\b[sr]k_(?:live|test)_\w{10,}|\bwhsec_\w{16,}/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[opsur]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bnpm_[A-Za-z0-9]{30,}/,
  /\bxox[abeprs]-[A-Za-z0-9-]{10,}|\b\d{6,12}:[\w-]{30,}/,
  /\bAIza[\w-]{30,}/,
  /\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}/,
  /\b(?:[Ss]ecret|[Tt]oken|[Kk]ey)\b\W{0,4}(?:is\b\W{0,4})?(?=\S*[A-Z])(?=\S*[a-z])(?=\S*\d)[\w/+=-]{32,}/,
  new RegExp(`${NAME}["'*\`]*\\s*(?::|=|${IS}\\s*["'\`])\\s*["'*\`]*\\S{4,}`, "i"),
  // Without quotes it is one only where it looks like one: "is kept in a safe", "is 12 characters long".
  new RegExp(
    `${NAME}\\s+${IS}\\s+(?:(?:now|still|jetzt)\\s+)?(?!\\d{4}-\\d\\d|\\d+-?(?:digit|char|letter|stellig))(?=\\S*\\d)\\S{4,}`,
    "i",
  ),
  new RegExp(
    `\\bpin(?:[ -]?(?:code|number|nummer))?\\b["'*\`]*\\s*(?::|=|${IS})\\s*["'*\`]*\\d{4,8}\\b(?!-)`,
    "i",
  ),
  /(?:密码|密碼|口令|パスワード|비밀번호)\s*(?:[:：=]\s*\S{4,}|(?:是|为|為|は|는|은)\s*[!-~]{4,})/,
];

/** Whether a text holds what looks like a password or a key. */
export const holdsSecret = (text: string): boolean => SECRETS.some((secret) => secret.test(text));

/** Ends of names of files, which look like a host before a slash. */
const FILES = "js|jsx|ts|tsx|mjs|md|css|html?|json|toml|ya?ml|txt|pdf|py|rb|go|rs|java|sql";
const DOMAINS =
  "com|org|net|edu|gov|info|biz|io|dev|app|ai|co|xyz|top|site|online|shop|club|link|click|live|cc|tv|uk|eu|de|fr|nl|ch|pl|ru|cn|jp|kr|br|ca|au|example";

/** Addresses: with a scheme, of mail, and of a host alone. */
const ADDRESS = new RegExp(
  [
    String.raw`(?<![\p{L}\p{N}])(?:[a-z][a-z\d+.-]{1,20}:\/\/|www\.)[^\s<>"'${"`"})\]]+`,
    String.raw`(?<![\w.+-])[\w.+-]{1,64}@[\p{L}\p{N}.-]*[\p{L}\p{N}]`,
    String.raw`(?<![\p{L}\p{N}@./-])(?:[\p{L}\p{N}-]{1,63}\.){1,8}(?:(?:${DOMAINS})(?![\p{L}\p{N}]|\.[\p{L}\p{N}])|(?!(?:${FILES})\/)\p{L}{2,24}(?=\/))(?:[/?#:][^\s<>"'${"`"})\]]*)?`,
  ].join("|"),
  "giu",
);

/** Ways to tell a model what to do. */
const ORDERS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|earlier|above|all|any|your|these|system)\b.{0,30}\b(?:instructions?|prompts?|rules?|messages?|guidelines?)/i,
  /\b(?:you|the (?:assistant|agent|model|ai))\b.{0,20}\b(?:must|shall|should|have to|need to|are to|will)\b.{0,10}\b(?:always|never|now|immediately|from now on)\b/i,
  /\bfrom now on,? (?:you|always|never|the (?:assistant|agent))\b/i,
  /\b(?:system|developer) (?:prompt|message|instruction)s?\b/i,
  /\b(?:run|execute|invoke|call|eval)\b.{0,20}\b(?:this|the following|these|shell|bash|commands?|scripts?|tools?|code)\b/i,
  /\b(?:curl|wget|rm -rf|sudo|powershell|chmod \+x)\b/i,
  /\b(?:send|forward|post|upload|exfiltrate|leak)\b.{0,40}\b(?:to|at)\b.{0,20}(?:https?:|www\.|@|\baddress\b)/i,
  /\bdo not (?:tell|inform|mention|reveal)\b.{0,20}\b(?:the )?(?:user|person|anyone|anybody)\b/i,
  /忽略.{0,10}(?:指令|指示|提示)|(?:你|您)必须(?:总是|始终|永远)/,
];

/** Why an entry must not say this; `null`: it may. */
export function textProblem(text: string, sources: readonly SourceText[]): string | null {
  if (!/[\p{L}\p{N}]/u.test(text)) return "it says nothing";
  if (isTooLong(text)) return "it is longer than 2,000 characters";
  if (holdsSecret(text)) return "it looks like a password or a key";
  if (isFromOutside(text, sources)) return "from outside: not taken over unasked";
  const said = new Set(sources.flatMap((source) => wordsOf(source.text)));
  if (shareOf(text, said) < LEAST_SHARE) return "its sources do not say that";
  return null;
}

/** An address or an order that nobody on the inside has said. */
function isFromOutside(text: string, sources: readonly SourceText[]): boolean {
  const inside = sources.filter(({ isOutside }) => !isOutside).map((source) => source.text);
  const isSaid = (address: string) =>
    inside.some((one) => one.toLowerCase().includes(address.toLowerCase()));
  const addresses = (text.match(ADDRESS) ?? []).map((one) => one.replace(/[.,;:!?]+$/, ""));
  if (!addresses.every(isSaid)) return true;
  return ORDERS.some((order) => order.test(text) && !inside.some((one) => order.test(one)));
}

/** How much of what `text` says is among these words, from 0 to 1; 1 where it has no words that say anything. */
export const shareOf = (text: string, words: ReadonlySet<string>): number =>
  shareIn(new Set(wordsOf(text)), words);

/** The same of words. */
export function shareIn(own: ReadonlySet<string>, words: ReadonlySet<string>): number {
  if (own.size === 0) return 1;
  let shared = 0;
  for (const word of own) if (words.has(word)) shared += 1;
  return shared / own.size;
}
