/** Something that a memory tool showed, and its place as `path#line`. */
export type Found = {
  readonly place: string;
  readonly text: string;
  /** It was said in a conversation, and begins with who said it. */
  readonly isSaid: boolean;
};

/** The hits of memory_search, without what it writes around them. */
export function foundIn(answer: string): Found[] {
  return answer.split("\n").flatMap((line) => {
    const [, place = "", shown = ""] = /^Source: (\S+#\d+): (.*)$/.exec(line) ?? [];
    const text = shown.replace(/ \(\d\.\d\d(?:, \d{4}-\d\d-\d\d)?\)$/, "").trim();
    return text === "" ? [] : [{ place, text, isSaid: place.startsWith("agents/") }];
  });
}

/** The bullets of a page of memory_get, and other lines that are no headings. */
export function linesIn(page: string, path: string): Found[] {
  return page.split("\n").flatMap((line) => {
    const [, number = "", shown = ""] = /^(\d+)\|(.*)$/.exec(line) ?? [];
    const text = shown.replace(/^\s*(?:[-*+]|\d+[.)])\s+/, "").trim();
    if (text === "" || /^#{1,6}\s/.test(text)) return [];
    return [{ place: `${path}#${number}`, text, isSaid: false }];
  });
}
