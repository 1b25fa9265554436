/** What of a session's object goes on beside its turns, and what sets it going. */
export class Beside {
  /** Brings others what they are to be told; set by who hosts it, as is `wake`. */
  wakeOutbox: () => void = () => {};
  /** Goes on with what is to be done by now. */
  wake: () => void = () => {};
  /** The tools that this object runs in the background, by task. */
  readonly tools = new Map<string, AbortController>();

  /** Has the tool of a task end, if it can. */
  stopTool(task: string): void {
    this.tools.get(task)?.abort();
    this.tools.delete(task);
  }
}
