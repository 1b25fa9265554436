import {
  allOf,
  always,
  anyOf,
  type Danger,
  has,
  hasBroad,
  not,
  only,
  removesTree,
  runsFetched,
  runsSubstituted,
  says,
  some,
} from "./checks.ts";

const FOUND = /^-(?:delete|fprint0?|fprintf|fls)$|^-(?:exec|execdir|ok|okdir)$/;

const SERVICES =
  /^(?:poweroff|reboot|halt|stop|disable|mask|kill|enable|unload|load|bootout|bootstrap|isolate|restart|start)$/;

const MODES = /^(?:[0-7]?[2-7]?777|[4-7][0-7]{3}|[ugoa]*\+[rwx]*s[rwx]*|a\+rwx)$/;

const disks =
  "shred wipefs blkdiscard mkswap fdisk sfdisk gdisk sgdisk parted cryptsetup lvremove vgremove pvremove diskpart";
const logins =
  "passwd chpasswd useradd userdel usermod adduser deluser groupadd groupmod visudo chsh";
const kernel = "setcap insmod rmmod modprobe sysctl setenforce mount umount swapoff nvram csrutil";

/** What is dangerous for the machine that a command runs on. */
export const localDangers: readonly Danger[] = [
  ["rm", "deletes many files", removesTree],
  ["rimraf del-cli", "deletes many files", hasBroad],
  ["del erase rd rmdir", "deletes many files", some(/^\/s$/i)],
  ["remove-item ri", "deletes many files", some(/^-(?:r|rec|recurse)$/i)],
  ["find", "deletes or runs something for many files", some(FOUND)],
  ["fd fdfind", "deletes or runs something for many files", some(/^-[A-Za-z]*[xX]|^--exec/)],
  ["rsync", "deletes files at its target", some(/^--(?:del|delete|remove-source-files)/)],
  [disks, "destroys data on a disk", always],
  ["format", "destroys data on a disk", some(/^[a-z]:$/i)],
  ["dd", "writes over a file or a disk", some(/^of=/)],
  ["chmod", "changes who may use files", anyOf(has("R", "recursive"), some(MODES))],
  [
    "chown chgrp setfacl icacls takeown",
    "changes who owns files",
    anyOf(has("R", "recursive"), some(/^\/[tr]$/i)),
  ],
  ["sudo doas su run0 pkexec runas", "runs with the rights of another user", always],
  [logins, "changes who may log in", always],
  [kernel, "changes the system", always],
  ["iptables ip6tables nft ufw firewall-cmd", "changes what the firewall lets through", always],
  ["shutdown reboot halt poweroff telinit", "stops the machine", always],
  ["init", "stops the machine", some(/^[06s]$/i)],
  ["systemctl service launchctl rc-service", "changes what runs on the machine", some(SERVICES)],
  ["crontab", "changes what runs at set times", not(some(/^-l$/))],
  ["at schtasks", "changes what runs at set times", always],
  ["kill", "ends all processes", (given) => /^(?:-1|0|1)$/.test(given.texts.at(-1) ?? "")],
  ["killall killall5 pkill taskkill", "ends processes by their names", always],
  ["history fc", "shows what was typed before, passwords too", always],
  ["printenv", "shows variables, passwords too", always],
  ["env", "shows variables, passwords too", only(/^(?:-0|--null)$/)],
  ["export declare", "shows variables, passwords too", only(/^-[px]+$/)],
  ["set", "shows variables, passwords too", (given) => given.texts.length === 0],
  [
    "nc ncat netcat socat",
    "lets others in, or files out",
    some(/^-[a-z]*[ec]|^exec:|^system:|^--(?:exec|sh-exec)/i),
  ],
  ["eval source .", "runs what another command prints", runsSubstituted],
  [
    "sh bash dash zsh ksh fish python python3 perl ruby node",
    "runs what another command prints",
    runsFetched,
  ],
  ["alias", "gives a command another meaning", some(/^(?:sudo|ls|cd|git|rm|cp|ssh)=/)],
  [
    "git",
    "loses work, or the history of others",
    anyOf(
      allOf(
        says("push"),
        anyOf(has("f", "force"), has("d"), some(/^--force|^--(?:mirror|delete|prune)$|^\+|^:./)),
      ),
      allOf(says("reset"), some(/^--(?:hard|merge|keep)$/)),
      allOf(says("clean"), has("f", "force")),
      allOf(says("branch"), has("D")),
      allOf(says("checkout"), anyOf(has("f", "force"), some(/^(?:\.|:\/)$/))),
      allOf(says("restore"), some(/^(?:\.|:\/)$/)),
      some(/^filter-(?:branch|repo)$/),
      says("stash drop", "stash clear", "reflog expire", "reflog delete", "update-ref"),
    ),
  ],
  [
    "git",
    "changes what git runs",
    anyOf(
      allOf(
        says("config"),
        some(
          /^(?:core|alias|include|includeif|filter|credential|url|gpg|http|diff|merge|sequence|protocol|submodule|init)\./i,
        ),
      ),
      some(
        /^(?:-c)?(?:core\.(?:sshcommand|pager|editor|hookspath|fsmonitor)|(?:pager|alias|credential|difftool|mergetool|filter|gpg)\.[^=]*|diff\.(?:external|.*\.(?:command|textconv))|sequence\.editor)=/i,
      ),
      some(/^--(?:upload-pack|receive-pack|exec)\b|^--(?:global|system)$|^ext::/),
    ),
  ],
];
