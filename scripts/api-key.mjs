// `npm run key -- alice [user|admin]`: makes an API key. Only its hash is kept, so it is shown once.
import { createHash, randomBytes } from "node:crypto";

const [user = "", role = "user", ...rest] = process.argv.slice(2);

if (
  !/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(user) ||
  !["user", "admin"].includes(role) ||
  rest.length > 0
) {
  console.error(`Usage: npm run key -- USER [user|admin]
USER is 1 to 128 letters, digits, dots, hyphens and underscores, and starts with a letter or digit.`);
  process.exit(1);
}

const key = `ck_${randomBytes(32).toString("base64url")}`;
const hash = createHash("sha256").update(key).digest("hex");

console.log(`The key of ${user} (${role}). It cannot be shown again:

${key}

Its entry for the JSON list in CARREL_API_KEYS (.dev.vars here, "wrangler secret put CARREL_API_KEYS" in production):

${JSON.stringify({ hash, user, role })}`);
