import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("../../public/", import.meta.url));
const read = (name: string): string => readFileSync(folder + name, "utf8");
const found = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name = ""]) => name).toSorted();

describe("the page", () => {
  const html = read("index.html");
  const scripts = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".js"))
    .toSorted();

  it("names every module, so that none is found only after another was read", () => {
    const preloaded = found(html, /rel="modulepreload" href="([^"]+)"/g);
    expect(preloaded).toEqual(scripts.filter((name) => name !== "app.js"));
  });

  it("uses every style sheet that there is", () => {
    const parts = readdirSync(`${folder}style`).map((name) => `style/${name}`);
    expect(found(read("style.css"), /@import "([^"]+)"/g)).toEqual(parts.toSorted());
  });

  it("has no script, style or handler in its text, and loads nothing from elsewhere", () => {
    expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]* src=)/);
    expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
  });

  it("never makes HTML out of text", () => {
    for (const name of scripts) {
      expect(read(name)).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|new Function/,
      );
    }
  });
});
