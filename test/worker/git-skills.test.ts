import { expect, it } from "vitest";
import { gitSkills } from "../../src/skills/repositories/git/git-skills.ts";
import { repositoryLimits } from "../../src/skills/repositories/repository.ts";

/** What `git http-backend` 2.39 answers, in order: a skill of three files, one of them as a delta of another. */
const answers = [
  {
    type: "application/x-git-upload-pack-advertisement",
    body:
      "MDAwZXZlcnNpb24gMgowMDE1YWdlbnQ9Z2l0LzIuMzkuNQowMDEzbHMtcmVmcz11bmJvcm4KMDAyMGZldGNoPXNoYWxsb3cgd2Fp" +
      "dC1mb3ItZG9uZQowMDEyc2VydmVyLW9wdGlvbgowMDE3b2JqZWN0LWZvcm1hdD1zaGExCjAwMTBvYmplY3QtaW5mbwowMDAw",
  },
  {
    type: "application/x-git-upload-pack-result",
    body: "MDAzMjcyY2JiZDE1MTY4OWVhZDcyMjUzZWExZDZhYTdkNWVmMTkyMTQ0ZWMgSEVBRAowMDAw",
  },
  {
    type: "application/x-git-upload-pack-result",
    body:
      "MDAzNHNoYWxsb3cgNzJjYmJkMTUxNjg5ZWFkNzIyNTNlYTFkNmFhN2Q1ZWYxOTIxNDRlYzAwMDAwMDA4TkFLCjAyNmQBUEFDSwAA" +
      "AAIAAAAJlwh4nCspSk1VSDNKMTK2NEhLTUxLMzJJTDIwsTA0NjM2NTFNMTc2NzIyNzQ2srAwseRKLC3JyC9ScFSwSXRIrUjMLchJ" +
      "1UvOz7VTMDQ3gAIFbRDJBRTNzSwpSSVKMVcFABWcJO2hAnicMzEAAoXi7MycnGIGydu5mmtTn/esO3pIVi9V7waTjZAQAMTlDAOu" +
      "AXicMzEAAoWClDSGxXu1JN4q2ysleSwKvbVStLZMkd8RAJGHCf+rBnicMzQwMDMxUQj29vTx0ctNYQi4qbzntuGR9U2XfXqN9M22" +
      "fW7SFDMxAAKFotS01KLUvOTUYoaXjywLQheIcs9WjlhuUTF5UavRsniIouLkosyCkmIGL47copeb0hf8FZQR17rBsIHF5f80ADME" +
      "KGC3HXicNdG7EQIxDEDBnCooAf2Aq+NqICcgoHyG8Tp6kXYk+/y83tfb5fwnVnKlVnplVu4rj5XnymF8M5wABSlQwQpY0AIXvOTl" +
      "3ouXvOQlL3nJS17yile82ofyile84hWveMVrXvOa1/vleM1rXvOa17zhDW94w5v9FbzhDW94c1y+P8NcgSXoA4AHeJy7ztzGYqCr" +
      "q8uVl5ibaqVQkJLGlZJanFyUWVCSmZ9npRCUmphSrBDg4qaQlpmTWqzHBVK74RojAPrDEc+jAnicMzQwMDMxUcjNL0rVy01hyGPs" +
      "Cjvawt78tunPTtudS+o+/ZI4CADXEA8logJ4nDM0MDA3NVUoKs3TK85geNDyyI5Z/67ruirjU15bWle8WLJuOQDQ9A66OHicS03O" +
      "yFc4vIcLAA7LAzAwMTkBSUi1CReG5dJupc9hBw5NiSEMhz8wMDA2AYowMDAw",
  },
];

it("[K2] a Git repository is read in workerd as it is in Node", async () => {
  const asked: string[] = [];
  const answer = await gitSkills({ url: "https://git.example/acme/skills" }).take(null, {
    fetch: async (input) => {
      const { type, body } = answers[asked.length] ?? { type: "", body: "" };
      asked.push(new Request(input).url);
      const bytes = Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
      return new Response(bytes, { headers: { "content-type": type } });
    },
    binding: () => undefined,
    limits: repositoryLimits,
    signal: new AbortController().signal,
  });
  const steps = Array.from({ length: 60 }, (_, at) => `Step ${at}\n`).join("");
  const head = "---\nname: pdf\ndescription: Reads PDF files.\n---\n";
  expect(answer).toEqual({
    revision: "72cbbd151689ead72253ea1d6aa7d5ef192144ec",
    problems: [],
    skills: [
      {
        directory: "pdf",
        files: [
          { path: "SKILL.md", content: { text: head + steps }, executable: false },
          { path: "references/more.md", content: { text: `${steps}x` }, executable: false },
          { path: "scripts/run.sh", content: { text: "echo ü\n" }, executable: true },
        ],
      },
    ],
  });
  expect(asked).toEqual([
    "https://git.example/acme/skills/info/refs?service=git-upload-pack",
    "https://git.example/acme/skills/git-upload-pack",
    "https://git.example/acme/skills/git-upload-pack",
  ]);
});
