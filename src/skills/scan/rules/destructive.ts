import type { ScanRule } from "../rule.ts";

const DEVICE = "/dev/(?:r?disk\\d|[shv]d[a-z]|xvd[a-z]|nvme\\d|mmcblk\\d|mapper/|loop\\d)";

/** The root, a home, or a directory that a system lives in, and no more. */
const VITAL =
  "(?:/(?:etc|usr|var|bin|sbin|lib|lib64|boot|home|root|opt|System|Library|Users|Applications)?|~|\\$\\{?HOME\\}?|C:\\\\?|%SystemRoot%|%USERPROFILE%|\\$env:USERPROFILE)/?\\*?[\"']?(?=[\\s;&|)`]|$)";

const RM = "(?<![\\w.-])rm\\s{1,9}(?:-{1,2}[\\w-]{1,24}\\s{1,9}){1,6}";

/** What cannot be undone. */
export const destructive: readonly ScanRule[] = [
  {
    rule: "deletes-root",
    category: "destructive",
    verdict: "dangerous",
    why: "It deletes the whole disk, a home directory or the system.",
    words: [["rm", "rmtree", "remove-item", "rd ", "rmdir", "del ", "format "]],
    steps: [
      new RegExp(
        `(?:${RM}(?:--\\s{1,9})?["']?${VITAL}|\\brmtree\\(\\s{0,9}(?:["'](?:/|~|C:\\\\{1,2})["']|(?:os\\.path\\.expanduser\\(\\s{0,3}["']~/?["']|(?:pathlib\\.)?Path\\.home\\()\\s{0,3}\\)\\s{0,3}[,)])|\\bremove-item\\s{1,9}(?:-\\w{1,12}\\s{1,9}){0,5}["']?${VITAL}|\\b(?:rd|rmdir|del)\\s{1,9}(?:/[a-z]\\s{1,9}){1,4}["']?C:\\\\(?=["'*]|\\s|$)|(?<![\\w.-])format\\s{1,9}[a-z]:(?=\\s|$))`,
        "gim",
      ),
    ],
  },
  {
    rule: "formats-disk",
    category: "destructive",
    verdict: "dangerous",
    why: "It makes a new file system where one is.",
    words: [["mkfs", "wipefs", "shred"]],
    steps: [
      /(?<![\w.-])(?:mkfs(?:\.\w{2,8})?|wipefs|shred)\s{1,9}(?:-[\w=-]{1,24}\s{1,9}(?:[\w.]{1,16}\s{1,9})?){0,5}["']?\/dev\//g,
    ],
  },
  {
    rule: "writes-to-disk",
    category: "destructive",
    verdict: "dangerous",
    why: "It writes over a disk itself.",
    words: [["/dev/"]],
    steps: [new RegExp(`(?:>\\s{0,9}|\\bof=|\\btee\\s{1,9})["']?${DEVICE}`, "g")],
  },
  {
    rule: "fork-bomb",
    category: "destructive",
    verdict: "dangerous",
    why: "It starts itself until the machine stands still.",
    words: [["(){", "() {", "( ) {", "fork"]],
    steps: [
      /:\s{0,3}\(\s?\)\s{0,3}\{\s{0,3}:\s{0,3}\|\s{0,3}:|(?<=\b(\w{1,16})\s{0,3})\(\s?\)\s{0,3}\{\s{0,3}\1\s{0,3}\|\s{0,3}\1\s{0,3}&|\bwhile\s{0,3}\(?\s{0,3}(?:1|True|true)\s{0,3}\)?\s{0,3}:?\s{0,9}(?:os\.)?fork\(\)/g,
    ],
  },
  {
    rule: "deletes-absolute",
    category: "destructive",
    verdict: "caution",
    why: "It deletes a directory outside of where it works, with all that is in it.",
    words: [["rm"]],
    steps: [
      new RegExp(
        `${RM}(?:--\\s{1,9})?["']?(?:/(?!tmp/|var/tmp/|dev/shm/|workspace/|mnt/)\\w|~/\\.?\\w|\\$\\{?HOME\\}?/)`,
        "g",
      ),
    ],
  },
  {
    rule: "opens-permissions",
    category: "destructive",
    verdict: "caution",
    why: "It lets everyone write what belongs to the system.",
    words: [["chmod", "chown"]],
    steps: [
      /\bchmod\s{1,9}(?:-\w{1,9}\s{1,9}){0,3}(?:-R\s{1,9})?(?:0?777|a\+rwx)\s{1,9}["']?(?:\/|~|\$\{?HOME)|\bchown\s{1,9}(?:-\w{1,9}\s{1,9}){0,3}[\w:.$-]{1,40}\s{1,9}["']?\/(?=[\s"']|$)/gm,
    ],
  },
  {
    rule: "lowers-guard",
    category: "destructive",
    verdict: "caution",
    why: "It turns off what guards the machine, or takes away traces.",
    words: [
      [
        "setenforce",
        "ufw",
        "iptables",
        "defender",
        "mppreference",
        "csrutil",
        "spctl",
        "history",
        "/var/log",
        "auditctl",
      ],
    ],
    steps: [
      /\bsetenforce\s{1,9}0|\bufw\s{1,9}disable|\biptables\s{1,9}-F\b|\bSet-MpPreference\s{1,9}-Disable|\bcsrutil\s{1,9}disable|\bspctl\s{1,9}--master-disable|\bhistory\s{1,9}-c\b|>\s{0,9}["']?(?:~|\$\{?HOME\}?)?\/?\.(?:bash|zsh)_history|\brm\s{1,9}(?:-\w{1,9}\s{1,9}){0,3}["']?(?:\/var\/log\/|(?:~|\$\{?HOME\}?)\/\.(?:bash|zsh)_history)|\bauditctl\s{1,9}-e\s{0,3}0/gi,
    ],
  },
];
