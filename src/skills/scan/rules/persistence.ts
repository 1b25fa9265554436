import type { ScanRule } from "../rule.ts";

const STARTUP =
  "\\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zprofile|zshenv|zlogin|config/fish/config\\.fish)\\b|/etc/(?:profile|bash\\.bashrc|environment|rc\\.local)\\b";

/** What goes on when the work is over. */
export const persistence: readonly ScanRule[] = [
  {
    rule: "adds-access",
    category: "persistence",
    verdict: "dangerous",
    why: "It lets someone else into the machine, or makes someone its master.",
    words: [["authorized_keys", "sudoers", "ld.so.preload", "/etc/passwd", "/etc/shadow"]],
    steps: [
      /(?:>{1,2}|\btee\s{1,9}(?:-a\s{1,9})?)\s{0,9}["']?(?:[\w~${}./-]{0,80}\/)?(?:authorized_keys\b|etc\/(?:sudoers(?:\.d\/)?|passwd|shadow|ld\.so\.preload)\b)|(?:open|write_?text|appendFileSync|writeFileSync)\([^\n]{0,80}(?:authorized_keys|\/etc\/(?:sudoers|ld\.so\.preload))/g,
    ],
  },
  {
    rule: "scheduled-job",
    category: "persistence",
    verdict: "caution",
    why: "It has something run later, again and again.",
    words: [["cron", "schtasks", "scheduledtask", "systemd-run"]],
    steps: [
      /(?<![\w.-])crontab\s{1,9}(?!-l\b)[-\w./"'$]|\|\s{0,9}crontab\b|\/etc\/(?:cron\.(?:d|daily|hourly|weekly|monthly)|crontab|anacrontab)\b|\/var\/spool\/cron\b|\bschtasks(?:\.exe)?\s{1,9}\/create|\b(?:Register|New)-ScheduledTask|\bsystemd-run\s{1,9}[^\n]{0,40}--on-/gi,
    ],
  },
  {
    rule: "service",
    category: "persistence",
    verdict: "caution",
    why: "It has something start with the machine.",
    words: [
      [
        "systemctl",
        "/systemd/",
        "launchctl",
        "launchagents",
        "launchdaemons",
        "init.d",
        "update-rc.d",
        "new-service",
        "sc create",
        "currentversion",
      ],
    ],
    steps: [
      /\bsystemctl\s{1,9}(?:--user\s{1,9})?enable\b|\/(?:etc|lib|usr\/lib|\.config)\/systemd\/(?:system|user)\b|\blaunchctl\s{1,9}(?:load|bootstrap|submit)\b|\/Library\/Launch(?:Agents|Daemons)\b|\/etc\/init\.d\/|\bupdate-rc\.d\b|\bNew-Service\b|\bsc(?:\.exe)?\s{1,9}create\b|\\CurrentVersion\\Run(?:Once)?\b/gi,
    ],
  },
  {
    rule: "shell-startup",
    category: "persistence",
    verdict: "caution",
    why: "It writes into what every shell runs when it starts.",
    words: [["rc", "profile", ".z", "bash_", "config.fish", "/etc/environment"]],
    steps: [
      new RegExp(
        `(?:>{1,2}|\\btee\\s{1,9}(?:-a\\s{1,9})?|\\bsed\\s{1,9}-i[^\\n|;]{0,80}|(?:open|write_?text|appendFileSync|writeFileSync)\\([^\\n]{0,60})\\s{0,9}["']?(?:~|\\$\\{?HOME\\}?|/root|/home/[\\w.-]{1,32})?/?(?:${STARTUP})`,
        "g",
      ),
    ],
  },
  {
    rule: "agent-startup",
    category: "persistence",
    verdict: "caution",
    why: "It writes into what an agent reads when it starts, or into hooks that run by themselves.",
    words: [
      [
        "agents.md",
        "claude.md",
        "memory.md",
        "tools.json",
        "settings.json",
        ".git/hooks",
        "hookspath",
      ],
    ],
    steps: [
      /(?:>{1,2}|\btee\s{1,9}(?:-a\s{1,9})?)\s{0,9}["']?[\w~${}./-]{0,80}(?:AGENTS\.md|CLAUDE\.md|MEMORY\.md|tools\.json|\.claude\/settings(?:\.local)?\.json|\.git\/hooks\/)|\bcore\.hooksPath\b/g,
    ],
  },
  {
    rule: "set-user-id",
    category: "persistence",
    verdict: "caution",
    why: "It makes a program that runs with the rights of another user.",
    words: [["chmod", "setcap"]],
    steps: [
      /\bchmod\s{1,9}(?:-\w{1,9}\s{1,9}){0,3}(?:[ugo]{0,3}\+\w{0,2}s\b|[246]7[0-7]{2}\b)|\bsetcap\s{1,9}["']?cap_/g,
    ],
  },
];
