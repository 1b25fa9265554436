/// <reference types="@cloudflare/vitest-plugin/types" />
import "vitest";
import type * as worker from "../support/worker.ts";

declare global {
  namespace Cloudflare {
    interface Env extends Record<string, unknown> {
      readonly SESSIONS: DurableObjectNamespace<worker.SessionObject>;
      readonly WORKSPACES: DurableObjectNamespace<worker.WorkspaceObject>;
    }
    interface GlobalProps {
      mainModule: typeof worker;
    }
  }
}

declare module "vitest" {
  interface ProvidedContext {
    /** `all`, or anything else for a few. */
    readonly crashPairs: number;
    readonly atOnce: number;
  }
}
