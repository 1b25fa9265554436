import type { Invocation } from "../shell/programs.ts";

const GETTERS = /^(?:curl|wget|aria2c|fetch|https?)$/;

const RUNNERS =
  /^(?:(?:ba|da|z|k|mk|a|fi|c|tc)?sh|pwsh|source|\.|python|pypy|perl|ruby|node|deno|bun|php|lua)[\d.]*$/;

/** Whether something is run that one of the programs before has brought. */
export function runsDownload(invocations: readonly Invocation[]): boolean {
  const brought = new Set<string>();
  for (const { name, written, arguments: words, command } of invocations) {
    if (name !== null && GETTERS.test(name)) {
      const targets = command.redirects.map(({ target }) => target);
      for (const { text } of [...words, ...targets])
        for (const file of filesOf(text)) brought.add(file);
    } else if (brought.size > 0) {
      if (written.includes("/") && brought.has(plain(written))) return true;
      const runs = name !== null && RUNNERS.test(name);
      if (runs && words.some(({ text }) => brought.has(plain(text)))) return true;
    }
  }
  return false;
}

/** What an argument may name: a file, one behind an option's letter or an `=`, or the end of a URL. */
const filesOf = (text: string): string[] => {
  const [address = ""] = text.split(/[?#]/, 1);
  return [
    ...(text.startsWith("-") ? [] : [plain(text)]),
    ...(/^-\w*[oO]./.test(text) ? [plain(text.replace(/^-\w*?[oO]/, ""))] : []),
    ...(text.includes("=") ? [plain(text.slice(text.indexOf("=") + 1))] : []),
    address.slice(address.lastIndexOf("/") + 1),
  ].filter((file) => file !== "");
};

const plain = (path: string): string => path.replace(/^(?:\.\/+)+/, "");
