import type { ScanRule } from "../rule.ts";

/** Connections that give someone else a shell, or fetch from where nobody can tell. */
export const network: readonly ScanRule[] = [
  {
    rule: "shell-connection",
    category: "network",
    verdict: "dangerous",
    why: "It opens a network connection out of the shell itself: so a shell is given to someone else.",
    words: [["/dev/tcp", "/dev/udp"]],
    steps: [/\/dev\/(?:tcp|udp)\//g],
  },
  {
    rule: "netcat-runs-program",
    category: "network",
    verdict: "dangerous",
    why: "It ties a program to a network connection.",
    words: [["nc", "netcat", "socat"]],
    steps: [
      /(?<![\w.-])(?:nc|ncat|netcat)(?:\.(?:exe|traditional|openbsd))?\s{1,9}(?:[\w.:$-]{1,64}\s{1,9}){0,6}(?:-\w{0,8}[ec]\s{1,9}["']?(?:\/|\w{0,4}sh\b|cmd)|--(?:sh-)?exec\b)|\bsocat\b(?=[^\n]{0,200}\b(?:EXEC|SYSTEM):)/gi,
    ],
  },
  {
    rule: "reverse-shell",
    category: "network",
    verdict: "dangerous",
    why: "It gives someone else a shell over the network.",
    words: [["dup2", "pty.spawn", "mkfifo", "tcpclient", "-i"]],
    steps: [
      /\bos\.dup2\(\s{0,3}\w{1,16}\.fileno\(\)|\bpty\.spawn\(\s{0,3}\[?["'](?:\/bin\/|\w{0,4}sh)|\bmkfifo\b(?=[^\n]{0,200}\|\s{0,9}(?:nc|ncat|netcat|openssl)\b)|\bTCPClient\((?=[^\n]{0,200}\bGetStream\b)|(?<![\w.-])(?:ba|z|k)?sh\s{1,9}-i\s{0,9}(?:>&|&>|<&|[012]>&)/gi,
    ],
  },
  {
    rule: "mining",
    category: "network",
    verdict: "dangerous",
    why: "It mines for coins.",
    words: [["xmrig", "stratum+"]],
    steps: [/\bxmrig\b|\bstratum\+(?:tcp|ssl):\/\//gi],
  },
  {
    rule: "listens",
    category: "network",
    verdict: "caution",
    why: "It waits for connections from the network.",
    words: [["nc", "netcat", "socat"]],
    steps: [
      /(?<![\w.-])(?:nc|ncat|netcat)\s{1,9}(?:-\w{1,9}\s{1,9}){0,3}-\w{0,8}l|\bsocat\s{1,9}[^\n]{0,40}\b(?:TCP|UDP)\d?-LISTEN:/gi,
    ],
  },
  {
    rule: "address-without-name",
    category: "network",
    verdict: "caution",
    why: "It names a server on the internet by its number.",
    words: [["http"]],
    steps: [
      /\bhttps?:\/\/(?!(?:0|10|127|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01])|198\.51\.100|203\.0\.113|192\.0\.2)\.)\d{1,3}(?:\.\d{1,3}){3}(?![\w.])/g,
    ],
  },
  {
    rule: "package-from-elsewhere",
    category: "network",
    verdict: "caution",
    why: "It installs a package from another place than the public registry.",
    words: [["pip", "npm", "uv ", "yarn", "pnpm", "npx"]],
    steps: [
      /\b(?:pip3?|uv\s{1,9}pip)\s{1,9}install\b|\b(?:npm|pnpm|yarn)\s{1,9}(?:install|i|add)\b|\bnpx\b/g,
      /\s(?:git\+)?https?:\/\/|\sgit\+ssh:\/\/|--(?:extra-)?index-url\b|--registry\b/g,
    ],
    within: 160,
  },
];
