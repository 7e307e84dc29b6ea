import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { Context, Contexts } from "../../contexts.ts";
import type { Environment, GlobalFlags, GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { connect } from "../../platform.ts";
import { UsageError } from "../../usage-error.ts";
import { openBrowser } from "./open-browser.ts";
import { receiveSession } from "./receive-session.ts";

export interface LoginFlags {
  /** Of the context. Default: the host. */
  readonly name?: string;
  readonly withToken?: boolean;
  /** Whether to open the browser. */
  readonly browser: boolean;
}

/** Stores a platform with a session of the user as a context, and uses it from now on. The platform must accept the session. */
export async function logIn(options: GlobalOptions, contexts: Contexts, flags: LoginFlags): Promise<void> {
  const { http, grpc } = options;
  const token = flags.withToken ? await readToken() : await askBrowser(http, flags);
  const context: Context = { http, grpc, token, ...(options.ca === undefined ? {} : { ca: resolve(options.ca) }) };
  // Rejects if the platform does not accept the token.
  await connect({ ...context, json: options.json }).marketplace.listApps({ pageSize: 1 });
  const name = flags.name ?? new URL(http).host;
  contexts.save(name, context);
  if (options.json) printJson({ name, http, grpc });
  else print(`signed in to ${http}; the context ${name} is in use`);
}

/**
 * Returns the flags that name the platform at an address. Its gRPC port is 9090 of the same host unless another one is given. Nothing is
 * taken from the context in use, which is another platform. Throws {@link UsageError} if it is no address.
 */
export function flagsFor(url: string, flags: GlobalFlags, environment: Environment): GlobalFlags {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`the address must be a URL like https://apps.example.com, got ${JSON.stringify(url)}`);
  const { origin, protocol, hostname } = new URL(url);
  const grpc = flags.grpc ?? environment["APPSERVER_GRPC_URL"] ?? `${protocol}//${hostname}:9090`;
  return { ...flags, http: origin, grpc };
}

async function readToken(): Promise<string> {
  const token = (await text(process.stdin)).trim();
  if (token === "") throw new UsageError("--with-token: standard input is empty");
  return token;
}

async function askBrowser(http: string, { browser }: LoginFlags): Promise<string> {
  return await receiveSession(http, (url, code) => {
    process.stderr.write(`Open this address and allow appctl to act as you. The page shows the code ${code}.\n\n  ${url}\n\n`);
    if (browser) openBrowser(url);
  });
}
