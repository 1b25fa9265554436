import {
  AbstractChat,
  DefaultChatTransport,
  asSchema,
  readUIMessageStream,
  uiMessageChunkSchema,
  type ChatOnToolCallCallback,
  type ChatState,
  type ChatStatus,
  type HttpChatTransportInitOptions,
  type UIMessage,
  type UIMessageChunk,
} from "ai";

/** What `useChat` keeps in React state, kept in fields. */
class PlainState implements ChatState<UIMessage> {
  status: ChatStatus = "ready";
  error: Error | undefined;
  messages: UIMessage[];
  readonly #onWrite: (message: UIMessage) => void;

  constructor(messages: readonly UIMessage[], onWrite: (message: UIMessage) => void) {
    this.messages = [...messages];
    this.#onWrite = onWrite;
  }

  pushMessage = (message: UIMessage): void => {
    this.messages = [...this.messages, message];
    this.#onWrite(message);
  };

  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };

  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.with(index, structuredClone(message));
    this.#onWrite(message);
  };

  snapshot = <Value>(value: Value): Value => structuredClone(value);
}

export type ChatOptions = {
  readonly id: string;
  readonly api: string;
  readonly fetch: typeof fetch;
  /** What a page loaded before it made its chat. */
  readonly messages?: readonly UIMessage[];
  /** Sends the newest message only, as the README advises. */
  readonly isFrugal?: boolean;
  /** Called at each change of a message. */
  readonly onWrite?: (message: UIMessage) => void;
  /** Whether to send by itself, as `useChat` asks after each answer and each decision. */
  readonly sendAutomaticallyWhen?: (options: { messages: UIMessage[] }) => boolean;
  /** Called for every call whose input is whole. */
  readonly onToolCall?: ChatOnToolCallCallback;
  /** Beside what the transport sends. */
  readonly body?: object;
};

/**
 * The AI SDK's real client: `useChat` is this class with its state in React. Its transport is the default one, so
 * every chunk is validated by the SDK's own schema, and one that fails ends the stream with an error.
 */
export class ChatClient extends AbstractChat<UIMessage> {
  constructor({
    id,
    api,
    fetch,
    messages = [],
    isFrugal = false,
    onWrite = () => {},
    body = {},
    ...callbacks
  }: ChatOptions) {
    super({
      id,
      transport: new DefaultChatTransport({ api, fetch, body, ...(isFrugal ? newestOnly : {}) }),
      state: new PlainState(messages, onWrite),
      ...callbacks,
    });
  }

  /** Its messages as they would be stored. */
  get stored(): UIMessage[] {
    return asStored(this.messages);
  }
}

const newestOnly: Pick<HttpChatTransportInitOptions<UIMessage>, "prepareSendMessagesRequest"> = {
  prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
    body: { id, messages: messages.slice(-1), trigger, messageId },
  }),
};

/** Without fields that are there but undefined, which JSON does not know. */
export const asStored = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

/**
 * The message that the SDK builds from these chunks, on top of `shown` if there is one, and its errors. Throws when its
 * own schema refuses a chunk.
 */
export async function messageFrom(
  chunks: readonly unknown[],
  shown?: UIMessage,
): Promise<{ readonly message: unknown; readonly errors: readonly unknown[] }> {
  const schema = asSchema(uiMessageChunkSchema);
  const valid: UIMessageChunk[] = [];
  for (const chunk of asStored(chunks)) {
    const checked = await schema.validate?.(chunk);
    if (checked?.success !== true) throw new Error(`not a chunk: ${JSON.stringify(chunk)}`);
    valid.push(checked.value);
  }
  const errors: unknown[] = [];
  let message: unknown = shown;
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of valid) controller.enqueue(chunk);
      controller.close();
    },
  });
  const states = readUIMessageStream({
    stream,
    onError: (error) => errors.push(error),
    ...(shown ? { message: structuredClone(shown) } : {}),
  });
  for await (const state of states) message = state;
  return { message: asStored(message), errors };
}
