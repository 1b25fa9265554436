import { describe, expect, it } from "vitest";
import { ask, type Asked, said, unsaid } from "./asking.ts";

const suggested = (call: Asked): unknown => {
  const decision = ask(call);
  return decision.kind === "ask" ? decision.suggested : decision;
};

describe("suggested rules", () => {
  it.each<[string, string[]]>([
    ["git status -s", ["git status"]],
    ["git status; git status -s", ["git status"]],
    ["npm run build", []],
    ["npm install a", ["npm install"]],
    ["kubectl exec p -- ls", []],
    ["kubectl -n a exec p -- ls", []],
    ["kubectl get pods", ["kubectl get"]],
    ["docker run x", []],
    ["uv run x", []],
    ["go run x", []],
    ["cargo run", []],
    ["find . -name x", []],
    ["git -C a status", []],
    ["tar xf a", []],
    ["ls -la", ["ls"]],
    ["./deploy.sh now", ["./deploy.sh now"]],
    ["git status; ls", []],
    ["git status > a", []],
    ["git status $X", []],
    ["python3 a.py", []],
    ["env ls", []],
    ["bash a.sh", []],
    ["X=1 ls", []],
  ])("[A7] for %j are %j and the tool", (command, words) => {
    expect(suggested(said(command))).toEqual([
      ...words.map((one) => ({ tool: "execute", command: one })),
      { tool: "execute" },
    ]);
  });

  it.each<[unknown, unknown[]]>([
    [{ path: "notes/a/b.md" }, [{ tool: "use", path: "notes/a/**" }]],
    [{ path: "a.md" }, [{ tool: "use", path: "a.md" }]],
    [{ path: "/notes/x{1}*?/a" }, [{ tool: "use", path: String.raw`/notes/x\{1\}\*\?/**` }]],
    [{ path: "notes/a", to: "notes/b" }, [{ tool: "use", path: "notes/**" }]],
    [{ path: "notes/a", to: "b" }, []],
    [{ path: "notes/../a" }, []],
    [{ path: "" }, []],
    [{ url: "https://a.example:8443/b?c" }, [{ tool: "use", origin: "https://a.example:8443" }]],
    [{ url: "https://u@a.example/" }, []],
    [{ text: "anything" }, []],
    [null, []],
  ])("[A7] for %j are %j and the tool", (input, narrow) => {
    expect(suggested({ input })).toEqual([...narrow, { tool: "use" }]);
  });

  it("[A7] are none where they could not win", () => {
    expect(suggested({ session: { ask: [{ tool: "*" }] } })).toEqual([]);
    expect(suggested(unsaid("rm -rf /"))).toEqual([]);
    const verdict = { verdict: "ask", reason: "!", safety: true } as const;
    expect(suggested({ verdict })).toEqual([]);
  });
});
