import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** The system's Chromium, kept from talking to anyone. */
export function launchChromium(): Promise<Browser> {
  const args =
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
  return chromium.launch({
    executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
    args: args.split(" "),
  });
}

export type Watched = {
  readonly page: Page;
  /** Addresses outside of the page's own origin that were asked for; what its policy stopped is an error instead. */
  readonly foreign: string[];
  readonly dialogs: string[];
  /** Uncaught errors and what the console calls errors, refused resources included. */
  readonly errors: string[];
};

/** A fresh profile on the page, with notes of everything it should not do. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const watched: Watched = { page, foreign: [], dialogs: [], errors: [] };
  const { origin } = new URL(url);
  context.on("request", (request) => {
    const address = new URL(request.url());
    if (address.origin !== origin && address.protocol !== "data:" && address.protocol !== "blob:") {
      watched.foreign.push(request.url());
    }
  });
  context.on("requestfailed", (request) => {
    const index = watched.foreign.indexOf(request.url());
    if (request.failure()?.errorText === "csp" && index >= 0) watched.foreign.splice(index, 1);
  });
  page.on("dialog", (dialog) => {
    watched.dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  page.on("pageerror", (error) => watched.errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") watched.errors.push(message.text());
  });
  await page.goto(url);
  return watched;
}
