import { readdirSync, readFileSync } from "node:fs";

type Process = { readonly pid: number; readonly parent: number; readonly command: string };

/** Memory in MB (resident set) of every `workerd` below the process whose command line holds `mark`, by process id. Linux only. */
export function workerdMemory(mark: string): Map<number, number> {
  const processes = listProcesses();
  const root = processes.find(({ command }) => command.includes(mark));
  const below = new Set(root ? [root.pid] : []);
  for (const { pid, parent } of processes.toSorted((a, b) => a.pid - b.pid))
    if (below.has(parent)) below.add(pid);
  const own = processes.filter(
    ({ pid, command }) => below.has(pid) && command.includes("workerd serve"),
  );
  return new Map(own.map(({ pid }) => [pid, residentMb(pid)]));
}

function listProcesses(): Process[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      return [{ pid: Number(name), parent: Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]), command }];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

const residentMb = (pid: number): number =>
  Number(/^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
