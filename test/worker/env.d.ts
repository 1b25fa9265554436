/// <reference types="@cloudflare/vitest-plugin/types" />
declare namespace Cloudflare {
  interface Env extends Record<string, unknown> {
    readonly SESSIONS: DurableObjectNamespace<import("../support/worker.ts").SessionObject>;
  }
  interface GlobalProps {
    mainModule: typeof import("../support/worker.ts");
  }
}
