import type { ScanRule } from "../rule.ts";

const SECRET =
  /(?<![\w/])(?:(?:~|\$\{?HOME\}?|\/root|\/home\/[\w.-]{1,32}|%USERPROFILE%)?[\\/])?\.(?:ssh[\\/](?!(?:config|known_hosts|authorized_keys|id_\w{1,9}\.pub)\b)|aws[\\/]credentials|netrc\b|pypirc\b|git-credentials|docker[\\/]config\.json|kube[\\/]config|gnupg[\\/]|config[\\/]gcloud)|\bid_(?:rsa|ed25519|ecdsa|dsa)\b(?!\.pub)|\/etc\/(?:shadow|passwd|sudoers)\b|\/proc\/(?:self|\d{1,7})\/environ|\bsecurity\s{1,9}find-(?:generic|internet)-password|\blogin\.keychain|\bwallet\.dat\b/gi;

const ENVIRONMENT =
  /\$\(\s{0,3}(?:env|printenv)\s{0,3}[|)]|`(?:env|printenv)\b|(?<![\w/.-])(?:env|printenv)\s{0,3}\||JSON\.stringify\(\s{0,9}process\.env\s{0,9}[,)]|(?:dict|str|dumps|repr|urlencode)\(\s{0,9}(?:dict\(\s{0,9})?os\.environ\s{0,9}[,)]|os\.environ\.(?:items|copy)\(\)|(?:json|data)\s{0,3}=\s{0,3}(?:dict\(\s{0,3})?os\.environ\b(?!\s{0,3}[.[])/g;

const EITHER = new RegExp(
  `${SECRET.source}|${ENVIRONMENT.source}|(?:@|<\\s?|cat\\s)\\.env\\b`,
  "gi",
);

const SENDER =
  /(?<![\w.-])(?:curl|wget|nc|ncat|netcat|scp|rsync|sftp|ftp|telnet|invoke-webrequest|invoke-restmethod|iwr|irm)(?![\w-])|\b(?:requests|httpx|session|axios)\.(?:post|put|patch|get|request)\b|\burlopen\b|\bhttp\.client\b|\bfetch\(|\bsendBeacon\b|\bsendall\(/gi;

const SENDERS: readonly string[] = [
  "curl",
  "wget",
  "nc ",
  "ncat",
  "netcat",
  "scp",
  "rsync",
  "ftp",
  "telnet",
  "invoke-",
  "iwr",
  "irm",
  "requests.",
  "httpx.",
  "session.",
  "axios.",
  "urlopen",
  "http.client",
  "fetch(",
  "sendbeacon",
  "sendall(",
];

const SECRETS: readonly string[] = [
  ".ssh",
  ".aws",
  ".netrc",
  ".pypirc",
  "git-credentials",
  ".docker",
  ".kube",
  ".gnupg",
  "gcloud",
  "id_rsa",
  "id_ed25519",
  "id_ecdsa",
  "id_dsa",
  "/etc/shadow",
  "/etc/passwd",
  "/etc/sudoers",
  "/environ",
  "find-generic",
  "find-internet",
  "keychain",
  "wallet.dat",
];

const ALL: readonly string[] = [
  ...SECRETS,
  "(env",
  "( env",
  "`env",
  "env |",
  "env|",
  "printenv",
  "process.env",
  "os.environ",
  ".env",
];

