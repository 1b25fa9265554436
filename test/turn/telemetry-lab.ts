import type { Capability } from "../../src/turn/capability.ts";
import { createTelemetry, type TelemetryOptions } from "../../src/turn/spans/telemetry.ts";
import { SessionLab, type LabOptions } from "./session-lab.ts";

export type Line = Readonly<Record<string, unknown>>;

export const defaults: TelemetryOptions = {
  agent: "Carrel",
  model: "openai:gpt-5.1",
  payloads: false,
};

type TracedOptions = LabOptions & {
  readonly telemetry?: Partial<TelemetryOptions>;
  /** In the place of its own. */
  readonly shared?: Capability;
};

/** A session whose spans are written down, as the log would show them. */
export class TracedLab extends SessionLab {
  readonly lines: Line[];

  constructor(options: TracedOptions = {}) {
    const lines: Line[] = [];
    const { telemetry, shared, ...rest } = options;
    const own = createTelemetry(
      (level, event, facts) =>
        void lines.push(JSON.parse(JSON.stringify({ level, event, ...facts })) as Line),
      { ...defaults, ...telemetry },
    );
    super({ ...rest, capabilities: [shared ?? own, ...(rest.capabilities ?? [])] });
    this.lines = lines;
  }

  /** Until no turn is open, and what it leaves behind is written. */
  async rest(): Promise<void> {
    await this.until(() => this.session.current() === null);
    await this.settle();
  }

  /** A turn's ids are digests, which take more than promises. */
  async until(isSo: () => boolean): Promise<void> {
    for (let rounds = 0; !isSo(); rounds++) {
      if (rounds > 10_000) throw new Error(`never: ${isSo.toString()}`);
      await this.settle();
    }
    await this.settle();
  }

  /** Until the model was asked so often. */
  asked = (count: number): Promise<void> => this.until(() => this.witness.requests.length >= count);

  named(name: string): Line[] {
    return this.lines.filter((line) => line["name"] === name);
  }

  one(name: string): Line {
    const [line, more] = this.named(name);
    if (!line || more) throw new Error(`not one ${name}: ${JSON.stringify(this.lines)}`);
    return line;
  }
}

/** A step that calls a tool. */
export const tool = (label: string) => ({
  calls: [{ name: "unsafe_thing", input: JSON.stringify({ label }) }],
});
