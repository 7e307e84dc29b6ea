import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { Context, Contexts } from "../../contexts.ts";
import type { GlobalFlags, GlobalOptions } from "../../global-options.ts";
import { note, print, printJson } from "../../output.ts";
import { UsageError } from "../../usage-error.ts";
import { readViewer, viewerText } from "../../viewer.ts";
import { ask } from "./ask.ts";
import { openBrowser } from "./open-browser.ts";
import { receiveSession } from "./receive-session.ts";
import { requestSession } from "./request-session.ts";

export interface LoginFlags {
  /** Of the context. Default: the host. */
  readonly name?: string;
  readonly withToken?: boolean;
  /** Whether a browser on another device gives the session. */
  readonly device?: boolean;
  /** Whether to take the session that the browser gives without a question. */
  readonly yes?: boolean;
  /** Whether to open the browser. */
  readonly browser: boolean;
}

/**
 * Stores a platform with a session of the user as a context, and uses it from now on. The platform must accept the session. One from
 * a browser is stored only if the user confirms whose it is: another user of this machine can read the address that the browser opens,
 * or the code for another device, and give a session of their own.
 */
export async function logIn(options: GlobalOptions, contexts: Contexts, flags: LoginFlags): Promise<void> {
  const { http, grpc } = options;
  if (!flags.withToken && !flags.yes && process.stdin.isTTY !== true)
    throw new UsageError("standard input is no terminal: --with-token reads a token from it, --yes asks no question");
  if (flags.withToken && flags.device) throw new UsageError("--with-token and --device exclude each other");
  const token = flags.withToken ? await readToken() : await askBrowser(options, flags);
  const context: Context = {
    http,
    ...(grpc !== http && { grpc }),
    token,
    ...(options.ca !== undefined && { ca: resolve(options.ca) }),
  };
  const viewer = await readViewer({ ...options, token });
  const who = viewerText(viewer);
  const isConfirmed = flags.withToken || flags.yes || (await ask(`The browser gave the session of ${who}. Use it? [y/N] `));
  if (!isConfirmed) throw new Error("nothing is stored: run `appctl login` again");
  const name = flags.name ?? new URL(http).host;
  contexts.save(name, context);
  if (options.json) printJson({ name, http, subject: viewer.subject });
  else print(`signed in to ${http} as ${who}; the context ${name} is in use`);
}

/**
 * Returns the flags that name the platform at an address. Nothing is taken from the context in use, which is another platform. Throws
 * {@link UsageError} if it is no address.
 */
export function flagsFor(url: string, flags: GlobalFlags): GlobalFlags {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`the address must be a URL like https://apps.example.com, got ${JSON.stringify(url)}`);
  return { ...flags, http: new URL(url).origin };
}

async function readToken(): Promise<string> {
  const token = (await text(process.stdin)).trim();
  if (token === "") throw new UsageError("--with-token: standard input is empty");
  return token;
}

async function askBrowser(options: GlobalOptions, { browser, device }: LoginFlags): Promise<string> {
  if (device) return await requestSession(options, note);
  return await receiveSession(options.http, (url, code) => {
    note(`Open this address and allow appctl to act as you. The page shows the code ${code}.\n\n  ${url}\n`);
    if (browser) openBrowser(url);
  });
}