/** Data that leaves the machine, and secrets that are read. */
export const exfiltration: readonly ScanRule[] = [
  {
    rule: "secret-sent",
    category: "exfiltration",
    verdict: "dangerous",
    why: "It sends a secret, or all variables of the environment, to a server.",
    words: [ALL, SENDERS],
    steps: [SENDER, EITHER],
  },
  {
    rule: "secret-piped",
    category: "exfiltration",
    verdict: "dangerous",
    why: "It reads a secret, or all variables of the environment, and sends it to a server.",
    words: [ALL, SENDERS],
    steps: [EITHER, SENDER],
  },
  {
    rule: "secret-sent-by-program",
    category: "exfiltration",
    verdict: "dangerous",
    why: "A program reads a secret, or all variables of the environment, and sends something to a server soon after.",
    words: [ALL, SENDERS],
    steps: [EITHER, SENDER],
    within: 800,
    across: true,
    onlyPrograms: true,
  },
  {
    rule: "secret-asked-for",
    category: "exfiltration",
    verdict: "dangerous",
    why: "It asks to send a secret to an address.",
    words: [SECRETS, ["http", "webhook", "@"]],
    steps: [
      /\b(?:send|post|upload|transmit|exfiltrate|forward|e-?mail|append|attach|submit|encode)\b/gi,
      SECRET,
      /https?:\/\/|\bwebhook\b|[\w.-]{1,64}@[\w-]{1,64}\.\w/gi,
    ],
    within: 160,
  },
  {
    rule: "piped-to-netcat",
    category: "exfiltration",
    verdict: "dangerous",
    why: "It pipes data to a raw network connection.",
    words: [["nc", "netcat"]],
    steps: [
      /[^|\n]\|\s{0,9}(?:nc|ncat|netcat)\s{1,9}(?:-\w{1,9}\s{1,9}){0,5}[\w.$"'{[-]{1,80}\s{1,9}[\d$"{]/g,
    ],
  },
  {
    rule: "data-in-name-lookup",
    category: "exfiltration",
    verdict: "dangerous",
    why: "It puts the output of a command into the name that it looks up: so data leaves past a firewall.",
    words: [["dig", "nslookup", "host", "ping"]],
    steps: [
      /(?<![\w.-])(?:dig|nslookup|host|ping)\s{1,9}(?:[-+]\w{1,9}\s{1,9}){0,5}["']?[\w.-]{0,40}(?:\$\(|`)[^\n]{0,80}?[)`]["']?\.[\w-]{1,60}\.[a-z]/g,
    ],
  },
  {
    rule: "upload-by-curl",
    category: "exfiltration",
    verdict: "caution",
    why: "It sends data or a file to a server.",
    words: [["curl"]],
    steps: [
      /(?<![\w.-])curl(?:\.exe)?(?=\s)/g,
      /\s(?:-[a-zA-Z]{0,5}[dFT](?=[\s'"@$={]|\w)|--(?:data(?:-binary|-raw|-urlencode|-ascii)?|form(?:-string)?|json|upload-file)\b)/g,
    ],
    within: 600,
  },
  {
    rule: "upload-by-wget",
    category: "exfiltration",
    verdict: "caution",
    why: "It sends data or a file to a server.",
    words: [["--post-data", "--post-file", "--body-data", "--body-file"]],
    steps: [/\bwget\b/g, /--(?:post|body)-(?:data|file)\b/g],
  },
  {
    rule: "collecting-address",
    category: "exfiltration",
    verdict: "caution",
    why: "It names a service that takes data from anyone.",
    words: [
      [
        "webhook.site",
        "requestbin",
        "pipedream.net",
        "ngrok",
        "burpcollaborator",
        "interact.sh",
        "oast.",
        "/api/webhooks",
        "api.telegram.org",
        "transfer.sh",
        "pastebin.com",
        "0x0.st",
      ],
    ],
    steps: [
      /\bwebhook\.site\b|\brequestbin\.|\bpipedream\.net\b|\bngrok(?:-free)?\.(?:io|app|dev)\b|\bburpcollaborator\.net\b|\binteract\.sh\b|\boast\.(?:pro|fun|live|me|online|site)\b|\bdiscord(?:app)?\.com\/api\/webhooks\b|\bapi\.telegram\.org\/bot|\btransfer\.sh\b|\bpastebin\.com\/(?:api|raw)\b|\b0x0\.st\b/gi,
    ],
  },
  {
    rule: "secret-read",
    category: "exfiltration",
    verdict: "caution",
    why: "It names a file that holds secrets.",
    words: [SECRETS],
    steps: [SECRET],
  },
  {
    rule: "cloud-metadata",
    category: "exfiltration",
    verdict: "caution",
    why: "It names the address at which a cloud machine gets its own credentials.",
    words: [["169.254.169.254", "metadata.google.internal", "fd00:ec2::254"]],
    steps: [/169\.254\.169\.254|metadata\.google\.internal|fd00:ec2::254/g],
  },
];
