import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { launchChromium, openPage, type Watched } from "./chromium.ts";
import { FakeServer } from "./fake-server.ts";
import type { FakeTurn } from "./fake-turn.ts";

/** The time zone in a turn's body: that of the machine. */
export const anyZone: unknown = expect.any(String);

/** The page in front of a fake server, new for each test; no test may make it ask a stranger or open a dialog. */
export class Desk {
  server: FakeServer;
  watched: Watched;
  readonly #browser: Browser;

  constructor(browser: Browser, server: FakeServer) {
    this.#browser = browser;
    this.server = server;
    this.watched = noneYet();
  }

  get page(): Page {
    return this.watched.page;
  }

  async open(options?: BrowserContextOptions, path = ""): Promise<void> {
    this.watched = await openPage(this.#browser, this.server.url + path, options);
  }

  get box(): Locator {
    return this.page.getByRole("textbox", { name: "Message" });
  }

  async send(text: string): Promise<void> {
    await this.box.fill(text);
    await this.box.press("Enter");
  }

  /** Sends a message and has its turn begin. */
  async begin(text: string): Promise<FakeTurn> {
    await this.send(text);
    return (await this.server.nextTurn()).start().step();
  }

  /** Waits until the page shows this text. */
  async see(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  async seeNoMore(text: string): Promise<void> {
    await this.page.getByText(text).first().waitFor({ state: "detached" });
  }

  answers(): Promise<string[]> {
    return this.page.locator(".answer").allInnerTexts();
  }
}

/** Registers what makes and ends a desk around each test of a file; call it at the file's top. */
export function useDesk(): () => Desk {
  let browser: Browser;
  let desk: Desk;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    desk = new Desk(browser, await FakeServer.start());
  });
  afterEach(async () => {
    await desk.watched.page.context().close();
    await desk.server.close();
    expect([desk.watched.foreign, desk.watched.dialogs]).toEqual([[], []]);
  });
  return () => desk;
}

const noneYet = (): Watched => ({
  get page(): Page {
    throw new Error("Open the page first.");
  },
  foreign: [],
  dialogs: [],
  errors: [],
});
